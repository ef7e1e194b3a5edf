// Looking through what is known of a block, then running on behind it.
#include "instrumentation/travel/trace.h"

#include "instrumentation/travel/instant.h"

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
    Trace& trace = route.trace;
    for (const StraightRun& run : trace.runs) {
        if (warp >= 0 && run.first.warp != warp) continue;
        for (uint32_t k = 0; k < run.length; ++k)
            if (stop(instant(run, k), false)) return true;
    }
    if (trace.complete) return false;
    const bool stopped = emulator::run_from(*route.traveller, trace.end, -1, [&](const Here& here) {
        keep(trace, here);
        return (warp < 0 || here.warp == warp) && stop(here, true);
    });
    trace.complete = !stopped && !is_full(trace);
    return stopped;
}

}  // namespace wl::travel
