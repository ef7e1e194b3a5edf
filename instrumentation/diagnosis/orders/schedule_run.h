// A launch in one schedule, what it leaves, and where that differs from what another one leaves. Internal to
// the exploration.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/orders/explore.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace wl::diagnosis {

using TileKey = std::tuple<int, int64_t, int, int>;  // mark, block, warp, iteration

struct Result {
    std::vector<std::vector<std::byte>> outputs;
    std::map<TileKey, execution::TileSnapshot> tiles;
    bool finished = true, in_order = true;
};

struct Explorer {
    const Experiment& experiment;
    const emulator::Program& program;
    emulator::ScheduleSpace space;
    execution::Contest contest;  // without `met`
};

struct ScheduleRun {
    uint64_t seed = 0;
    bool marks = false;       // takes tiles
    bool exact_sums = false;  // RunOptions::exact_sums
};
Result run_schedule(const Explorer& x, const ScheduleRun& of);

// Bits decide whether an element changed; `elements` == 0: the two cannot be compared.
Change difference(DType type, const std::vector<std::byte>& before, const std::vector<std::byte>& after);
// Outputs with changes.
std::vector<Change> compare_outputs(const Explorer& x, const Result& base, const Result& other);

// Schedule 0; with exact sums once that was asked for.
struct Plain {
    Result result;
    std::optional<Result> exact;
};
// Fills Change::rounding: whether the difference goes when atomic sums are exact; where sections or flags
// order sums, whether it is no larger than what n terms in another order give, n being the launch's warps.
void judge_rounding(
    const Explorer& x, Plain& base, uint64_t seed, const Result& other, std::vector<Change>& changes
);

}  // namespace wl::diagnosis
