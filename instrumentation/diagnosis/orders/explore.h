// Other schedules of a launch, and what they change: which elements of which outputs and tiles come out
// otherwise than in schedule 0, and by how much. First of all those that bring each pair of racing accesses
// into the one order and into the other.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/emulator/global/explore.h"

#include <cstdint>
#include <optional>
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
    double largest = 0;      // difference, over changed elements that are finite in both
    int64_t odd = 0;         // changed elements that are NaN or infinite in one of the two
    int64_t first = 0;       // changed element, linear
    double was = 0, is = 0;  // that element in schedule 0, and now
    bool wanted = true;      // false: an output that the manifest compares with nothing
    bool rounding = false;   // no further apart than sums whose terms come in another order
};

struct TriedSchedule {
    uint64_t seed = 0;
    std::string order;  // "block (0,0,0), warp 1 at turn.cu:13 before ..."; empty: not a directed one
    std::optional<emulator::PairOrder> pair = {};
    bool in_order = true;  // false: that order could not be had, something else orders the two
    bool finished = true;  // false: deadlock, endless loop or trap
    bool changed = false;  // its outputs differ from those of schedule 0, or it ends otherwise
    // Changed, and it does so in a run that takes tiles, too, where marks make warps meet: it shows in a
    // capture of `warplens run`. Known of the first few, and of one such schedule if there is one.
    bool shows_in_captures = false;
    std::vector<Change> outputs;
    std::vector<Change> tiles;  // at marks, which make warps meet; of the first few schedules that change
};

struct Exploration {
    uint64_t schedules = 0;            // tried beside schedule 0
    uint64_t directed = 0;             // of them: made to bring two accesses into an order
    uint64_t pairs = 0;                // of accesses that nothing orders
    uint64_t pairs_both_ways = 0;      // of them: had in both orders
    std::vector<TriedSchedule> tried;  // directed ones first
};

// Whether it shows that what the launch leaves depends on the schedule: more than rounding, and where the
// manifest does not say that nobody compares it.
bool depends(const TriedSchedule& tried);

// Those whose outputs differ, or that do not end: those that show in captures first, by seed.
std::vector<const TriedSchedule*> changed(const Exploration& exploration);

// Pairs come from the races among `seen`, with the warps and lanes of the witness; the seeds behind them are
// 1, 2, 3, ... On one thread each, so that a seed gives the same again. Of a sequence later launches run
// in schedule 0, and the outputs are those after the last. Throws Cancelled.
Exploration explore(
    const Experiment& experiment, const std::vector<execution::Incident>& seen, uint64_t schedules
);

// "3 of 64 elements, by up to 0.5, 1 of them NaN or infinite in one of the two".
std::string extent_of(const Change& change);

// "64 other schedules ...": what the exploration says of the launch, in one sentence.
std::string outcome(const Exploration& exploration);
// How many pairs of accesses came in both orders, in words; empty: there is none.
std::string pairs_text(const Exploration& exploration);

}  // namespace wl::diagnosis
