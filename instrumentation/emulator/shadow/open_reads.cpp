#include "instrumentation/emulator/shadow/open_reads.h"

#include <algorithm>
#include <bit>

namespace wl::emulator {
namespace {

constexpr int kWholeWarp = 5;  // as a tile: 32 lanes

// Of a mask that is a tile: the binary logarithm of its lanes. -1: it is none.
int tile_of(uint32_t lanes) {
    const int count = std::popcount(lanes), first = std::countr_zero(lanes);
    const bool is_tile = std::has_single_bit(static_cast<uint32_t>(count)) && first % count == 0 &&
        first + count == 32 - std::countl_zero(lanes);
    return is_tile ? std::countr_zero(static_cast<uint32_t>(count)) : -1;
}

uint32_t tile_around(int lane, uint32_t tile) {
    const uint32_t count = 1u << tile;
    return (count == 32 ? ~0u : (1u << count) - 1) << (static_cast<uint32_t>(lane) & ~(count - 1));
}

void forget(OpenReads::OfWarp& warp) {
    for (const uint32_t number : warp.numbers) warp.reads[number] = {};
    warp.numbers.clear();
}

}  // namespace

void clear(OpenReads& open) {
    for (OpenReads::OfWarp& warp : open.warps) forget(warp);
}

void note_read(OpenReads& open, const Clocks& clocks, int warp, const LanesRead& read) {
    const uint32_t number = read.number;
    OpenReads::OfWarp& of = open.warps[static_cast<size_t>(warp)];
    const uint32_t now = clocks.warp[static_cast<size_t>(warp)].synchronised;
    if (of.since != now) forget(of);
    of.since = now;
    if (number >= of.reads.size()) of.reads.resize(number + 1);
    OpenReads::OfInstruction& own = of.reads[number];
    if (!own.listed) of.numbers.push_back(number);
    own.listed = true;
    own.begin = own.end == 0 ? read.begin : std::min(own.begin, read.begin);
    own.end = std::max(own.end, read.end);
    own.lanes |= read.lanes;
}

void take_in(
    OpenReads& open, const Clocks& clocks, int warp, std::span<const uint32_t> numbers, uint32_t lanes
) {
    OpenReads::OfWarp& of = open.warps[static_cast<size_t>(warp)];
    const WarpClock& clock = clocks.warp[static_cast<size_t>(warp)];
    const bool whole = (lanes & clock.lanes) == clock.lanes;
    const int tile = whole ? kWholeWarp : tile_of(lanes);
    if (of.since != clock.synchronised || tile < 0) return;
    for (const uint32_t number : numbers) {
        if (number >= of.reads.size() || !of.reads[number].listed) continue;
        OpenReads::OfInstruction& own = of.reads[number];
        if (whole) {
            own = {.listed = true};
        } else {
            own.lanes &= ~lanes;
            own.tile = std::min(own.tile, static_cast<uint8_t>(tile));
        }
    }
}

std::optional<uint32_t> open_read(
    const OpenReads& open, const Clocks& clocks, int warp, const LanesRead& read, int lane
) {
    const OpenReads::OfWarp& of = open.warps[static_cast<size_t>(warp)];
    if (of.since != clocks.warp[static_cast<size_t>(warp)].synchronised) return std::nullopt;
    const uint32_t others = ~(1u << lane);
    std::optional<uint32_t> found;
    for (const uint32_t number : of.numbers) {
        const OpenReads::OfInstruction& own = of.reads[number];
        if (own.end <= read.begin || own.begin >= read.end) continue;
        const bool open_one =
            (own.lanes & others) != 0 || (read.lanes & others & ~tile_around(lane, own.tile)) != 0;
        if (open_one && (!found || number == read.number)) found = number;
    }
    return found;
}

}  // namespace wl::emulator
