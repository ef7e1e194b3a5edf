// The acceptance of one kernel at one shape: right everywhere, silent, and inside its authors' limits.
#pragma once

#include "instrumentation/analysis/banks.h"
#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/launch_limits.h"
#include "instrumentation/diagnosis/resources.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Acceptance {
    capture::Capture run;  // verdict, outputs, tiles, findings of the checked run
    AcceptLimits limits;
    Resources resources;
    analysis::AccessTotal shared_accesses;   // wavefronts, in the counted blocks
    int64_t counted = 0;                     // blocks in which shared-memory accesses were counted
    double max_difference = 0, allowed = 0;  // of the output that lies worst against its limit
    int64_t nan = 0;                         // in all outputs
    int64_t tiles = 0, bad_tiles = 0;        // compared, of all blocks, without outputs
    int first_bad = -1;                      // index in run.tiles
    std::vector<std::string> objections;     // why it is not accepted; empty: it is
    uint64_t shared() const { return uint64_t{run.launch.dynamic_shared} + run.launch.static_shared; }
};

// Runs with every check, compares every tile, then counts shared-memory wavefronts in up to eight blocks
// spread over the grid. What cannot be run is run.verdict "unsupported". Throws Error and Cancelled as run
// does.
Acceptance accept(const manifest::Problem& problem, const AcceptLimits& limits, const Options& options);

}  // namespace wl::diagnosis
