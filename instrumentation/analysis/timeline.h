// One recorded block's kernel time: spans of stages by warp, barriers, marks; and what each warp did at any
// instant.
#pragma once

#include "instrumentation/base/anchors.h"
#include "instrumentation/capture/capture.h"

#include <cstdint>
#include <span>
#include <vector>

namespace wl::analysis {

struct StageSpan {
    int warp = 0;
    int stage = -1;               // index in Capture::stages; -1: before the first WL_STAGE
    uint32_t begin = 0, end = 0;  // warp clock
    int iteration = 0;            // how often this warp entered this stage before
};
struct BarrierSpan {  // a warp standing at a barrier
    int warp = 0;
    uint32_t begin = 0, end = 0;  // end: the timeline's, when it was never released
    int barrier = 0;
    uint32_t site = 0;
};
struct TileInstant {  // a mark taken
    int tile = -1;    // index in Capture::tiles
    uint32_t time = 0;
};
struct Timeline {
    int warps = 0;
    uint32_t end = 0;                   // the latest clock of all warps
    std::vector<StageSpan> stages;      // by (warp, begin); a warp's spans meet end to begin
    std::vector<BarrierSpan> barriers;  // by (warp, begin)
    std::vector<TileInstant> tiles;     // of this block, by time
    std::vector<uint32_t>
        instants;  // every time at which something happened, rising: the stops of step forward and back
};
Timeline timeline(const capture::Capture& capture, const capture::BlockRecord& record);

// Where another build of the kernel comes to as well: the warp's stages and barriers, by time.
Anchors anchors(const capture::Capture& capture, const Timeline& timeline, int warp);

// What a warp did last, up to and including kernel time `time`: its latest event's site and epoch (-1 and 0:
// none yet), the stage it is in, and whether it stands at a block barrier or has exited.
struct WarpState {
    int site = -1, stage = -1, epoch = 0;
    bool waiting = false, exited = false;
    bool operator==(const WarpState&) const = default;
};
std::vector<WarpState> warps_at(
    const capture::Capture& capture, const capture::BlockRecord& record, uint32_t time
);

// All events of this kind that touch the byte range, in order of execution: the history of one element.
std::vector<capture::Event> writes_to(
    const capture::BlockRecord& record, capture::EventKind kind, uint64_t address, uint32_t bytes
);

}  // namespace wl::analysis
