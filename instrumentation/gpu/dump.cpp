// From the bytes that an instrumented kernel left to tiles.
#include "instrumentation/gpu/dump.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace wl::gpu {
namespace {

using MarkKind = ptx::Mark::Kind;

bool fits(const Record& r, uint64_t offset, uint64_t room, const execution::Listing& listing) {
    return r.magic == (kMagic ^ offset) && r.mark < listing.marks.size() && r.bytes <= room &&
        r.bytes == uint64_t{r.rows} * r.cols * size_of(listing.marks[r.mark].dtype);
}

// From register after register to lane after lane.
void by_lane(std::vector<std::byte>& values, size_t cell) {
    constexpr size_t kLanes = 32;
    const std::vector<std::byte> from = values;
    const size_t count = cell == 0 ? 0 : values.size() / (kLanes * cell);
    for (size_t k = 0; k < count; ++k)
        for (size_t lane = 0; lane < kLanes; ++lane)
            std::memcpy(&values[(lane * count + k) * cell], &from[(k * kLanes + lane) * cell], cell);
}

execution::TileSnapshot tile_of(const Record& r, const std::byte* elements, const ptx::Mark& mark) {
    const bool registers = mark.kind == MarkKind::fragment || mark.kind == MarkKind::lanes;
    execution::TileSnapshot tile;
    tile.site = r.site, tile.mark = static_cast<int>(r.mark);
    tile.block = static_cast<int64_t>(r.block), tile.warp = r.warp;
    tile.iteration = static_cast<int>(r.iteration), tile.time = r.clock;
    tile.rows = static_cast<int>(r.rows), tile.cols = static_cast<int>(r.cols);
    tile.ld = registers ? 0 : static_cast<int>(r.pitch), tile.dtype = mark.dtype;
    tile.memory = registers ? "register" : r.shared != 0 ? "shared" : "global";
    tile.address = r.address;
    tile.values.assign(elements, elements + r.bytes);
    if (registers) by_lane(tile.values, r.pitch);
    return tile;
}

// Of each warp, and of each block's tiles: how often a mark of this kind and name was taken before.
void count_iterations(std::vector<execution::TileSnapshot>& tiles, const execution::Listing& listing) {
    std::map<std::tuple<int64_t, int, MarkKind, std::string>, int> taken;
    for (execution::TileSnapshot& tile : tiles) {
        const ptx::Mark& mark = listing.marks[static_cast<size_t>(tile.mark)];
        tile.iteration = taken[{tile.block, tile.warp, mark.kind, mark.name}]++;
    }
}

// A block runs on one multiprocessor, whose clock its records share.
void start_clocks(Dump& dump) {
    std::map<int64_t, uint64_t> first;
    for (const auto* records : {&dump.tiles, &dump.stages}) {
        for (const execution::TileSnapshot& r : *records) {
            const auto [known, is_new] = first.try_emplace(r.block, r.time);
            if (!is_new) known->second = std::min(known->second, r.time);
        }
    }
    for (auto* records : {&dump.tiles, &dump.stages})
        for (execution::TileSnapshot& r : *records) r.time -= first[r.block];
}

void sort_by_block(std::vector<execution::TileSnapshot>& records) {
    std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
        return a.block < b.block;
    });
}

}  // namespace

uint64_t part_of(uint64_t capacity, uint64_t blocks) {
    constexpr uint64_t kMost = 1 << 20;
    return std::min(kMost, capacity / 2 / std::max<uint64_t>(blocks, 1)) / kGranule * kGranule;
}

Dump decode(std::span<const std::byte> buffer, const execution::Listing& listing, bool counted) {
    Dump dump;
    for (uint64_t offset = 0; offset + sizeof(Record) <= buffer.size();) {
        Record r;
        std::memcpy(&r, buffer.data() + offset, sizeof r);
        if (!fits(r, offset, buffer.size() - offset - sizeof r, listing)) {
            offset += kGranule;
            continue;
        }
        const ptx::Mark& mark = listing.marks[r.mark];
        std::vector<execution::TileSnapshot>& to = mark.kind == MarkKind::stage ? dump.stages : dump.tiles;
        if (r.complete == 1)
            to.push_back(tile_of(r, buffer.data() + offset + sizeof r, mark));
        else
            ++dump.incomplete;
        offset += (sizeof r + r.bytes + kGranule - 1) / kGranule * kGranule;
    }
    if (!counted) count_iterations(dump.tiles, listing);
    start_clocks(dump);
    sort_by_block(dump.tiles);
    sort_by_block(dump.stages);
    return dump;
}

}  // namespace wl::gpu
