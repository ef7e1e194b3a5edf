// Work that waits until somebody looks at what it leaves: launches that were executed before with the same
// parameters, as in a timing loop, and the fills, copies, products and frees between them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>

namespace wl::runtime {

struct Machine;
struct Kernel;
struct Request;
struct Repeats;

struct DeferredWork {
    std::deque<std::function<void()>> work;  // in the order in which the program asked for it
    std::set<uint64_t> freed;                // allocations that it gives back
    bool doing = false;                      // what waited is being done
    bool over = false;                       // the process ends: nothing waits any more
};

// Whether the launch can wait without anybody being able to tell: it was executed before with the same
// parameters and nothing was seen, it neither prints nor stops the device, and no kernel was ever given an
// address of memory that the host sees without a copy.
bool can_wait(const Machine& machine, const Kernel& kernel, const Repeats& repeats);

bool is_waiting(const Machine& machine);
void defer(Machine& machine, std::function<void()> work);
// Of work that may be about any memory: done at once where the host sees some of it.
void put_off_unless_seen(Machine& machine, std::function<void()> work);

// Does what waits. `seconds`: begins nothing more behind them.
void catch_up(Machine& machine);
void catch_up_for(Machine& machine, double seconds);

}  // namespace wl::runtime
