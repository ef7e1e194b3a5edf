// `init --run -- PROGRAM`: the program runs under the stand-in, and each launch that is wanted becomes a
// manifest.
#include "app/cli/init/program/init_program.h"

#include "app/cli/init/entries.h"
#include "app/cli/init/names.h"
#include "app/cli/init/program/described.h"
#include "app/cli/init/program/text.h"
#include "app/cli/programs/programs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/npy.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAll = "all";  // --launch

// A file to be written: text, or an array.
struct OutFile {
    std::string path, text;
    const Tensor* array = nullptr;
};

struct Manifest {
    std::string stem;
    std::vector<const SeenLaunch*> launches;
    std::string source, entry;  // as written; of a sequence entries stand in its launches
    Described described;
};

// What the user's file says of the program's kernels.
struct UserSource {
    std::string file;  // empty: none was named
    std::optional<CheckReport> report;
    std::map<std::string, CheckReport> instances;  // of templates, by entry
};

struct Work {
    const Command& command;
    fs::path folder;
    std::vector<SeenLaunch> seen = {};
    std::map<std::string, ptx::Module> modules = {};    // by their text
    std::map<std::string, SourceText> sources = {};     // likewise
    std::map<std::string, std::string> ptx_names = {};  // files of the folder, by text
    UserSource user = {};
    std::vector<Manifest> manifests = {};
    std::vector<std::string> refused = {};
};

// An anonymous namespace and a static function have a name for each compilation.
std::string signature(const std::string& symbol) { return entry_words(symbol); }

const ptx::Function* same_entry(const ptx::Module& module, const ptx::Function& wanted) {
    for (const ptx::Function& f : module.functions) {
        if (!f.is_entry || signature(f.name) != signature(wanted.name)) continue;
        const bool same = std::equal(
            f.params.begin(),
            f.params.end(),
            wanted.params.begin(),
            wanted.params.end(),
            [](const auto& a, const auto& b) { return a.bytes == b.bytes; }
        );
        if (same) return &f;
    }
    return nullptr;
}

// The kernel in the user's file; nothing: it is not there. Instances of templates are asked for by name.
std::optional<std::string> entry_in_source(Work& w, const ptx::Function& entry) {
    if (w.user.file.empty()) return std::nullopt;
    if (w.user.report)
        if (const ptx::Function* found = same_entry(w.user.report->module, entry))
            return entry_key(*w.user.report, found->name);
    const std::string name = signature(entry.name).substr(0, signature(entry.name).find('('));
    if (name.find('<') == name.npos) return std::nullopt;
    CheckOptions options = w.command.check;
    options.entry = name;
    try {
        const CheckReport report = check_file(w.user.file, options);
        return same_entry(report.module, entry) != nullptr ? std::optional(name) : std::nullopt;
    } catch (const Error&) { return std::nullopt; }
}

void read_user_source(Work& w) {
    w.user.file = w.command.kernel.kernel;
    if (w.user.file.empty()) return;
    if (fs::path(w.user.file).extension() != ".cu")
        throw Error(w.user.file + " is no .cu; without a file the manifests name the program's PTX");
    try {
        w.user.report = check_file(w.user.file, w.command.check);
    } catch (const Error& e) {
        // Of templates alone there is nothing to compile until one is named.
        if (std::string(e.what()).find("there is no __global__ function in it") == std::string::npos) throw;
    }
}

// Not a header of CUDA's or of the compiler's library.
bool is_users_source(const std::string& file) {
    constexpr size_t kMostBytes = 4 << 20;
    std::error_code none;
    const fs::path path = file;
    const bool source =
        file.ends_with(".cu") || file.ends_with(".cuh") || file.ends_with(".h") || file.ends_with(".hpp");
    return source && fs::is_regular_file(path, none) && fs::file_size(path, none) <= kMostBytes &&
        !fs::exists(path.parent_path() / "cuda_runtime.h", none) && file.find("/c++/") == file.npos;
}

// Names and types: of the user's file, else of the sources that the PTX was compiled from, as far as they are
// there.
const SourceText& source_of(Work& w, const ptx::Module& module) {
    const auto known = w.sources.find(module.text);
    if (known != w.sources.end()) return known->second;
    const SourceText users = w.user.file.empty() ? SourceText() : read_source(read_text_file(w.user.file));
    SourceText& out = w.sources[module.text] = users;
    for (const std::string& file : module.files) {
        if (!is_users_source(file)) continue;
        SourceText one = read_source(read_text_file(file));
        out.kernels.insert(out.kernels.end(), one.kernels.begin(), one.kernels.end());
        out.structs.merge(one.structs);
    }
    return out;
}

const ptx::Module& module_of(Work& w, const launches::RecordedLaunch& l) {
    const auto known = w.modules.find(l.ptx);
    return known != w.modules.end() ? known->second
                                    : w.modules.emplace(l.ptx, ptx::parse(l.ptx)).first->second;
}

std::string program_name(const Command& c) { return fs::path(c.program.words.front()).filename().string(); }

// "prog.ptx", and "prog-2.ptx" for its second module.
std::string ptx_file(Work& w, const std::string& text) {
    const auto known = w.ptx_names.find(text);
    if (known != w.ptx_names.end()) return known->second;
    const std::string number = w.ptx_names.empty() ? "" : fmt::format("-{}", w.ptx_names.size() + 1);
    return w.ptx_names[text] = program_name(w.command) + number + ".ptx";
}

std::string stem_for(const Work& w, const SeenLaunch& seen, std::set<std::string>& taken) {
    std::string stem = plain_name(seen.launch.entry);
    std::replace_if(
        stem.begin(),
        stem.end(),
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; },
        '_'
    );
    if (w.command.kernel.launch == kAll) stem += fmt::format("-{}", seen.launch.number);
    std::string own = stem;
    for (int n = 2; !taken.insert(own).second; ++n) own = fmt::format("{}_{}", stem, n);
    return own;
}

// All launches of a sequence name one source: the user's where it has all of their kernels, else the PTX.
void name_source(Work& w, Manifest& m, const ptx::Module& module) {
    std::vector<std::string> keys;
    for (const SeenLaunch* seen : m.launches) {
        const auto key = entry_in_source(w, ptx::entry_of(module, seen->launch.entry));
        if (key) keys.push_back(*key);
    }
    const bool in_source = keys.size() == m.launches.size();
    m.source = in_source ? seen_from(fs::absolute(w.folder), fs::absolute(w.user.file))
                         : ptx_file(w, m.launches.front()->launch.ptx);
    if (!in_source && !w.user.file.empty())
        m.described.notes.push_back(fmt::format(
            "{} has no such kernel when it is compiled as was asked for: the source is the program's PTX",
            w.user.file
        ));
    for (size_t i = 0; i < m.launches.size(); ++i)
        m.described.kernel.launches[i].entry = in_source ? keys[i] : m.launches[i]->launch.entry;
    m.entry = m.launches.size() == 1 ? m.described.kernel.launches.front().entry : "";
}

void describe_one(Work& w, std::vector<const SeenLaunch*> launches, const std::string& stem) {
    try {
        for (const SeenLaunch* seen : launches)
            if (seen->launch.ptx != launches.front()->launch.ptx)
                throw Unsupported(
                    "launches " +
                    fmt::format("{} and {}", launches.front()->launch.number, seen->launch.number) +
                    " are of different modules: a manifest has one source"
                );
        const ptx::Module& module = module_of(w, launches.front()->launch);
        Manifest m{stem, launches, "", "", described(launches, module, source_of(w, module), stem)};
        name_source(w, m, module);
        w.manifests.push_back(std::move(m));
    } catch (const Unsupported& u) { w.refused.emplace_back(u.what()); }
}

bool is_range(const std::string& launch) {
    return launch.find('-') != launch.npos && launch.find_first_not_of("0123456789-") == launch.npos;
}

void describe_all(Work& w) {
    std::set<std::string> taken;
    if (is_range(w.command.kernel.launch)) {
        std::vector<const SeenLaunch*> all;
        for (const SeenLaunch& seen : w.seen) all.push_back(&seen);
        return describe_one(w, all, program_name(w.command) + "-" + w.command.kernel.launch);
    }
    for (const SeenLaunch& seen : w.seen) describe_one(w, {&seen}, stem_for(w, seen, taken));
}

std::string about(const Work& w, const Manifest& m) {
    std::string launches = fmt::format("launch {}", m.launches.front()->launch.number);
    if (m.launches.size() > 1)
        launches = fmt::format(
            "launches {} to {}", m.launches.front()->launch.number, m.launches.back()->launch.number
        );
    return fmt::format("{} of {}", launches, join(w.command.program.words, " "));
}

std::vector<OutFile> files_of(Work& w) {
    std::vector<OutFile> out;
    for (const Manifest& m : w.manifests) {
        DescribedFiles files;
        files.about = about(w, m), files.source = m.source, files.entry = m.entry,
        files.reference = m.stem + ".py";
        if (m.source.ends_with(".cu")) {
            files.defines = w.command.check.defines;
            for (const std::string& folder : w.command.check.include)
                files.include.push_back(seen_from(fs::absolute(w.folder), fs::absolute(folder)));
        }
        out.push_back({(w.folder / (m.stem + ".toml")).string(), described_text(m.described, files)});
        out.push_back({(w.folder / (m.stem + ".py")).string(), described_reference(m.described, files)});
        for (const auto& [array, tensor] : m.described.files)
            out.push_back({(w.folder / fmt::format("{}.{}.npy", m.stem, array)).string(), "", &tensor});
    }
    for (const auto& [text, name] : w.ptx_names) out.push_back({(w.folder / name).string(), text});
    return out;
}

void write_all(const std::vector<OutFile>& files, bool force) {
    std::error_code none;
    for (const OutFile& file : files)
        if (!force && fs::exists(file.path, none))
            throw Error(file.path + " is there already; --force writes over it, -o FOLDER writes elsewhere");
    for (const OutFile& file : files) {
        if (file.array != nullptr) {
            manifest::write_npy(file.path, *file.array);
            continue;
        }
        write_text_file(file.path, file.text);
    }
}

runtime::Settings settings_for(const Command& c, const std::string& folder) {
    runtime::Settings s;
    s.folder = folder, s.command = c.program.words;
    s.launch = c.kernel.launch == kAll ? runtime::kEveryLaunch : c.kernel.launch;
    s.record = runtime::kDescribe;
    return s;
}

void read_seen(Work& w, const std::string& folder) {
    for (runtime::Description& d : runtime::read_descriptions(folder)) {
        SeenLaunch seen{launches::read_launch((fs::path(folder) / d.launch_file).string()), std::move(d)};
        w.seen.push_back(std::move(seen));
    }
}

// Kernels whose launches were not executed, with the reason.
void add_not_run(Work& w, const ProgramRun& run) {
    std::set<std::string> told;
    for (const runtime::Event& e : run.events) {
        if (e.kind != runtime::Event::Kind::launch || e.launched.said.empty()) continue;
        const bool seen = std::any_of(w.seen.begin(), w.seen.end(), [&](const SeenLaunch& s) {
            return s.about.kernel == e.launched.kernel;
        });
        if (!seen && told.insert(e.launched.kernel).second)
            w.refused.push_back(
                fmt::format("{}, launch {}: {}", e.launched.kernel, e.launched.number, e.launched.said)
            );
    }
}

std::string how_it_ended(const ProgramRun& run) {
    if (run.ended.signal != 0) return fmt::format("the program was ended by signal {}", run.ended.signal);
    if (run.ended.code != 0) return fmt::format("the program ended with status {}", run.ended.code);
    return {};
}

[[noreturn]] void nothing_seen(const Work& w, const ProgramRun& run) {
    std::string why = w.command.kernel.launch.empty()
        ? w.command.program.words.front() + " launched no kernel that ran"
        : fmt::format("{} made no launch {}", w.command.program.words.front(), w.command.kernel.launch);
    for (const std::string& reason : w.refused) why += "\n  " + reason;
    for (const runtime::Event& e : run.events)
        if (e.kind == runtime::Event::Kind::error) why += "\n  " + e.text;
    if (!run.how_to_link.empty()) why += "\n  " + run.how_to_link;
    if (const std::string end = how_it_ended(run); !end.empty()) why += "\n  " + end;
    throw Error(why);
}

void print_notes(const Work& w, const ProgramRun& run) {
    if (const std::string end = how_it_ended(run); !end.empty())
        print_text(end + "; what it launched until then is described\n");
    if (w.seen.size() >= static_cast<size_t>(runtime::kMostDescribed))
        print_text(fmt::format(
            "after launch {} none is described; --launch N names another\n", runtime::kMostDescribed
        ));
    int64_t found = 0;
    for (const runtime::Event& e : run.events) found += e.launched.findings;
    if (found > 0)
        print_text(fmt::format(
            "its launches have {} finding{}: warplens run -- {}\n",
            found,
            found == 1 ? "" : "s",
            join(w.command.program.words, " ")
        ));
}

void print_manifests(const Work& w) {
    for (const Manifest& m : w.manifests) {
        const launches::RecordedLaunch& l = m.launches.front()->launch;
        print_text(fmt::format("{}: ", (w.folder / (m.stem + ".toml")).string()));
        if (m.launches.size() == 1)
            print_text(fmt::format(
                "{}, launch {}, grid {}x{}x{}, block {}x{}x{}",
                entry_words(l.entry),
                l.number,
                l.grid.x,
                l.grid.y,
                l.grid.z,
                l.block.x,
                l.block.y,
                l.block.z
            ));
        else
            print_text(fmt::format("{} launches", m.launches.size()));
        const std::vector<std::string> outputs = compared_outputs(m.described);
        print_text(outputs.empty() ? "; no output\n" : "; outputs " + join(outputs, ", ") + "\n");
        for (const std::string& note : m.described.notes) print_text("  " + note + "\n");
    }
    for (const std::string& why : w.refused) print_text("not described: " + why + "\n");
}

void print_left_to_do(const Work& w) {
    const std::string first = (w.folder / w.manifests.front().stem).string();
    print_text(fmt::format(
        "left to do:\n  1. {}.py: return what the kernel should leave; or put npz = \"FILE.npz\" or kernel = "
        "\"OTHER.toml\"\n     into [reference] of {}.toml. What the program's own launch left is no "
        "reference. Until "
        "then nothing is\n     compared, and the verdict is incomplete\nthen: warplens run {}.toml\n",
        first,
        first,
        first
    ));
}

}  // namespace

int init_program(const Command& c) {
    Work w{c, c.out.empty() ? fs::path(program_name(c) + "-kernels") : fs::path(c.out)};
    read_user_source(w);
    const Scratch scratch;
    const ProgramRun run = run_recording(settings_for(c, scratch.path), false);
    read_seen(w, scratch.path);
    if (c.kernel.launch.empty() || c.kernel.launch == kAll) add_not_run(w, run);
    if (w.seen.empty()) nothing_seen(w, run);
    describe_all(w);
    if (!w.manifests.empty()) {
        fs::create_directories(w.folder);
        write_all(files_of(w), c.init.force);
    }
    print_manifests(w);
    print_notes(w, run);
    if (!w.manifests.empty()) print_left_to_do(w);
    return w.refused.empty() ? kExitOk : kExitUnsupported;
}

}  // namespace wl::app
