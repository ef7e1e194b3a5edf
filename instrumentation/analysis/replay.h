// Shared memory of a recorded block at any instant, rebuilt from the log of its writes.
#pragma once

#include "instrumentation/analysis/diff.h"
#include "instrumentation/capture/capture.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wl::analysis {

constexpr uint32_t kNeverWritten = UINT32_MAX;

// Made once a record; the record must outlive it. Key frames bound what one instant costs: a copy of a frame
// and at most one spacing of writes, forward or back.
struct ReplayIndex {
    const capture::BlockRecord* record = nullptr;
    std::vector<uint32_t> by_time;  // shared writes, as indices of record->events, by rising time
    struct KeyFrame {
        size_t applied = 0;            // how many of by_time it holds
        std::vector<uint32_t> writer;  // as writers_at
    };
    std::vector<KeyFrame> frames;  // the first holds nothing
};
ReplayIndex replay_index(const capture::BlockRecord& record);

// For each byte of the window up to the last byte ever written: the write whose value it has after all events
// with a clock <= time, as an index of record->events, or kNeverWritten. Of two writes the one executed later
// counts, also where clocks of different warps say otherwise: that is the value the block went on with.
std::vector<uint32_t> writers_at(const ReplayIndex& index, uint32_t time);

// The same window's bytes. What was never written is 0xff, which is NaN in every float format.
std::vector<std::byte> shared_at(const ReplayIndex& index, uint32_t time);

// The tile's place in shared memory at `time`: got (NaN where never written) and owner as they were then,
// reference and bound those of the tile. rows and cols 0 if the tile does not lie in shared memory.
TileData tile_at(
    const capture::Capture& capture, const ReplayIndex& index, const capture::Tile& tile, uint32_t time
);

}  // namespace wl::analysis
