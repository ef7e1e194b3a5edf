// What is said of a launch whose outputs depend on the schedule though no accesses race: polling without an
// order, slots that atomics hand out, first come, first served.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/orders/explore.h"
#include "instrumentation/execution/result.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// The finding of what the exploration shows, and the verdict that goes with it; nothing where races are found
// already. `met`: accesses of the pairs that it brought into order.
void add_order_finding(
    const Experiment& experiment,
    const Exploration& exploration,
    const std::vector<execution::Incident>& met,
    capture::Capture& capture
);

// A race shows where nothing happens to order its two accesses: a poll that sees what came later than it
// waits for orders more than it should. The first of a few other schedules in which accesses race, where the
// contest says that the launch's blocks or warps talk to each other; 0: none does. `instructions`: warp
// instructions in schedule 0.
uint64_t racing_schedule(
    const Experiment& experiment, const execution::Contest& contest, double instructions
);

// Runs the experiment's launch in some other schedules, where its contest says that these may decide and
// nothing else is found: both orders of reads and writes that met, then further ones. Notes what was not
// tried for want of budget.
void try_orders(const Experiment& experiment, const execution::Contest& contest, capture::Capture& capture);

// The same of a sequence, launch by launch: of launches of one entry the first.
using Contests = std::vector<std::pair<size_t, execution::Contest>>;  // by launch
uint64_t racing_schedule(const Experiment& experiment, const Contests& contests, double instructions);
void try_orders(const Experiment& experiment, const Contests& contests, capture::Capture& capture);

}  // namespace wl::diagnosis
