// conformance_tool: writes the bundle that a GPU machine runs, and stores what came back.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "tests/conformance/bundle.h"
#include "tests/conformance/grade.h"
#include "tests/conformance/pool.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace wl::conformance {
namespace {

constexpr std::string_view kUsage =
    "usage: conformance_tool bundle FOLDER GOLDEN [PTXAS] [all]   the cases without a stored result (or "
    "all)\n"
    "       conformance_tool store BUNDLE RESULTS GOLDEN         put results into tests/golden/ptx\n"
    "       conformance_tool list GOLDEN                         rows of the table and their cases\n"
    "       conformance_tool grade GOLDEN [FAMILY]               the emulator's cases that are not equal\n"
    "       conformance_tool notes GOLDEN                        writes not_yet.txt and no_golden.txt in "
    "GOLDEN anew\n"
    "       conformance_tool seeds FOLDER                        a kernel of every row as PTX, for the "
    "fuzzer\n";

struct FamilyCases {
    std::string file;
    std::vector<Case> cases;
};

// Unique by name: of two rows that span one mnemonic the decoder takes the first.
std::vector<FamilyCases> all_cases() {
    std::vector<FamilyCases> families;
    std::set<std::string> names;
    for (const ptx::Family& family : ptx::families()) {
        FamilyCases& f = families.emplace_back();
        f.file = slug(family.title) + ".golden";
        for (const ptx::Form& form : family.forms)
            for (Case& c : cases_of(form))
                if (names.insert(c.name).second) f.cases.push_back(std::move(c));
    }
    return families;
}

void bundle(const std::string& folder, const std::string& golden, const std::string& ptxas, bool all) {
    std::filesystem::create_directories(folder);
    std::filesystem::create_directories(golden);
    const std::vector<FamilyCases> families = all_cases();
    std::vector<const Case*> wanted;
    for (const FamilyCases& f : families) {
        const Golden stored = read_golden(golden + "/" + f.file);
        for (const Case& c : f.cases) {
            const auto answer = stored.answers.find(c.name);
            const bool known = (answer != stored.answers.end() && answer->second.hash == hash_of(c)) ||
                stored.refused.count(c.name);
            if (all || !known) wanted.push_back(&c);
        }
    }
    // What may fault or hang comes last, so that it cannot take others along.
    std::stable_partition(wanted.begin(), wanted.end(), [](const Case* c) { return !c->risky; });
    Messages refused;
    const Assembler assembler{ptxas, folder};
    const std::vector<const Case*> cases = accepted(assembler, wanted, refused);
    write_bundle(assembler, cases);
    for (const FamilyCases& f : families) {
        Golden stored = read_golden(golden + "/" + f.file);
        Messages kept;
        for (const Case& c : f.cases) {
            if (const auto now = refused.find(c.name); now != refused.end())
                kept.insert(*now);
            else if (const auto before = stored.refused.find(c.name); !all && before != stored.refused.end())
                kept.insert(*before);
        }
        if (stored.refused == kept) continue;
        stored.refused = std::move(kept);
        write_golden(golden + "/" + f.file, stored);
    }
    fmt::print("{} cases, {} refused by ptxas\n", cases.size(), refused.size());
}

int record_index(Golden& golden, const std::string& record) {
    const auto found = std::find(golden.records.begin(), golden.records.end(), record);
    if (found == golden.records.end()) golden.records.push_back(record);
    return static_cast<int>(
        std::find(golden.records.begin(), golden.records.end(), record) - golden.records.begin()
    );
}

void store(const std::string& bundle_folder, const std::string& results, const std::string& golden) {
    const nlohmann::json answers = nlohmann::json::parse(read_text_file(results + "/results.json"));
    const std::string bytes = concatenated_results(results), record = answers.at("record").dump();
    std::map<std::string, std::string> hashes;  // of the cases that were run
    const nlohmann::json listing = nlohmann::json::parse(read_text_file(bundle_folder + "/cases.json"));
    for (const auto& c : listing.at("cases")) hashes[c.at("name")] = c.at("hash");
    size_t stored = 0, failed = 0;
    for (const FamilyCases& f : all_cases()) {
        Golden g = read_golden(golden + "/" + f.file);
        Golden kept{g.records, {}, g.refused, {}};
        bool any = false;
        for (const Case& c : f.cases) {
            const auto& result = answers.at("cases").value(c.name, nlohmann::json());
            const auto old = g.answers.find(c.name);
            const bool ran = !result.is_null() && std::stoull(hashes.at(c.name), nullptr, 16) == hash_of(c);
            any = any || ran;
            if (ran && result.at("status") == "ok" && result.at("bytes") == compared_bytes(c)) {
                const auto* at =
                    reinterpret_cast<const std::byte*>(bytes.data()) + size_t(result.at("offset"));
                kept.answers[c.name] = {
                    hash_of(c), record_index(kept, record), {at, at + size_t(result.at("bytes"))}
                };
                ++stored;
            } else if (ran) {
                kept.failed[c.name] = result.at("status");
                ++failed;
            } else if (old != g.answers.end() && old->second.hash == hash_of(c)) {
                kept.answers[c.name] = old->second;
            } else if (const auto before = g.failed.find(c.name); before != g.failed.end()) {
                kept.failed.insert(*before);
            }
        }
        if (any) write_golden(golden + "/" + f.file, kept);
    }
    fmt::print("{} results stored, {} cases failed on the GPU\n", stored, failed);
}

void list(const std::string& golden) {
    size_t rows = 0, served = 0, answered = 0, cases = 0;
    fmt::print("cases answered refused failed\n");
    for (const ptx::Family& family : ptx::families()) {
        const Golden stored = read_golden(golden + "/" + slug(family.title) + ".golden");
        for (const Grade& g : grade(family, stored, false)) {
            size_t refused = 0, failed = 0;
            for (const Case& c : cases_of(*g.form))
                refused += stored.refused.count(c.name), failed += stored.failed.count(c.name);
            ++rows, served += g.generated > 0, answered += g.cases > 0, cases += g.generated;
            fmt::print("{:5} {:8} {:7} {:6} {}\n", g.generated, g.cases, refused, failed, key_of(*g.form));
        }
    }
    fmt::print("{} rows, {} with cases, {} with answers, {} cases\n", rows, served, answered, cases);
}

void grade_all(const std::string& golden, const std::string& only) {
    size_t forms = 0, passing = 0, differing = 0, unsupported = 0;
    for (const ptx::Family& family : ptx::families()) {
        const std::string file = slug(family.title);
        if (!only.empty() && file != only) continue;
        for (const Grade& g : grade(family, read_golden(golden + "/" + file + ".golden"))) {
            if (g.cases == 0) continue;
            ++forms, passing += g.unsupported + g.differing == 0, differing += g.differing > 0;
            unsupported += g.unsupported > 0;
            if (g.lines.empty()) continue;
            fmt::print("{} : {}\n", key_of(*g.form), shortfall(g));
            for (const std::string& line : g.lines) fmt::print("    {}\n", line);
        }
    }
    fmt::print(
        "{} forms: {} equal, {} differ, {} have unsupported cases\n", forms, passing, differing, unsupported
    );
}

void write_notes(const std::string& golden) {
    std::ostringstream differing, missing;
    differing
        << "# Forms that the emulator does not answer as the GPU does, and how many of their cases. May "
           "only shrink.\n# Written by `conformance_tool notes`; all other forms are equal, bit for bit or "
           "within bounds.h.\n";
    missing << "# Forms without an answer of a GPU, and why. May only shrink: `conformance_tool notes` drops "
               "those that have one.\n";
    const auto reasons = read_notes(golden + "/no_golden.txt");
    for (const ptx::Family& family : ptx::families())
        for (const Grade& g : grade(family, read_golden(golden + "/" + slug(family.title) + ".golden"))) {
            const std::string key = key_of(*g.form), why = shortfall(g);
            if (!why.empty()) differing << key << " : " << why << "\n";
            if (const auto reason = reasons.find(key); g.cases == 0 && reason != reasons.end())
                missing << key << " : " << reason->second << "\n";
        }
    std::ofstream(golden + "/not_yet.txt") << differing.str();
    std::ofstream(golden + "/no_golden.txt") << missing.str();
}

// Kernels of one row differ by mnemonic and operands: the first and the last span most of it.
void write_seeds(const std::string& folder) {
    std::filesystem::create_directories(folder);
    size_t written = 0;
    for (const FamilyCases& family : all_cases()) {
        for (size_t k = 0; k < family.cases.size(); ++k) {
            const auto form = [&](size_t at) { return family.cases[at].form; };
            const bool inner = k > 0 && form(k - 1) == form(k);
            if (inner && k + 1 < family.cases.size() && form(k + 1) == form(k)) continue;
            const Case& c = family.cases[k];
            std::ofstream(fmt::format("{}/{:016x}.ptx", folder, hash_of(c)))
                << module_header() << entry_text(c, "k");
            ++written;
        }
    }
    fmt::print("{} kernels written\n", written);
}

}  // namespace
}  // namespace wl::conformance

int main(int argc, char** argv) {
    using namespace wl::conformance;
    const std::vector<std::string> args(argv + 1, argv + argc);
    try {
        if (args.size() >= 3 && args[0] == "bundle")
            bundle(
                args[1], args[2], args.size() > 3 ? args[3] : "ptxas", args.size() > 4 && args[4] == "all"
            );
        else if (args.size() == 4 && args[0] == "store")
            store(args[1], args[2], args[3]);
        else if (args.size() >= 2 && args[0] == "grade")
            grade_all(args[1], args.size() > 2 ? args[2] : "");
        else if (args.size() == 2 && args[0] == "notes")
            write_notes(args[1]);
        else if (args.size() == 2 && args[0] == "seeds")
            write_seeds(args[1]);
        else if (args.size() == 2 && args[0] == "list")
            list(args[1]);
        else
            return fmt::print(stderr, "{}", kUsage), 2;
    } catch (const std::exception& e) { return fmt::print(stderr, "conformance_tool: {}\n", e.what()), 2; }
    return 0;
}
