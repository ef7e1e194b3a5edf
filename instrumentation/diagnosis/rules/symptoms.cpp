// What a diagnosis begins with.
#include "instrumentation/diagnosis/rules/symptoms.h"

#include "instrumentation/analysis/verdict.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/execution/reach.h"

#include <algorithm>

namespace wl::diagnosis {

namespace {

// A counterfactual may take this many times the instructions of an average block of the unedited run: enough
// for a loop made one turn longer, little enough that a loop made endless costs nothing.
constexpr double kBudgetFactor = 4;
// Of a run that came to no end there is no average: as much as a block of the lineage's mission shape takes.
constexpr uint64_t kBudgetOfEndless = uint64_t{1} << 20;

}  // namespace

Symptoms symptoms_of(
    Prover& prover, const capture::Capture& c, const std::vector<emulator::Incident>& incidents
) {
    const Experiment& e = prover.experiment;
    const ptx::Function& entry = entry_of(e.module, e.entry);
    Symptoms s{e, c, incidents, entry, prover, {}, analysis::first_bad_tile(c), {}, 0, 0};
    const auto first = static_cast<int>(&entry - e.module.functions.data());
    for (const int f : execution::reachable_functions(e.module, first))
        s.functions.push_back(static_cast<size_t>(f));
    if (!c.records.empty()) s.block = c.records.front().block;
    if (s.first_bad >= 0) {
        const capture::Tile& tile = c.tiles[static_cast<size_t>(s.first_bad)];
        s.bad_tile = analysis::load_tile(c, tile);
        if (tile.block != capture::kWholeLaunch) s.block = tile.block;
    }
    s.budget = static_cast<uint64_t>(
                   kBudgetFactor * counter(c, "warp_instructions") /
                   static_cast<double>(std::max<int64_t>(1, c.covered.blocks))
               ) +
        100000;
    if (counter(c, "warp_instructions") == 0) s.budget = kBudgetOfEndless;  // a device does not count them
    if (is_endless(incidents)) s.budget = std::min(s.budget, kBudgetOfEndless);
    return s;
}

double counter(const capture::Capture& c, const char* name) {
    const auto it = std::find_if(c.counters.begin(), c.counters.end(), [&](const auto& entry) {
        return entry.first == name;
    });
    return it == c.counters.end() ? 0 : it->second;
}

}  // namespace wl::diagnosis
