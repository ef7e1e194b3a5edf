// Vector clocks over what a device does in order. A timeline is a sequence of operations of which each is
// over before the next one begins: those of a stream, or of a branch of a graph.
#pragma once

#include <cstdint>
#include <vector>

namespace wl::order {

using Timeline = uint32_t;

// The operation of this number, from 1, of a timeline.
struct Moment {
    Timeline timeline = 0;
    uint64_t number = 0;
    bool operator==(const Moment&) const = default;
};

// What is over: of each timeline all operations up to one. By rising timeline.
struct Clock {
    std::vector<Moment> seen;
};

bool holds(const Clock& clock, const Moment& moment);
// What is over by either of them.
void join(Clock& into, const Clock& from);
void add(Clock& into, const Moment& moment);

}  // namespace wl::order
