// One recorded block's kernel time: spans of stages by warp, barriers, marks; and shared memory at any
// instant.
#pragma once

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
    uint32_t begin = 0, end = 0;
    int barrier = 0;
    uint32_t site = 0;
};
struct TileInstant {  // a mark taken
    int tile = -1;    // index in Capture::tiles
    uint32_t time = 0;
};
struct Timeline {
    int warps = 0;
    uint32_t end = 0;
    std::vector<StageSpan> stages;
    std::vector<BarrierSpan> barriers;
    std::vector<TileInstant> tiles;
    std::vector<uint32_t>
        instants;  // every time at which something happened, rising: the stops of step forward and back
};
Timeline timeline(const capture::Capture& capture, const capture::BlockRecord& record);

// The site a warp stood at, its stage and epoch, at kernel time `time`.
struct WarpState {
    int site = -1, stage = -1, epoch = 0;
    bool waiting = false, exited = false;
};
std::vector<WarpState> warps_at(
    const capture::Capture& capture, const capture::BlockRecord& record, uint32_t time
);

// All writes to a byte range of shared memory, in order: the history of one element.
std::vector<capture::Event> writes_to(
    const capture::BlockRecord& record, capture::EventKind kind, uint64_t address, uint32_t bytes
);

}  // namespace wl::analysis
