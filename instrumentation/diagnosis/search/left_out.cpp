// Which lines are executed, by a watcher that looks on.
#include "instrumentation/diagnosis/search/left_out.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/elsewhere.h"
#include "instrumentation/emulator/observe/watched_blocks.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>

namespace wl::diagnosis {
namespace {

constexpr uint64_t kMostInstructions = 2'000'000;  // of warps

// Of the unit, of each site; 0: of another file. What was compiled of the unit's own text, changed, has its
// lines.
std::vector<int> lines_of_sites(
    const ptx::Module& module, const execution::Listing& listing, const compile::Unit& unit, Text text
) {
    std::vector<std::optional<size_t>> files;
    for (const std::string& file : module.files) files.push_back(compile::file_named(unit, file));
    std::vector<int> out;
    for (const capture::Site& site : listing.sites) {
        int line = 0;
        if (site.line > 0 && site.source >= 0 && static_cast<size_t>(site.source) < files.size())
            if (const auto file = files[static_cast<size_t>(site.source)])
                line = text == Text::files ? compile::line_of(unit, {*file, site.line}).value_or(0)
                    : *file == 0           ? site.line
                                           : 0;
        out.push_back(line);
    }
    return out;
}

// What the statement that holds the token governs, and its `else`.
int end_of_governed(const rewrite::Source& s, const rewrite::Body& body, const rewrite::Statement& st) {
    int end = std::max(st.last, st.body_last);
    if (!s.is(end + 1, "else")) return end;
    if (s.is(end + 2, "{")) return s.at(end + 2).match;
    for (const rewrite::Statement& other : body.statements)
        if (other.first == end + 2) end = std::max(other.last, other.body_last);
    return end;
}

// Lines that the change may leave out: its own statements, with what they govern.
std::set<int> own_lines(const rewrite::Source& s, const rewrite::Rewrite& change) {
    std::set<int> out;
    for (const rewrite::Edit& e : change.edits)
        for (const rewrite::Body& body : s.bodies)
            for (const rewrite::Statement& st : body.statements) {
                const bool touches =
                    s.at(st.first).begin <= e.begin + e.length && s.at(st.last).end >= e.begin;
                if (!touches) continue;
                const int last = s.at(end_of_governed(s, body, st)).line;
                for (int line = s.at(st.first).line; line <= last; ++line) out.insert(line);
            }
    return out;
}

// A build that optimises counts in other ways than the source: it may have nothing left of a head whose loop
// it executes.
std::set<int> heads_of_loops(const rewrite::Source& s) {
    std::set<int> out;
    for (const rewrite::Body& body : s.bodies)
        for (const rewrite::Statement& st : body.statements)
            if (st.word == "for" || st.word == "while")
                for (int line = s.at(st.first).line; line <= s.at(st.last).line; ++line) out.insert(line);
    return out;
}

}  // namespace

std::set<int> lines_executed(
    Prover& prover,
    const ptx::Module& module,
    const compile::Unit& unit,
    Text text,
    const std::vector<int64_t>& blocks
) {
    const Experiment& e = prover.experiment;
    if (tries_on_device(e) || manifest::is_sequence(e.problem)) return {};
    try {
        const auto program = emulator::lower(module, e.entry);
        const std::vector<int> line_of = lines_of_sites(module, emulator::listing(*program), unit, text);
        const Inputs& inputs = inputs_of(prover, 0);
        Prepared prepared{execution::copy_of(inputs.prepared.memory), inputs.prepared.launch};
        const emulator::WatchedLaunch launch{module, *program, prepared.launch, prepared.memory};
        emulator::WatchedBlocks watched = emulator::watched_blocks(launch, 0);
        std::vector<uint8_t> seen(line_of.size());
        const auto& traits = watched.hooked.traits;
        watched.watcher.before = [&](emulator::Warp& w, const emulator::Instr* i) {
            seen[traits[emulator::code_index(*w.block, i)].site] = 1;
            return true;
        };
        const auto begun = [](const emulator::Block&) {};
        const auto goes_on = [](uint64_t, uint64_t) { return true; };
        const auto wanted = blocks.empty() ? count(prepared.launch.grid) : blocks.size();
        const int64_t done =
            emulator::run_watched(watched, launch, {blocks, kMostInstructions}, begun, goes_on);
        if (static_cast<uint64_t>(done) != wanted) return {};
        std::set<int> out;
        for (size_t site = 0; site < seen.size(); ++site)
            if (seen[site] != 0 && line_of[site] > 0) out.insert(line_of[site]);
        return out;
    } catch (const Error&) { return {}; } catch (const Unsupported&) {
        return {};
    }
}

std::vector<int> lines_left_out(
    const rewrite::Source& source,
    const rewrite::Rewrite& change,
    const std::set<int>& before,
    const std::set<int>& behind
) {
    if (before.empty() || behind.empty()) return {};
    std::set<int> kept = own_lines(source, change);
    kept.merge(heads_of_loops(source));
    std::vector<int> out;
    for (const int line : before)
        if (!behind.contains(line) && !kept.contains(line)) out.push_back(line);
    return out;
}

}  // namespace wl::diagnosis
