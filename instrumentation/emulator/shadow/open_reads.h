// Reads whose value no warp-wide instruction has taken in yet. A value that went into one (mma, shfl, vote,
// ...) has been read before any lane goes on behind it, so that what the lanes do there comes after the read
// without a barrier. Which instruction takes in which reads: Program::collective_reads. Not modelled, so that
// an order may be missed, never seen where there is none: of the reads of one instruction since the last
// synchronisation of the whole warp the range of addresses is kept, and lanes that are joined by other masks
// than those of tiles (2, 4, 8, 16 or 32 neighbours).
#pragma once

#include "instrumentation/emulator/shadow/clocks.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wl::emulator {

// Bytes [begin, end) of one memory, read by these lanes of a warp by an instruction of this number, which is
// 0 where the instruction has none.
struct LanesRead {
    uint64_t begin = 0, end = 0;
    uint32_t lanes = 0;
    uint32_t number = 0;
};

struct OpenReads {
    struct OfInstruction {
        uint64_t begin = 0, end = 0;  // of what it read; none: all of it is taken in by the whole warp
        uint32_t lanes = 0;           // whose values are not taken in
        uint8_t tile = 5;             // the others' are, by the tile of 1 << tile lanes that each is in
        bool listed = false;
    };
    struct OfWarp {
        uint32_t since = 0;                // WarpClock::synchronised
        std::vector<OfInstruction> reads;  // by the number of the instruction
        std::vector<uint32_t> numbers;     // of those that have read since
    };
    std::array<OfWarp, kMaxWarps> warps;
};

void clear(OpenReads& open);

void note_read(OpenReads& open, const Clocks& clocks, int warp, const LanesRead& read);

// A warp-wide instruction takes in what these lanes have read by the instructions of these numbers.
void take_in(
    OpenReads& open, const Clocks& clocks, int warp, std::span<const uint32_t> numbers, uint32_t lanes
);

// A read of some of the bytes by some of the lanes that may still be to come, for what `lane` does now: the
// number of its instruction, read.number where that is one of them. None: all such reads are done.
std::optional<uint32_t> open_read(
    const OpenReads& open, const Clocks& clocks, int warp, const LanesRead& read, int lane
);

}  // namespace wl::emulator
