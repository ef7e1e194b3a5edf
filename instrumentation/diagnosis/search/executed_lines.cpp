// Which lines are executed, and how often loops go round.
#include "instrumentation/diagnosis/search/executed_lines.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/watch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

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

// Reads and writes of what is not a thread's own; 0: none, else the line's first, second, ...
std::vector<int> accesses_of_sites(const execution::Listing& listing, const std::vector<int>& line_of) {
    std::map<int, int> of_line;
    std::vector<int> out;
    for (size_t k = 0; k < line_of.size(); ++k) {
        const std::string& text = listing.sites[k].text;
        const std::string_view op(
            text.begin() + (text.starts_with('@') ? text.find(' ') + 1 : 0), text.end()
        );
        const bool access = op.starts_with("ld.") || op.starts_with("st.") || op.starts_with("atom.") ||
            op.starts_with("red.");
        const auto has = [&](const char* word) { return op.find(word) != op.npos; };
        const bool own = has(".local") || has(".param") || has("%SP");
        out.push_back(access && !own && line_of[k] > 0 ? ++of_line[line_of[k]] : 0);
    }
    return out;
}

// How often warps come back to where a loop begins, one after another.
struct Turns {
    std::vector<uint8_t> branches = {}, heads = {};                    // by site
    std::map<uint32_t, uint64_t> most = {};                            // by head
    std::map<uint32_t, std::set<std::pair<int64_t, int>>> goers = {};  // by head
    struct OfWarp {
        uint32_t last = 0;
        std::map<uint32_t, uint64_t> now = {};
    };
    std::map<const emulator::Warp*, OfWarp> warps = {};
};

void look(Turns& turns, const emulator::Warp& w, uint32_t site) {
    Turns::OfWarp& warp = turns.warps[&w];
    const bool back = turns.branches[warp.last] != 0 && site < warp.last;
    warp.last = site;
    if (back) {
        turns.heads[site] = 1;
        uint64_t& most = turns.most[site];
        most = std::max(most, ++warp.now[site]);
        turns.goers[site].emplace(w.block->now.index, w.index);
    } else if (turns.heads[site] != 0) {
        warp.now[site] = 0;
    }
}

Turns turns_of(const execution::Listing& listing) {
    Turns out;
    for (const capture::Site& site : listing.sites)
        out.branches.push_back(site.text.find("bra") != std::string::npos ? 1 : 0);
    out.heads.resize(out.branches.size());
    return out;
}

}  // namespace

ExecutedLines lines_executed(const Watched& w, const ptx::Module& module, Text text) {
    const Experiment& e = w.prover.experiment;
    try {
        const auto program = emulator::lower(module, e.entry);
        const std::vector<int> line_of = lines_of_sites(module, emulator::listing(*program), w.unit, text);
        ExecutedLines out;
        std::vector<uint8_t> seen(line_of.size());
        Turns turns = turns_of(emulator::listing(*program));
        Looks looks;
        looks.before = [&](emulator::Warp& warp, const emulator::Instr*, uint32_t site) {
            seen[site] = 1, ++out.instructions;
            look(turns, warp, site);
            return true;
        };
        const uint64_t wanted =
            w.blocks.empty() ? count(inputs_of(w.prover, 0).prepared.launch.grid) : w.blocks.size();
        const int64_t done = watch(w.prover, {module, *program, 0, w.blocks, kMostInstructions}, looks);
        if (static_cast<uint64_t>(done) != wanted) return {};
        const std::vector<int> access_of = accesses_of_sites(emulator::listing(*program), line_of);
        for (size_t site = 0; site < seen.size(); ++site) {
            if (seen[site] == 0 || line_of[site] <= 0) continue;
            out.lines.insert(line_of[site]);
            if (access_of[site] > 0) out.accesses.emplace(line_of[site], access_of[site]);
        }
        for (const auto& [head, most] : turns.most)
            if (line_of[head] > 0) out.turns[line_of[head]] = std::max(out.turns[line_of[head]], most);
        for (auto& [head, goers] : turns.goers)
            if (line_of[head] > 0) out.goers[line_of[head]].merge(goers);
        return out;
    } catch (const Error&) { return {}; } catch (const Unsupported&) {
        return {};
    }
}

}  // namespace wl::diagnosis
