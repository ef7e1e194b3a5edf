// Spans out of the events of one block; every question is answered by replaying them in order.
#include "instrumentation/analysis/timeline.h"

#include <algorithm>
#include <map>

namespace wl::analysis {
namespace {

using capture::Event;
using capture::EventKind;

// One warp's open spans while its events go by.
struct Lane {
    StageSpan stage;
    std::map<int, int> entered;  // stage -> how often
    std::vector<BarrierSpan> waits;
    uint32_t last = 0;
    bool exited = false;
};

void close_stage(Timeline& timeline, const StageSpan& span, uint32_t end) {
    if (end == span.begin && span.stage == -1) return;  // a kernel that begins with a mark
    timeline.stages.push_back(span);
    timeline.stages.back().end = end;
}

void enter_stage(Timeline& timeline, Lane& lane, const Event& event) {
    close_stage(timeline, lane.stage, event.time);
    const auto stage = static_cast<int>(event.value);
    lane.stage = {event.warp, stage, event.time, event.time, lane.entered[stage]++};
}

void release(Timeline& timeline, Lane& lane, const Event& event) {
    const auto wait = std::find_if(lane.waits.begin(), lane.waits.end(), [&](const BarrierSpan& span) {
        return span.barrier == static_cast<int>(event.address);
    });
    if (wait == lane.waits.end()) return;
    timeline.barriers.push_back(*wait);
    timeline.barriers.back().end = event.time;
    lane.waits.erase(wait);
}

void take(Timeline& timeline, Lane& lane, const Event& event) {
    lane.last = event.time;
    switch (event.kind) {
        case EventKind::stage: enter_stage(timeline, lane, event); break;
        case EventKind::barrier_arrive:
            lane.waits.push_back(
                {event.warp, event.time, event.time, static_cast<int>(event.address), event.site}
            );
            break;
        case EventKind::barrier_release: release(timeline, lane, event); break;
        case EventKind::exit: lane.exited = true; break;
        default: break;
    }
}

void add_tiles(Timeline& timeline, const capture::Capture& capture, int64_t block) {
    for (size_t i = 0; i < capture.tiles.size(); ++i)
        if (capture.tiles[i].block == block)
            timeline.tiles.push_back({static_cast<int>(i), static_cast<uint32_t>(capture.tiles[i].time)});
    std::stable_sort(
        timeline.tiles.begin(),
        timeline.tiles.end(),
        [](const TileInstant& a, const TileInstant& b) { return a.time < b.time; }
    );
}

template <class Span>
void sort_by_warp(std::vector<Span>& spans) {
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
        return a.warp != b.warp ? a.warp < b.warp : a.begin < b.begin;
    });
}

}  // namespace

Timeline timeline(const capture::Capture& capture, const capture::BlockRecord& record) {
    Timeline result;
    result.warps = record.warps;
    std::vector<Lane> lanes(static_cast<size_t>(record.warps));
    for (int warp = 0; warp < record.warps; ++warp) lanes[static_cast<size_t>(warp)].stage.warp = warp;
    result.instants.reserve(record.events.size());
    for (const Event& event : record.events) {
        result.end = std::max(result.end, event.time);
        if (result.instants.empty() || result.instants.back() != event.time)
            result.instants.push_back(event.time);
        take(result, lanes[event.warp], event);
    }
    for (const Lane& lane : lanes) {
        close_stage(result, lane.stage, lane.exited ? lane.last : result.end);
        for (BarrierSpan wait : lane.waits) {
            wait.end = result.end;
            result.barriers.push_back(wait);
        }
    }
    sort_by_warp(result.stages);
    sort_by_warp(result.barriers);
    add_tiles(result, capture, record.block);
    for (const TileInstant& tile : result.tiles) result.instants.push_back(tile.time);
    std::sort(result.instants.begin(), result.instants.end());
    result.instants.erase(std::unique(result.instants.begin(), result.instants.end()), result.instants.end());
    return result;
}

Anchors anchors(const capture::Capture& capture, const Timeline& timeline, int warp) {
    Anchors found{
        {kStartLabel, 0}
    };
    uint64_t end = 0;
    for (const StageSpan& span : timeline.stages) {
        if (span.warp != warp) continue;
        end = std::max<uint64_t>(end, span.end);
        if (span.stage < 0) continue;
        const std::string& stage = capture.stages[static_cast<size_t>(span.stage)];
        found.push_back({stage_label(stage, span.iteration), span.begin});
    }
    int number = 0;
    for (const BarrierSpan& span : timeline.barriers) {
        if (span.warp != warp) continue;
        // The event is of the barrier executed, the instant lies before it.
        found.push_back({barrier_label(number, false), std::max(span.begin, 1U) - 1});
        found.push_back({barrier_label(number++, true), span.end});
    }
    std::stable_sort(found.begin(), found.end(), [](const Anchor& a, const Anchor& b) {
        return a.time < b.time;
    });
    found.push_back({kEndLabel, end});
    return found;
}

std::vector<WarpState> warps_at(
    const capture::Capture& /*capture*/, const capture::BlockRecord& record, uint32_t time
) {
    std::vector<WarpState> states(static_cast<size_t>(record.warps));
    for (const Event& event : record.events) {
        if (event.time > time) continue;
        WarpState& state = states[event.warp];
        state.site = static_cast<int>(event.site);
        state.epoch = event.epoch;
        switch (event.kind) {
            case EventKind::stage: state.stage = static_cast<int>(event.value); break;
            case EventKind::barrier_arrive: state.waiting = true; break;
            case EventKind::barrier_release: state.waiting = false; break;
            case EventKind::exit: state.exited = true; break;
            default: break;
        }
    }
    return states;
}

std::vector<Event> writes_to(
    const capture::BlockRecord& record, EventKind kind, uint64_t address, uint32_t bytes
) {
    std::vector<Event> writes;
    for (const Event& event : record.events) {
        const bool touches =
            event.address < address ? address - event.address < event.bytes : event.address - address < bytes;
        if (event.kind == kind && touches) writes.push_back(event);
    }
    return writes;
}

}  // namespace wl::analysis
