// A queue, emptied from its front.
#include "instrumentation/runtime/deferred_work.h"

#include "instrumentation/runtime/machine.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace wl::runtime {
namespace {

bool is_at_once(const Machine& m) { return m.settings.first >= 0 || m.later.over || m.later.doing; }

bool has_managed(const Machine& m, const Module* module) {
    return std::any_of(m.symbols.begin(), m.symbols.end(), [&](const auto& s) {
        return s.second.module == module && s.second.managed != nullptr;
    });
}

}  // namespace

bool can_wait(const Machine& m, const Kernel& kernel, const Repeats& repeats) {
    if (is_at_once(m) || !repeats.calm || speaks(*kernel.module, kernel.entry) ||
        m.memory.global.heap != nullptr || m.memory.host_is_reached || has_managed(m, kernel.module))
        return false;
    return is_waiting(m) || !is_idle(repeats, m.memory);
}

bool is_waiting(const Machine& machine) { return !machine.later.work.empty() && !machine.later.doing; }

void defer(Machine& machine, std::function<void()> work) {
    if (is_at_once(machine))
        work();
    else
        machine.later.work.push_back(std::move(work));
}

void put_off_unless_seen(Machine& machine, std::function<void()> work) {
    const auto& regions = machine.memory.regions;
    if (std::none_of(regions.begin(), regions.end(), [](const auto& r) {
            return outside(r.second) != nullptr;
        }))
        return defer(machine, std::move(work));
    catch_up(machine);
    work();
}

void catch_up(Machine& machine) { catch_up_for(machine, std::numeric_limits<double>::infinity()); }

void catch_up_for(Machine& machine, double seconds) {
    DeferredWork& later = machine.later;
    if (later.doing || later.work.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    later.doing = true;
    while (!later.work.empty()) {
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
        const std::function<void()> work = std::move(later.work.front());
        later.work.pop_front();
        work();
    }
    later.doing = false;
    if (later.work.empty()) later.freed.clear();
}

}  // namespace wl::runtime
