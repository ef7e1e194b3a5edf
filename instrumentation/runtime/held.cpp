// Another order of the program's work that CUDA allows: each operation waits until somebody waits for it, or
// for what comes after it; of those that may come next one of the latest is taken.
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/ordering.h"
#include "instrumentation/runtime/residents.h"

#include <algorithm>
#include <utility>

namespace wl::runtime {
namespace {

// The next by an order that the seed chooses: mostly the one that was issued last.
uint64_t next_random(uint64_t& state) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // xorshift64, Marsaglia 2003
    return state;
}

bool comes_after(const order::Operation& one, const order::Operation& other) {
    return order::holds(one.before, other.at);
}

// One piece of what is held and among this, after which nothing that comes before it is held. False: there is
// none.
bool do_next(Machine& m, const order::Clock* until) {
    auto& held = m.ordering.held;
    std::vector<size_t> ready;
    for (size_t k = 0; k < held.size(); ++k) {
        const order::Operation& o = *held[k].operation;
        if (until != nullptr && !order::holds(*until, o.at)) continue;
        const bool waits = std::any_of(held.begin(), held.end(), [&](const Held& other) {
            return other.operation->at != o.at && comes_after(o, *other.operation);
        });
        if (!waits && !is_behind_resident(m, o) && has_room(m, held[k].most_blocks)) ready.push_back(k);
    }
    if (ready.empty()) return false;
    if (m.ordering.random == 0) m.ordering.random = std::max<uint64_t>(m.settings.hold, 1);
    const bool last = m.settings.hold == 1 || next_random(m.ordering.random) % 4 != 0;
    const size_t chosen = m.settings.hold == 0 ? ready.front()
        : last                                 ? ready.back()
               : ready[static_cast<size_t>(next_random(m.ordering.random) % ready.size())];
    const Held now = std::move(held[chosen]);
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(chosen));
    const InStream issued(*now.operation);
    now.work();
    return true;
}

}  // namespace

bool holds_back(const Machine& m) {
    return (m.settings.hold != 0 && m.settings.races) || has_residents(m) || !m.ordering.held.empty();
}

void hold(Machine& m, order::OperationPointer operation, std::function<void()> work, uint64_t most_blocks) {
    m.ordering.held.push_back({std::move(operation), std::move(work), most_blocks});
    if (m.settings.hold != 0) return;  // else only what comes after a launch that waits is held
    while (do_next(m, nullptr)) {}
}

void do_held(Machine& m, const order::Clock& until) {
    for (;;) {
        while (do_next(m, &until)) {}
        if (go_on(m, until)) {
            const bool left = std::any_of(m.ordering.held.begin(), m.ordering.held.end(), [&](const Held& h) {
                return order::holds(until, h.operation->at);
            });
            if (!left) return;
        }
        // What is left comes after launches that wait, or is one: other work that the device may do may help
        // them.
        if (do_next(m, &until) || do_next(m, nullptr)) continue;
        if (!has_residents(m)) return;
        if (is_resident(m, until))
            give_up(m, until);
        else
            end_residents(m);  // what is held has no room beside them, or comes after one
    }
}

bool is_done(Machine& m, const order::Clock& until) {
    for (;;) {
        while (do_next(m, &until)) {}
        if (go_on(m, until)) return true;
        if (!do_next(m, nullptr)) return false;
    }
}

bool is_stream_done(Machine& m, order::Handle stream) {
    if (!has_residents(m)) return true;
    order::Timelines waited = m.ordering.timelines;
    order::wait_for_stream(waited, stream);
    return is_done(m, waited.host);
}
bool is_event_done(Machine& m, order::Handle event) {
    if (!has_residents(m)) return true;
    order::Timelines waited = m.ordering.timelines;
    order::wait_for_event(waited, event);
    return is_done(m, waited.host);
}
void do_held(Machine& m) {
    order::Clock all = m.ordering.timelines.host;
    for (const Held& h : m.ordering.held) order::add(all, h.operation->at);
    do_held(m, all);
}

}  // namespace wl::runtime
