// Looking through what is known of a block, then running on behind it.
#include "instrumentation/travel/trace.h"

#include <algorithm>

namespace wl::travel {
namespace {

using emulator::Here;

bool goes_on(const StraightRun& run, const Here& here) {
    const Here& first = run.first;
    return here.warp == first.warp && here.site == first.site + run.length && here.lanes == first.lanes &&
        here.depth == first.depth && here.epoch == first.epoch && here.order == first.order + run.length &&
        here.time == first.time + run.length;
}

Here instant(const StraightRun& run, uint32_t k) {
    Here here = run.first;
    here.site += k;
    here.order += k;
    here.nth += k;
    here.time += k;
    return here;
}

bool is_full(const Trace& trace) { return trace.runs.size() >= trace.most_bytes / sizeof(StraightRun); }

// The run that holds the instant; behind the last: their number.
size_t run_at(const Trace& trace, uint64_t order) {
    if (order >= trace.end) return trace.runs.size();
    const auto next =
        std::upper_bound(trace.runs.begin(), trace.runs.end(), order, [](uint64_t o, const StraightRun& r) {
            return o < r.first.order;
        });
    return static_cast<size_t>(next - trace.runs.begin()) - 1;
}

// Back through what the trace had no room for: what lies between two key frames is run.
bool look_beyond(Route& route, uint64_t order, int warp, const Look& stop) {
    const uint64_t known = route.trace.end;
    const std::vector<uint64_t> begins = emulator::key_frame_orders(*route.traveller);
    uint64_t end = order;
    for (size_t k = begins.size(); k-- > 0 && end > known;) {
        if (begins[k] >= end) continue;
        std::vector<Here> passed;
        emulator::run_from(*route.traveller, std::max(begins[k], known), -1, [&](const Here& here) {
            if (here.order < end && (warp < 0 || here.warp == warp)) passed.push_back(here);
            return here.order >= end;
        });
        for (size_t i = passed.size(); i-- > 0;)
            if (stop(passed[i], false)) return true;
        end = begins[k];
    }
    return false;
}

}  // namespace

void keep(Trace& trace, const Here& here) {
    if (here.order != trace.end || is_full(trace)) return;
    if (!trace.runs.empty() && goes_on(trace.runs.back(), here))
        ++trace.runs.back().length;
    else
        trace.runs.push_back({here, 1});
    ++trace.end;
}

bool each_instant(Route& route, int warp, const Look& stop) {
    return each_instant_from(route, 0, warp, stop);
}

bool each_instant_from(Route& route, uint64_t order, int warp, const Look& stop) {
    Trace& trace = route.trace;
    for (size_t r = run_at(trace, order); r < trace.runs.size(); ++r) {
        const StraightRun& run = trace.runs[r];
        if (warp >= 0 && run.first.warp != warp) continue;
        const auto before = static_cast<uint32_t>(order > run.first.order ? order - run.first.order : 0);
        for (uint32_t k = before; k < run.length; ++k)
            if (stop(instant(run, k), false)) return true;
    }
    if (trace.complete) return false;
    const uint64_t from = is_full(trace) ? std::max(order, trace.end) : trace.end;
    const bool stopped = emulator::run_from(*route.traveller, from, -1, [&](const Here& here) {
        keep(trace, here);
        return here.order >= order && (warp < 0 || here.warp == warp) && stop(here, true);
    });
    trace.complete = !stopped && !is_full(trace);
    return stopped;
}

bool each_instant_before(Route& route, uint64_t order, int warp, const Look& stop) {
    Trace& trace = route.trace;
    if (trace.end < order && !trace.complete && !is_full(trace))
        emulator::run_from(*route.traveller, trace.end, -1, [&](const Here& here) {
            keep(trace, here);
            return here.order >= order;
        });
    if (look_beyond(route, order, warp, stop)) return true;
    for (size_t r = std::min(run_at(trace, order) + 1, trace.runs.size()); r-- > 0;) {
        const StraightRun& run = trace.runs[r];
        if ((warp >= 0 && run.first.warp != warp) || run.first.order >= order) continue;
        for (auto k = static_cast<uint32_t>(std::min<uint64_t>(run.length, order - run.first.order));
             k-- > 0;)
            if (stop(instant(run, k), false)) return true;
    }
    return false;
}

bool look_on(Route& route, uint64_t instants) {
    Trace& trace = route.trace;
    if (trace.complete || is_full(trace)) return false;
    const uint64_t end = trace.end + instants;
    each_instant_from(route, trace.end, -1, [&](const Here& here, bool) { return here.order + 1 >= end; });
    return !trace.complete && !is_full(trace);
}

bool step(Route& route, int64_t steps) {
    const Here from = emulator::here(*route.traveller);
    const bool before = steps < 0 && static_cast<uint64_t>(-steps) > from.nth;
    const uint64_t to = from.nth + static_cast<uint64_t>(steps);
    if (!before && emulator::go_to_nth(*route.traveller, from.warp, to)) return true;
    if (!before) emulator::go_to(*route.traveller, from.order);
    return false;
}

}  // namespace wl::travel
