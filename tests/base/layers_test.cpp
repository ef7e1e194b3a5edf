// The folders form the directed acyclic graph of ARCHITECTURE.md: read off the #include lines.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace wl {
namespace {

namespace fs = std::filesystem;

struct SourceFile {
    std::string path;  // from the root of the repository
    std::string text;
};

struct Include {
    size_t line = 0;  // from 1
    bool quoted = false;
    std::string target;
};

using Folders = std::set<std::string>;

// Whose headers the files of a folder may include, beside their own.
const std::map<std::string, Folders>& allowed_folders() {
    static const std::map<std::string, Folders> kAllowed = [] {
        std::map<std::string, Folders> allowed = {
            {"base",      {}                                        },
            {"fragments", {"base"}                                  },
            {"layouts",   {"base"}                                  },
            {"capture",   {"base"}                                  },
            {"recorder",  {"base"}                                  },
            {"launches",  {"base", "capture", "compile", "recorder"}},
            {"ptx",       {"base"}                                  },
            {"compile",   {"base"}                                  },
            {"manifest",  {"base", "compile"}                       },
            {"execution", {"base", "capture", "ptx"}                },
            {"emulator",  {"base", "capture", "ptx", "execution"}   },
            {"variables", {"base", "ptx"}                           },
            {"watch",     {"base", "ptx", "variables"}              },
            {"travel",
             {"base",
              "fragments",
              "layouts",
              "capture",
              "ptx",
              "variables",
              "watch",
              "execution",
              "emulator"}                                           },
            {"gpu",       {"base", "capture", "ptx", "execution"}   },
            {"analysis",  {"base", "capture"}                       },
        };
        Folders all{"order"};
        for (const auto& [folder, below] : allowed) all.insert(folder);
        allowed["probe"] = allowed["order"] = {};
        allowed["diagnosis"] = all;
        all.insert("diagnosis");
        allowed["runtime"] = all;
        all.insert("runtime");
        allowed["shim"] = all;
        allowed["app"] = all;
        return allowed;
    }();
    return kAllowed;
}

// The modules of app/, each of which sees those before it. "": the files of app/ itself, which put panels
// together.
constexpr const char* kAppModules[] = {"worker", "session", "draw", "panels", "", "shell", "cli"};

// "app/panels/banks.h" -> its place in kAppModules; -1: not in a module of app/.
int app_module_of(const std::string& path) {
    if (!path.starts_with("app/")) return -1;
    const size_t end = path.find('/', 4);
    const std::string name = end == std::string::npos ? "" : path.substr(4, end - 4);
    const auto* const found = std::ranges::find(kAppModules, name);
    return found == std::end(kAppModules) ? -1 : static_cast<int>(found - std::begin(kAppModules));
}

// "instrumentation/ptx/parse.cpp" -> "ptx", "app/panels/banks.h" -> "app", else the first folder.
std::string folder_of(const std::string& path) {
    static const std::regex kFolder("(?:instrumentation/)?([^/]+)/.*");
    std::smatch match;
    return std::regex_match(path, match, kFolder) ? match[1].str() : std::string();
}

// The modules of the emulator, each of which sees some of those before it. What all of them share lies beside
// them: the contract, the device.
using Modules = std::vector<std::pair<std::string, Folders>>;
const Modules& emulator_modules() {
    static const Modules kModules = {
        {"memory",   {}                                                                      },
        {"program",  {"memory"}                                                              },
        {"shadow",   {"program"}                                                             },
        {"machine",  {"program", "shadow"}                                                   },
        {"observe",  {"machine", "program"}                                                  },
        {"global",   {"machine", "memory", "observe", "program", "shadow"}                   },
        {"schedule", {"global", "machine", "observe", "program"}                             },
        {"exec",     {"global", "machine", "memory", "observe", "program", "schedule"}       },
        {"lower",    {"exec", "machine", "program"}                                          },
        {"replay",   {"global", "machine", "memory", "observe", "program", "schedule"}       },
        {"poison",   {"exec", "lower", "machine", "observe", "program", "replay", "schedule"}},
        {"fp64",     {"exec", "machine", "poison", "schedule"}                               },
    };
    return kModules;
}

// "instrumentation/emulator/exec/values/bits.cpp" -> "exec"; empty: beside the modules, or not of the
// emulator.
std::string module_of(const std::string& path) {
    static const std::regex kModule("instrumentation/emulator/([^/]+)/.*");
    std::smatch match;
    return std::regex_match(path, match, kModule) ? match[1].str() : std::string();
}

std::vector<Include> includes_of(const std::string& text) {
    static const std::regex kInclude(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::vector<Include> found;
    std::istringstream lines(text);
    std::string line;
    for (size_t number = 1; std::getline(lines, line); ++number) {
        std::smatch match;  // asked where it may be: a regular expression costs a hundred times that
        if (line.find('#') != std::string::npos && std::regex_search(line, match, kInclude))
            found.push_back({number, match[1] == "\"", match[2]});
    }
    return found;
}

bool is_window_header(const std::string& target) {
    static const std::regex kWindow("(imgui|implot|GLFW/|GL/|GLES|EGL/|KHR/).*");
    return std::regex_match(target, kWindow);
}

bool is_kernel_header(const std::string& target) {
    static const std::regex kCuda(
        R"((warplens\.cuh|cuda.*|mma\.h|cooperative_groups.*|cub/.*|math_constants\.h|vector_types\.h))"
    );
    return std::regex_match(target, kCuda);
}

// The panel that a file under app/panels/ belongs to: its name without extension.
std::string panel_of(const std::string& path) {
    const fs::path p(path);
    return p.parent_path() == "app/panels" ? p.stem().string() : std::string();
}

// Why this include is not allowed; empty when it is.
std::string objection(const std::string& path, const Include& include) {
    const std::string folder = folder_of(path);
    if (folder == "kernels" || folder == "lessons") {
        return is_kernel_header(include.target) ? "" : "kernels include warplens.cuh and CUDA's headers only";
    }
    const auto layer = allowed_folders().find(folder);
    if (layer == allowed_folders().end()) return {};  // tests and benchmarks may include everything
    if (folder != "app" && is_window_header(include.target)) return "only app/ draws";
    if (folder == "probe" || !include.quoted) return {};
    if (include.target == "instrumentation/ptx/write.h" && folder != "ptx")
        return "only ptx writes instructions";
    const std::string target = folder_of(include.target);
    if (!allowed_folders().contains(target)) return "name our headers by their path from the root";
    const std::string panel = panel_of(path), other = panel_of(include.target);
    if (!panel.empty() && !other.empty() && panel != other && !panel.starts_with(other + "_"))
        return "panels do not know each other";
    const std::string own = module_of(path), entered = module_of(include.target);
    for (const auto& [name, below] : emulator_modules())
        if (name == own && !entered.empty() && own != entered && !below.contains(entered))
            return std::string("only modules after ").append(entered).append(" may include it");
    if (folder == "app" && target == "app") {
        const int from = app_module_of(path), to = app_module_of(include.target);
        if (from < 0 || to < 0) return "app/ has the modules that this test lists";
        if (from < to) return "a module of app/ does not know those above it";
    }
    if (target == folder || layer->second.contains(target)) return {};
    return folder + " may not include " + target;
}

// Paths of one machine have no place in a repository that stands alone. (Split here, as this file is read
// too.)
std::vector<std::string> foreign_paths(const SourceFile& file) {
    static const std::regex kForeign(
        "(\\.\\./sha"
        R"re(red\b)|((^|[\s"'`(=:])/wo)re"
        R"(rk/))"
    );
    std::vector<std::string> found;
    std::istringstream lines(file.text);
    std::string line;
    for (size_t number = 1; std::getline(lines, line); ++number) {
        if (line.find('/') != std::string::npos && std::regex_search(line, kForeign))
            found.push_back(file.path + ":" + std::to_string(number) + ": a path outside the repository");
    }
    return found;
}

std::vector<std::string> violations(std::span<const SourceFile> files) {
    static const std::set<std::string> kCode = {".h", ".cpp", ".cu", ".cuh"};
    std::vector<std::string> found;
    for (const SourceFile& file : files) {
        std::ranges::copy(foreign_paths(file), std::back_inserter(found));
        if (!kCode.contains(fs::path(file.path).extension().string())) continue;
        for (const Include& include : includes_of(file.text)) {
            const std::string why = objection(file.path, include);
            if (!why.empty())
                found.push_back(
                    file.path + ":" + std::to_string(include.line) + ": includes " + include.target + ": " +
                    why
                );
        }
    }
    return found;
}

bool is_text(const std::string& bytes) { return bytes.find('\0') == std::string::npos; }

std::vector<SourceFile> source_tree() {
    static const std::set<std::string> kSkipped = {".git", ".env", ".cache", "build", "__pycache__"};
    const fs::path root = WL_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator();
         ++entry) {
        if (kSkipped.contains(entry->path().filename().string())) {
            if (entry->is_directory()) entry.disable_recursion_pending();
            continue;
        }
        if (!entry->is_regular_file() || entry->path().extension() == ".wlcap") continue;
        std::ostringstream text;
        text << std::ifstream(entry->path(), std::ios::binary).rdbuf();
        if (is_text(text.str()))
            files.push_back({fs::relative(entry->path(), root).generic_string(), text.str()});
    }
    return files;
}

std::vector<std::string> violations_of(const std::string& path, const std::string& text) {
    const std::vector<SourceFile> files = {
        {path, text}
    };
    return violations(files);
}

TEST(Layers, TheSourceTreeKeepsTheFolderOrder) {
    const std::vector<SourceFile> files = source_tree();
    const auto read = [&files](const std::string& path) {
        return std::ranges::count(files, path, &SourceFile::path);
    };
    EXPECT_EQ(read("instrumentation/base/dtype.cpp"), 1);
    EXPECT_EQ(read("tests/base/layers_test.cpp"), 1);
    for (const std::string& violation : violations(files)) ADD_FAILURE() << violation;
}

// Every folder against every other: allowed exactly where the table says, and the table has no cycle.
TEST(Layers, OnlyTheListedFoldersAreSeen) {
    for (const auto& [from, below] : allowed_folders()) {
        if (from == "probe") continue;
        for (const auto& [to, unused] : allowed_folders()) {
            if (to == "probe") continue;
            const std::string folder = from == "app" ? "app" : "instrumentation/" + from;
            const std::string header =
                (to == "app" ? "app/" : "instrumentation/" + to + "/") + std::string("x.h");
            const bool fine = from == to || below.contains(to);
            EXPECT_EQ(violations_of(folder + "/a.cpp", "#include \"" + header + "\"\n").empty(), fine)
                << from << to;
            EXPECT_FALSE(from != to && below.contains(to) && allowed_folders().at(to).contains(from))
                << from << to;
        }
    }
}

TEST(Layers, TheExecutorsAndTheAnalysisDoNotSeeEachOther) {
    for (const std::string from : {"emulator", "gpu", "analysis"}) {
        for (const std::string to : {"emulator", "gpu", "analysis"}) {
            const auto found = violations_of(
                "instrumentation/" + from + "/a.cpp", "\n#include \"instrumentation/" + to + "/b.h\"\n"
            );
            EXPECT_EQ(found.size(), from == to ? 0u : 1u);
            for (const std::string& violation : found)
                EXPECT_TRUE(violation.starts_with("instrumentation/" + from + "/a.cpp:2: ")) << violation;
        }
    }
}

TEST(Layers, EveryExecutorSeesTheContractAndTheAnalysisDoesNot) {
    for (const std::string from : {"emulator", "gpu", "diagnosis", "app", "analysis", "capture", "ptx"}) {
        const std::string folder = from == "app" ? "app" : "instrumentation/" + from;
        const auto found =
            violations_of(folder + "/a.cpp", "#include \"instrumentation/execution/executor.h\"\n");
        EXPECT_EQ(found.empty(), from != "analysis" && from != "capture" && from != "ptx") << from;
    }
    for (const std::string to : {"emulator", "gpu", "analysis", "diagnosis"}) {
        const auto found =
            violations_of("instrumentation/execution/a.cpp", "#include \"instrumentation/" + to + "/b.h\"\n");
        EXPECT_EQ(found.size(), 1u) << to;
    }
}

TEST(Layers, TheEmulatorsModulesIncludeDownwardsOnly) {
    Folders before;
    for (const auto& [from, below] : emulator_modules()) {
        for (const std::string& to : below) EXPECT_TRUE(before.contains(to)) << from << " " << to;
        before.insert(from);
        const std::string path = "instrumentation/emulator/" + from + "/deep/a.cpp";
        for (const auto& [to, unused] : emulator_modules()) {
            const std::string include = "#include \"instrumentation/emulator/" + to + "/b.h\"\n";
            EXPECT_EQ(violations_of(path, include).empty(), from == to || below.contains(to))
                << from << " " << to;
        }
    }
}

// A way between modules that nobody takes any longer is closed.
TEST(Layers, EveryWayBetweenTheEmulatorsModulesIsTaken) {
    std::map<std::string, Folders> taken;
    for (const SourceFile& file : source_tree()) {
        const std::string own = module_of(file.path);
        if (own.empty() || !(file.path.ends_with(".h") || file.path.ends_with(".cpp"))) continue;
        taken.try_emplace(own);
        for (const Include& include : includes_of(file.text)) {
            const std::string entered = module_of(include.target);
            if (!entered.empty() && entered != own) taken[own].insert(entered);
        }
    }
    EXPECT_EQ(taken, (std::map<std::string, Folders>(emulator_modules().begin(), emulator_modules().end())));
}

TEST(Layers, OnlyPtxWritesInstructions) {
    const std::string include = "#include \"instrumentation/ptx/write.h\"\n";
    EXPECT_EQ(violations_of("instrumentation/ptx/edit/a.cpp", include).size(), 0u);
    EXPECT_EQ(violations_of("instrumentation/diagnosis/a.cpp", include).size(), 1u);
    EXPECT_EQ(violations_of("instrumentation/emulator/a.cpp", include).size(), 1u);
}

TEST(Layers, NothingBelowTheAppDraws) {
    for (const std::string header : {"imgui.h", "implot.h", "GLFW/glfw3.h", "GL/glcorearb.h", "EGL/egl.h"}) {
        EXPECT_EQ(violations_of("instrumentation/diagnosis/a.cpp", "#include <" + header + ">\n").size(), 1u);
        EXPECT_EQ(violations_of("app/a.cpp", "#include <" + header + ">\n").size(), 0u);
    }
}

TEST(Layers, AKernelIncludesTheProbeHeaderAndCudaOnly) {
    EXPECT_TRUE(
        violations_of("kernels/k.cu", "#include <cuda_fp16.h>\n#include <mma.h>\n#include <warplens.cuh>\n")
            .empty()
    );
    EXPECT_EQ(violations_of("kernels/k.cu", "#include \"common.cuh\"\n").size(), 1u);
    EXPECT_EQ(violations_of("kernels/k.cu", "#include <vector>\n").size(), 1u);
}

TEST(Layers, APanelKnowsNoOtherPanel) {
    EXPECT_EQ(violations_of("app/panels/banks.cpp", "#include \"app/panels/heatmap.h\"\n").size(), 1u);
    EXPECT_TRUE(violations_of("app/panels/banks.cpp", "#include \"app/panels/banks.h\"\n").empty());
    EXPECT_TRUE(violations_of("app/panels/heatmap_cells.cpp", "#include \"app/panels/heatmap.h\"\n").empty());
    EXPECT_TRUE(violations_of("app/workspace.cpp", "#include \"app/panels/heatmap.h\"\n").empty());
}

TEST(Layers, TheModulesOfTheApplicationAreSeenOneWay) {
    const auto header = [](const std::string& module) {
        return "app/" + module + (module.empty() ? "" : "/") + "x.h";
    };
    for (size_t from = 0; from < std::size(kAppModules); ++from)
        for (size_t to = 0; to < std::size(kAppModules); ++to) {
            if (from == to) continue;
            const auto found =
                violations_of(header(kAppModules[from]), "#include \"" + header(kAppModules[to]) + "\"\n");
            EXPECT_EQ(found.empty(), to < from) << kAppModules[from] << " sees " << kAppModules[to];
        }
    EXPECT_TRUE(violations_of("app/cli/questions/at.h", "#include \"app/cli/verbs.h\"\n").empty());
    EXPECT_EQ(violations_of("app/attic/x.h", "#include \"app/session/session.h\"\n").size(), 1u);
}

TEST(Layers, AHeaderIsNamedByItsPathFromTheRoot) {
    EXPECT_EQ(violations_of("instrumentation/ptx/a.cpp", "  #  include \"a.h\"\n").size(), 1u);
    EXPECT_EQ(violations_of("instrumentation/ptx/a.cpp", "#include \"../emulator/a.h\"\n").size(), 1u);
}

TEST(Layers, AFileThatPointsOutOfTheRepositoryIsNamed) {
    const std::string folder = "/wo" + std::string("rk/"), sibling = "../sha" + std::string("red/design.md");
    EXPECT_EQ(
        violations_of("README.md", "see\n" + sibling),
        std::vector<std::string>{"README.md:2: a path outside the repository"}
    );
    EXPECT_EQ(violations_of("dev", "cd \"" + folder + "main\"").size(), 1u);
    EXPECT_TRUE(
        violations_of("app/CMakeLists.txt", "add_library(app/worker/worker.cpp) # /workspace, app/work/x")
            .empty()
    );
}

}  // namespace
}  // namespace wl
