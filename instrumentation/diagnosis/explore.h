// Other schedules of a launch, and what they change: which elements of which outputs and tiles come out
// otherwise than in schedule 0, and by how much.
#pragma once

#include "instrumentation/diagnosis/run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

// Elements of one output, or of one tile, that differ from schedule 0.
struct Change {
    std::string name;    // of the output or the tile
    int64_t block = -1;  // tiles: linear; -1: an output
    int warp = -1;       // tiles of a warp
    int iteration = 0;
    int64_t elements = 0, changed = 0;
    double largest = 0;      // difference, over elements that are finite in both
    int64_t first = 0;       // changed element, linear
    double was = 0, is = 0;  // that element in schedule 0, and now
};

struct TriedSchedule {
    uint64_t seed = 0;
    bool finished = true;  // false: deadlock, endless loop or trap
    std::vector<Change> outputs;
};

struct Exploration {
    uint64_t schedules = 0;              // tried beside schedule 0
    uint64_t directed = 0;               // of them: made to turn the accesses of a race round
    std::vector<TriedSchedule> changed;  // by seed: those whose outputs differ, or that do not end
    std::vector<Change> tiles;           // of the first of `changed`, at marks
};

// Warps to delay come from the races among `findings`; the seeds behind them are 1, 2, 3, ... On one thread
// each, so that a seed gives the same again. Throws Cancelled.
Exploration explore(
    const Experiment& experiment, const std::vector<capture::Finding>& findings, uint64_t schedules
);

// Every check that needs no reference, and other schedules: a capture with its findings.
struct Hazards {
    capture::Capture capture;
    Exploration exploration;
};
Hazards find_hazards(manifest::Problem problem, Options options, uint64_t schedules);

// "64 schedules were tried ...": what the exploration says of the launch, in one sentence.
std::string outcome(const Exploration& exploration);

}  // namespace wl::diagnosis
