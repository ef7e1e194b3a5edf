// Launches that have begun and wait for what other work does: kernels of two streams that talk to each other,
// or a kernel that waits for a copy. Each has a thread of its own, of which one runs at a time: a launch runs
// until it ends or every block that has begun waits, then it is the next one's turn. So the order is the same
// in every run.
#pragma once

#include "instrumentation/order/timelines.h"

#include <functional>
#include <memory>
#include <string>

namespace wl::execution {
struct Listing;
}
namespace wl::runtime {

struct Machine;

// By instructions that poll, or order others: atomics, volatile and ordered accesses.
bool may_poll(const execution::Listing& listing);
// Whether other work may come while the launch is on the device.
bool has_company(const Machine& machine);

// Begins the launch; it has ended, or waits. `share`: of the device's room, that its blocks take at once.
// `most_blocks`: of the whole device.
struct ResidentLaunch {
    order::OperationPointer operation;
    uint64_t blocks = 0, most_blocks = 1;
    std::function<void()> work;
};
void begin_resident(Machine& machine, ResidentLaunch launch);
// Room for at least one of its blocks.
bool has_room(const Machine& machine, uint64_t most_blocks);

bool has_residents(const Machine& machine);
// What lies before them, and themselves, but for the operation.
order::Clock resident_clock(const Machine& machine, const order::Operation& but);
// Some that has not ended comes before the operation.
bool is_behind_resident(const Machine& machine, const order::Operation& operation);
// Those among this that wait.
bool is_resident(const Machine& machine, const order::Clock& until);
// Lets all go on in turn, until none can. False: some among `until` still wait.
bool go_on(Machine& machine, const order::Clock& until);
// Those among it end where they are, as nobody will do what they wait for. `why`: what else makes them end;
// empty: the host waits for them.
void give_up(Machine& machine, const order::Clock& until, const std::string& why = "");
// As before calls that change which memory there is.
void end_residents(Machine& machine, const std::string& why = "");

// Of the launch that this thread runs: it is to end where it is. `why` as above.
bool is_given_up(std::string& why);

}  // namespace wl::runtime
