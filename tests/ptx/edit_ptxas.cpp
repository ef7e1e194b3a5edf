// What ptxas says of edits that we call legal: `edit_ptxas PTXAS MODULES SEED FILE...` makes edited modules
// of the files, some edits each, and compiles them. Prints how many of each kind were made and how many ptxas
// refused, with its words for the first of each.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "tests/ptx/random_edits.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace wl::ptx {
namespace {

constexpr size_t kEdits = 12;  // of each module

struct Source {
    std::string file;
    Module module;
};

struct Tally {
    size_t made = 0, refused = 0, crashed = 0;
    std::map<std::string, std::string> reasons;  // what ptxas says, without names -> the statement
    std::map<std::string, size_t> count;
};

struct Compiler {
    std::string ptxas, folder;
};

// A crash is no answer.
bool is_crash(const std::string& said) {
    const bool answers = said.find("error") != std::string::npos || said.find("fatal") != std::string::npos;
    return !said.empty() && (!answers || said.find("Internal error") != std::string::npos);
}

std::string say(const Compiler& c, const Module& m, int optimised) {
    const std::string in = c.folder + "/edited.ptx", out = c.folder + "/edited.log";
    const std::string number = m.target.substr(3);  // "sm_90a"; older devices are compiled for sm_75
    const std::string arch = std::atoi(number.c_str()) < 75 ? "sm_75" : m.target;
    const std::string command = fmt::format(
        "{} -O{} -arch={} -o {}/edited.cubin {} > {} 2>&1", c.ptxas, optimised, arch, c.folder, in, out
    );
    if (std::system(command.c_str()) == 0) return {};
    std::string said = read_text_file(out);
    return said.empty() ? "no word" : said;
}

// What ptxas says; empty: it takes the module. Where it crashes without optimising, it is asked to optimise.
std::string compile(const Compiler& c, const Module& m, const std::string& text) {
    std::ofstream(c.folder + "/edited.ptx") << text;
    std::string said = say(c, m, 0);
    if (!is_crash(said)) return said;
    std::string again = say(c, m, 3);
    return again.find("Optimized debugging") == std::string::npos ? again : said;
}

std::string without_names(const std::string& said) {
    static const std::regex kNames("'[^']*'|[0-9]+");
    return std::regex_replace(said, kNames, "_");
}

std::string line_of(const std::string& text, int number) {
    std::istringstream lines(text);
    std::string line;
    for (int k = 0; k < number && std::getline(lines, line);) ++k;
    return line;
}

// Several edits at once; where ptxas takes them, each of them was right. Empty: it does not.
std::vector<std::string> edits_together(const Compiler& c, Module m, uint64_t seed) {
    Random random(seed);
    std::vector<std::string> kinds;
    for (size_t tried = 0; kinds.size() < kEdits && tried < 20 * kEdits; ++tried) {
        const Tried t = random_edit(m, random);
        if (t.edit) kinds.push_back(t.kind);
    }
    return compile(c, m, print(m)).empty() ? kinds : std::vector<std::string>{};
}

// One edit at a time is added where ptxas takes those before it.
void try_one_by_one(
    const Compiler& c, const Source& source, uint64_t seed, std::map<std::string, Tally>& tallies
) {
    Random random(seed);
    Module m = source.module;
    for (size_t made = 0, tried = 0; made < kEdits && tried < 20 * kEdits; ++tried) {
        Module edited = m;
        const Tried t = random_edit(edited, random);
        if (!t.edit) continue;
        ++made;
        Tally& tally = tallies[t.kind];
        ++tally.made;
        const std::string text = print(edited), said = compile(c, edited, text);
        if (said.empty()) {
            m = std::move(edited);
            continue;
        }
        const bool crashed = is_crash(said);
        ++(crashed ? tally.crashed : tally.refused);
        static const std::regex kLine(", line ([0-9]+); *([^\n]*)");
        std::smatch match;
        const bool placed = std::regex_search(said, match, kLine);
        const std::string reason = without_names(placed ? match[2].str() : said.substr(0, 200));
        ++tally.count[reason];
        tally.reasons.try_emplace(
            reason,
            (placed ? match[2].str() + " | " + line_of(text, std::stoi(match[1])) : said.substr(0, 300)) +
                fmt::format(" | {} seed {}", source.file, seed)
        );
    }
}

void try_edits(
    const Compiler& c, const Source& source, uint64_t seed, std::map<std::string, Tally>& tallies
) {
    const std::vector<std::string> kinds = edits_together(c, source.module, seed);
    for (const std::string& kind : kinds) ++tallies[kind].made;
    if (kinds.empty()) try_one_by_one(c, source, seed, tallies);
}

std::vector<Source> sources(const Compiler& c, int argc, char** argv) {
    std::vector<Source> out;
    for (int i = 4; i < argc; ++i) {
        try {
            Module m = parse(read_text_file(argv[i]));
            if (compile(c, m, print(m)).empty()) out.push_back({argv[i], std::move(m)});
        } catch (const Error&) { continue; }
    }
    return out;
}

int run(int argc, char** argv) {
    if (argc < 5) {
        fmt::print("usage: edit_ptxas PTXAS MODULES SEED FILE...\n");
        return 2;
    }
    std::string folder = (std::filesystem::temp_directory_path() / "edit_ptxas_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return 2;
    const Compiler c{argv[1], folder};
    const std::vector<Source> all = sources(c, argc, argv);
    std::map<std::string, Tally> tallies;
    const uint64_t first = std::stoull(argv[3]), modules = std::stoull(argv[2]);
    for (uint64_t k = 0; k < modules && !all.empty(); ++k)
        try_edits(c, all[k % all.size()], first + k, tallies);
    std::filesystem::remove_all(folder);
    size_t made = 0, refused = 0, crashed = 0;
    for (const auto& [kind, tally] : tallies) {
        fmt::print(
            "{:16} {:6} made, {:4} refused by ptxas, {:4} crashed it\n",
            kind,
            tally.made,
            tally.refused,
            tally.crashed
        );
        for (const auto& [reason, statement] : tally.reasons)
            fmt::print("    {} times: {}\n", tally.count.at(reason), statement);
        made += tally.made, refused += tally.refused, crashed += tally.crashed;
    }
    fmt::print(
        "{} files that ptxas takes, {} edits, {} refused by ptxas, {} on which it crashed\n",
        all.size(),
        made,
        refused,
        crashed
    );
    return refused == 0 && made != 0 ? 0 : 1;
}

}  // namespace
}  // namespace wl::ptx

int main(int argc, char** argv) {
    try {
        return wl::ptx::run(argc, argv);
    } catch (const std::exception& e) { return std::fprintf(stderr, "edit_ptxas: %s\n", e.what()), 2; }
}
