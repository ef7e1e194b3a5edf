// Another order of the program's work that CUDA allows: each operation waits until somebody waits for it, or
// for what comes after it; of those that may come next one of the latest is taken.
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/ordering.h"

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

}  // namespace

bool holds_back(const Machine& m) { return m.settings.hold != 0 && m.settings.races; }

void hold(Machine& m, order::OperationPointer operation, std::function<void()> work) {
    if (m.ordering.random == 0) m.ordering.random = m.settings.hold;
    m.ordering.held.push_back({std::move(operation), std::move(work)});
}

void do_held(Machine& m, const order::Clock& until) {
    auto& held = m.ordering.held;
    for (;;) {
        std::vector<size_t> ready;
        for (size_t k = 0; k < held.size(); ++k) {
            const order::Operation& o = *held[k].operation;
            if (!order::holds(until, o.at)) continue;
            const bool waits = std::any_of(held.begin(), held.end(), [&](const Held& other) {
                return other.operation->at != o.at && comes_after(o, *other.operation);
            });
            if (!waits) ready.push_back(k);
        }
        if (ready.empty()) return;
        const bool last = m.settings.hold == 1 || next_random(m.ordering.random) % 4 != 0;
        const size_t chosen =
            last ? ready.back() : ready[static_cast<size_t>(next_random(m.ordering.random) % ready.size())];
        const Held now = std::move(held[chosen]);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(chosen));
        const InStream issued(*now.operation);
        now.work();
    }
}

void do_held(Machine& m) {
    order::Clock all = m.ordering.timelines.host;
    for (const Held& h : m.ordering.held) order::add(all, h.operation->at);
    do_held(m, all);
}

}  // namespace wl::runtime
