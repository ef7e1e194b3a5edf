// From the bytes that an instrumented kernel left to tiles.
#include "instrumentation/gpu/dump.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>

namespace wl::gpu {
namespace {

using MarkKind = ptx::Mark::Kind;

struct Reader {
    const execution::Listing& listing;
    const Dumped& what;
    Dump& out;
    std::map<std::pair<int64_t, int>, uint16_t> epochs = {};  // of each warp, so far
};

constexpr uint32_t kLanes = 32, kAddressBytes = 4;

bool is_told(uint32_t mark) { return mark >= kStore && mark <= kBulk; }

// Is it a record, all of which lies in the buffer?
bool fits(const Reader& reader, const Record& r, uint64_t address, uint64_t room) {
    if (r.magic != (kMagic ^ address) || r.bytes > room) return false;
    if (is_told(r.mark)) return r.site < reader.listing.sites.size() && r.bytes == uint64_t{r.rows} * r.cols;
    if (r.mark >= reader.listing.marks.size() + reader.what.arrays.size()) return false;
    const ptx::Mark& mark = mark_of(reader.listing, reader.what.arrays, static_cast<int>(r.mark));
    return r.bytes == uint64_t{r.rows} * r.cols * size_of(mark.dtype);
}

// From vector after vector to lane after lane.
void by_lane(std::vector<std::byte>& values, uint32_t cell) {
    const std::vector<std::byte> from = values;
    const size_t lane_bytes = values.size() / kLanes;
    size_t before = 0;  // bytes of a lane
    for (const uint32_t width : vectors_of(static_cast<uint32_t>(lane_bytes / std::max(cell, 1u)), cell)) {
        const size_t bytes = size_t{width} * cell;
        for (size_t lane = 0; lane < kLanes; ++lane)
            std::memcpy(&values[lane * lane_bytes + before], &from[before * kLanes + lane * bytes], bytes);
        before += bytes;
    }
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

BlockEvent event_of(const Record& r, capture::EventKind kind) {
    BlockEvent e;
    e.block = static_cast<int64_t>(r.block), e.clock = r.clock;
    e.event.kind = kind, e.event.site = r.site, e.event.warp = static_cast<uint8_t>(r.warp);
    e.event.lane = 255;
    return e;
}

// Bytes that a lane stores, as events of at most 8.
void add_stored(Reader& reader, BlockEvent e, uint64_t address, std::span<const std::byte> bytes) {
    for (size_t at = 0; at < bytes.size(); at += sizeof e.event.value) {
        const size_t piece = std::min(bytes.size() - at, sizeof e.event.value);
        e.event.address = address + at, e.event.bytes = static_cast<uint8_t>(piece), e.event.value = 0;
        std::memcpy(&e.event.value, bytes.data() + at, piece);
        reader.out.events.push_back(e);
    }
}

// What a lane of a warp stores of a matrix, element by element.
struct MatrixCells {
    const MatrixStore& form;
    uint32_t pitch = 0;
    const uint32_t* addresses = nullptr;  // by lane
};

void add_matrix(
    Reader& reader, const BlockEvent& e, const MatrixCells& cells, std::span<const std::byte> bytes
) {
    const FragmentLayout& layout = cells.form.layout;
    const auto size = static_cast<uint32_t>(layout.bits / 8);
    for (int k = 0; k < layout.distinct; ++k) {
        const FragmentPlace& p = layout.at(e.event.lane, k);
        const auto row = static_cast<uint32_t>(p.row), column = static_cast<uint32_t>(p.column);
        uint32_t address = cells.addresses[e.event.lane];
        if (cells.form.by_rows)
            address = cells.addresses[static_cast<uint32_t>(p.matrix) * 8 + row] + column * size;
        else
            address += (cells.form.column ? column * cells.pitch + row : row * cells.pitch + column) * size;
        add_stored(reader, e, address, bytes.subspan(static_cast<size_t>(k) * size, size));
    }
}

void add_store(Reader& reader, const Record& r, std::span<const std::byte> elements) {
    uint32_t addresses[kLanes];
    std::memcpy(addresses, elements.data(), sizeof addresses);
    const uint32_t bytes = r.cols - kAddressBytes;
    BlockEvent e = event_of(r, capture::EventKind::shared_write);
    e.event.epoch = reader.epochs[{e.block, r.warp}];
    const auto matrix = reader.what.matrices.find(r.site);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((r.lanes >> lane & 1) == 0) continue;
        e.event.lane = static_cast<uint8_t>(lane);
        const auto values = elements.subspan(sizeof addresses + size_t{lane} * bytes, bytes);
        if (matrix == reader.what.matrices.end())
            add_stored(reader, e, addresses[lane], values);
        else
            add_matrix(reader, e, {matrix->second, r.pitch, addresses}, values);
    }
}

void add_bulk(Reader& reader, const Record& r, std::span<const std::byte> elements) {
    BlockEvent e = event_of(r, capture::EventKind::shared_write);
    e.event.epoch = reader.epochs[{e.block, r.warp}];
    e.event.lane = static_cast<uint8_t>(std::countr_zero(r.lanes));
    add_stored(reader, e, r.address, elements);
}

void add_barrier(Reader& reader, const Record& r) {
    const bool arrives = r.mark == kArrive;
    BlockEvent e =
        event_of(r, arrives ? capture::EventKind::barrier_arrive : capture::EventKind::barrier_release);
    uint16_t& epoch = reader.epochs[{e.block, r.warp}];
    const bool goes_on = arrives && reader.listing.sites[r.site].text.find(".arrive") != std::string::npos;
    if (!arrives || goes_on) ++epoch;
    e.event.epoch = epoch, e.event.address = r.address;
    reader.out.events.push_back(e);
}

// A record that is whole.
void add_record(Reader& reader, const Record& r, std::span<const std::byte> elements) {
    if (r.mark == kStore) {
        if (r.rows == kLanes && r.cols >= kAddressBytes) add_store(reader, r, elements);
        return;
    }
    if (r.mark == kBulk) return add_bulk(reader, r, elements);
    if (is_told(r.mark)) return add_barrier(reader, r);
    const ptx::Mark& mark = mark_of(reader.listing, reader.what.arrays, static_cast<int>(r.mark));
    (mark.kind == MarkKind::stage ? reader.out.stages : reader.out.tiles)
        .push_back(tile_of(r, elements.data(), mark));
}

// Of each warp, and of each block's tiles: how often a mark of this kind and name was taken before.
void count_iterations(Reader& reader) {
    std::map<std::tuple<int64_t, int, MarkKind, std::string>, int> taken;
    for (execution::TileSnapshot& tile : reader.out.tiles) {
        const bool array = static_cast<size_t>(tile.mark) >= reader.listing.marks.size();
        if (array ? reader.what.epochs : reader.what.iterations) continue;
        const ptx::Mark& mark = mark_of(reader.listing, reader.what.arrays, tile.mark);
        tile.iteration = taken[{tile.block, tile.warp, mark.kind, mark.name}]++;
    }
}

// A block runs on one multiprocessor, whose clock its records share.
void start_clocks(Dump& dump) {
    std::map<int64_t, uint64_t> first;
    const auto look_at = [&](int64_t block, uint64_t clock) {
        const auto [known, is_new] = first.try_emplace(block, clock);
        if (!is_new) known->second = std::min(known->second, clock);
    };
    for (const auto* records : {&dump.tiles, &dump.stages})
        for (const execution::TileSnapshot& r : *records) look_at(r.block, r.time);
    for (const BlockEvent& e : dump.events) look_at(e.block, e.clock);
    for (BlockEvent& e : dump.events) e.clock -= first[e.block];
    for (auto* records : {&dump.tiles, &dump.stages})
        for (execution::TileSnapshot& r : *records) r.time -= first[r.block];
}

// Where a record that is whole lies, and when it was claimed.
struct Found {
    uint64_t block = 0, clock = 0, offset = 0;
};

Record record_at(std::span<const std::byte> buffer, uint64_t offset) {
    Record r;
    std::memcpy(&r, buffer.data() + offset, sizeof r);
    return r;
}

}  // namespace

std::vector<uint32_t> vectors_of(uint32_t count, uint32_t cell) {
    std::vector<uint32_t> out;
    uint32_t width = std::min(4u, 16 / std::max(cell, 1u));
    for (uint32_t left = count; left > 0; left -= width) {
        while (width > left) width /= 2;
        out.push_back(width);
    }
    return out;
}

void share_out(Control& control, const Dumped& what, uint64_t warps) {
    constexpr uint64_t kBlock = 1 << 20, kAll = 64 << 20;
    const auto whole = [](uint64_t bytes) { return bytes / kGranule * kGranule; };
    const uint64_t blocks = std::max<uint64_t>(control.end_block - control.first_block, 1);
    control.part = whole(std::min(std::max(kBlock, kAll / blocks), control.capacity / 2 / blocks));
    const uint64_t shared = control.part / 8 * (what.by_blocks && what.by_warps ? 3 : 7);
    control.tile_share = what.by_blocks ? static_cast<uint32_t>(whole(shared)) : 0;
    control.warp_share =
        what.by_warps ? static_cast<uint32_t>(whole(shared / std::max<uint64_t>(warps, 1))) : 0;
}

uint64_t used_of(const Control& control) {
    const uint64_t parts = control.part * (control.end_block - control.first_block);
    return std::min(parts + control.claimed, control.capacity);
}

Dump decode(
    std::span<const std::byte> buffer, uint64_t address, const execution::Listing& listing, const Dumped& what
) {
    Dump dump;
    Reader reader{listing, what, dump};
    std::vector<Found> all;
    for (uint64_t offset = 0; offset + sizeof(Record) <= buffer.size();) {
        const Record r = record_at(buffer, offset);
        if (!fits(reader, r, address + offset, buffer.size() - offset - sizeof r)) {
            offset += kGranule;
            continue;
        }
        if (r.complete == 1)
            all.push_back({r.block, r.clock, offset});
        else
            ++dump.incomplete;
        offset += (sizeof r + r.bytes + kGranule - 1) / kGranule * kGranule;
    }
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
        return std::pair(a.block, a.clock) < std::pair(b.block, b.clock);
    });
    for (const Found& f : all) {
        const Record r = record_at(buffer, f.offset);
        add_record(reader, r, buffer.subspan(f.offset + sizeof r, r.bytes));
    }
    count_iterations(reader);
    start_clocks(dump);
    return dump;
}

}  // namespace wl::gpu
