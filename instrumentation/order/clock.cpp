// Few timelines: a sorted list.
#include "instrumentation/order/clock.h"

#include <algorithm>

namespace wl::order {
namespace {

auto place_of(auto& clock, Timeline timeline) {
    return std::lower_bound(clock.seen.begin(), clock.seen.end(), timeline, [](const Moment& m, Timeline t) {
        return m.timeline < t;
    });
}

}  // namespace

bool holds(const Clock& clock, const Moment& moment) {
    const auto found = place_of(clock, moment.timeline);
    return found != clock.seen.end() && found->timeline == moment.timeline && found->number >= moment.number;
}

void add(Clock& into, const Moment& moment) {
    const auto found = place_of(into, moment.timeline);
    if (found != into.seen.end() && found->timeline == moment.timeline)
        found->number = std::max(found->number, moment.number);
    else
        into.seen.insert(found, moment);
}

void join(Clock& into, const Clock& from) {
    for (const Moment& m : from.seen) add(into, m);
}

}  // namespace wl::order
