// What keeps the sources readable: files of at most 400 lines, functions of at most 60,
// and no virtual function.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace wl {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFileLines = 400, kFunctionLines = 60;

using Lines = std::vector<std::string>;

// By path from the root.
const std::map<std::string, Lines>& sources() {
    static const std::map<std::string, Lines> kSources = [] {
        const std::set<std::string> skipped = {".git", ".env", ".cache", "build", "__pycache__"};
        const std::set<std::string> kinds = {".h", ".cpp", ".cu", ".cuh", ".py"};
        std::map<std::string, Lines> all;
        for (auto entry = fs::recursive_directory_iterator(WL_SOURCE_DIR);
             entry != fs::recursive_directory_iterator();
             ++entry) {
            if (entry->is_directory() && skipped.contains(entry->path().filename().string()))
                entry.disable_recursion_pending();
            if (!entry->is_regular_file() || !kinds.contains(entry->path().extension().string())) continue;
            std::ifstream file(entry->path());
            Lines& lines = all[fs::relative(entry->path(), WL_SOURCE_DIR).generic_string()];
            for (std::string line; std::getline(file, line);) lines.push_back(line);
        }
        return all;
    }();
    return kSources;
}

struct Function {
    size_t line = 0, lines = 0;  // of its head, from 1; of its body
};

// Functions of a namespace, as clang-format lays them out: the head begins and the last brace stands in the
// first column.
std::vector<Function> functions(const Lines& lines) {
    static const std::regex kHead(R"(^(?!namespace|struct|class|enum|union|extern "C" \{).*\)[ a-z]*\{$)");
    std::vector<Function> found;
    for (size_t k = 0; k < lines.size(); ++k) {
        if (lines[k].empty() || lines[k][0] == ' ' || lines[k][0] == '#' || lines[k].starts_with("//"))
            continue;
        if (!std::regex_match(lines[k], kHead)) continue;
        size_t end = k + 1;
        while (end < lines.size() && !lines[end].starts_with('}')) ++end;
        found.push_back({k + 1, end - k - 1});
    }
    return found;
}

TEST(Limits, FilesAreShort) {
    EXPECT_GT(sources().size(), 600u);
    for (const auto& [path, lines] : sources()) EXPECT_LE(lines.size(), kFileLines) << path;
}

TEST(Limits, FunctionsAreShort) {
    size_t seen = 0;
    for (const auto& [path, lines] : sources()) {
        if (path.ends_with(".py")) continue;
        for (const Function& f : functions(lines)) {
            ++seen;
            EXPECT_LE(f.lines, kFunctionLines) << path << ":" << f.line;
        }
    }
    EXPECT_GT(seen, 3000u);
}

TEST(Limits, NoFunctionIsVirtual) {
    const std::regex text(R"re("(?:[^"\\]|\\.)*"|//.*)re"), keyword(R"(\bvirtual\b)");
    for (const auto& [path, lines] : sources()) {
        if (!path.starts_with("instrumentation/") && !path.starts_with("app/")) continue;
        for (size_t k = 0; k < lines.size(); ++k) {
            if (lines[k].find("virtual") == std::string::npos) continue;
            EXPECT_FALSE(std::regex_search(std::regex_replace(lines[k], text, ""), keyword))
                << path << ":" << k + 1;
        }
    }
}

// So that every program is started by words and none by the text of a command line.
TEST(Limits, ProgramsAreStartedInOnePlace) {
    const std::regex text(R"re("(?:[^"\\]|\\.)*"|//.*)re"),
        starts(R"(\b(?:fork|vfork|system|popen|posix_spawnp?|exec[lv]p?e?|execvpe|wordexp)\()");
    constexpr std::array kWords{"fork(", "system(", "popen(", "spawn", "exec", "wordexp("};
    for (const auto& [path, lines] : sources()) {
        const bool ours =
            path.starts_with("instrumentation/") || path.starts_with("app/") || path.starts_with("shim/");
        if (!ours || path.ends_with(".py") || path == "instrumentation/base/os/process.cpp") continue;
        for (size_t k = 0; k < lines.size(); ++k) {
            const bool may = std::ranges::any_of(kWords, [&](const char* word) {
                return lines[k].find(word) !=
                    std::string::npos;  // a regular expression costs a hundred times that
            });
            EXPECT_FALSE(may && std::regex_search(std::regex_replace(lines[k], text, ""), starts))
                << path << ":" << k + 1 << ": start_process of base/os/process.h starts programs";
        }
    }
}

// Of libstdc++ they take a stack frame a character: texts from elsewhere are held to kLongestMatched.
TEST(Limits, PatternsAreGivenTextsOfALimitedLength) {
    size_t seen = 0;
    for (const auto& [path, lines] : sources()) {
        if (!path.starts_with("instrumentation/") && !path.starts_with("app/") && !path.starts_with("shim/"))
            continue;
        const auto holds = [&lines = lines](const char* text) {
            return std::ranges::any_of(lines, [=](const std::string& line) {
                return line.find(text) != std::string::npos;
            });
        };
        if (!holds("#include <regex>")) continue;
        ++seen;
        EXPECT_TRUE(holds("kLongestMatched")) << path;
    }
    EXPECT_GT(seen, 4U);
}

// What Linux offers is behind base/os. The stand-in's libraries, the recorder and what they share live inside
// other programs on Linux, and have no other form.
bool names_the_system(const std::string& line) {
    static const std::regex kSystem(
        "#include <(?:(?:dlfcn|fcntl|link|poll|pthread|sched|spawn|termios|unistd)\\.h|(?:sys|linux)/.*)>.*"
    );
    return line.starts_with("#include <") && std::regex_match(line, kSystem);
}

TEST(Limits, WhatTheSystemOffersIsBehindBaseOs) {
    constexpr std::array kMay{
        "instrumentation/base/os/", "instrumentation/recorder/", "instrumentation/runtime/"};
    size_t behind = 0;
    for (const auto& [path, lines] : sources()) {
        if (!path.starts_with("instrumentation/") && !path.starts_with("app/")) continue;
        const bool may =
            std::ranges::any_of(kMay, [&, &at = path](const char* begin) { return at.starts_with(begin); });
        for (size_t k = 0; k < lines.size(); ++k) {
            const bool names = names_the_system(lines[k]);
            behind += names ? 1 : 0;
            EXPECT_TRUE(may || !names) << path << ":" << k + 1 << ": " << lines[k];
        }
    }
    EXPECT_GT(behind, 20U);
    for (const char* line :
         {"#include <unistd.h>", "#include <sys/stat.h>  // stat", "#include <linux/landlock.h>"})
        EXPECT_TRUE(names_the_system(line)) << line;
    for (const char* line : {"#include <csignal>", "#include \"sys/own.h\"", "// #include <unistd.h>"})
        EXPECT_FALSE(names_the_system(line)) << line;
}

TEST(Limits, AFunctionIsMeasuredByItsBody) {
    const Lines text = {
        "int f(int a) {",
        "    if (a) {",
        "    }",
        "}",
        "void g(",
        "    int b",
        ") {",
        "}",
        "struct S {",
        "};"};
    const std::vector<Function> found = functions(text);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].lines, 2u);
    EXPECT_EQ(found[1].line, 7u);
}

}  // namespace
}  // namespace wl
