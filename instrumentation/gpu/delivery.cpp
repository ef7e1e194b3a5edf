#include "instrumentation/gpu/delivery.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

bool is_wanted(const execution::RunOptions& o, int64_t block) {
    return o.blocks.empty() || std::find(o.blocks.begin(), o.blocks.end(), block) != o.blocks.end();
}

bool is_array(const Kernel& k, const execution::TileSnapshot& taken) {
    return static_cast<size_t>(taken.mark) >= k.listing.marks.size();
}

// A mark as an event of the block's timeline: clock cycles of the multiprocessor.
capture::Event event_of(const Kernel& k, const execution::TileSnapshot& taken) {
    const int stage = is_array(k, taken) ? -1 : k.listing.stage_of_mark[static_cast<size_t>(taken.mark)];
    capture::Event e;
    e.kind = stage >= 0 ? capture::EventKind::stage : capture::EventKind::tile;
    e.value = static_cast<uint64_t>(stage >= 0 ? stage : taken.mark);
    e.address = stage >= 0 ? 0 : static_cast<uint64_t>(taken.iteration);
    e.time = static_cast<uint32_t>(taken.time);
    e.site = taken.site, e.warp = static_cast<uint8_t>(std::max(taken.warp, 0)), e.lane = 255;
    return e;
}

// Stores of a block in the order of its clock, and where they have been followed to.
struct History {
    std::vector<const BlockEvent*> stores;
    size_t next = 0;
    std::vector<capture::Owner> owners = {};  // of each byte of the window
};

History history_of(const Dump& dump, int64_t block) {
    History h;
    uint64_t window = 0;
    for (const BlockEvent& e : dump.events) {
        if (e.block != block || e.event.kind != capture::EventKind::shared_write) continue;
        h.stores.push_back(&e);
        window = std::max(window, e.event.address + e.event.bytes);
    }
    std::stable_sort(h.stores.begin(), h.stores.end(), [](const BlockEvent* a, const BlockEvent* b) {
        return a->clock < b->clock;
    });
    constexpr uint64_t kLargestWindow = 1 << 20;
    h.owners.resize(std::min(window, kLargestWindow));
    return h;
}

void follow(History& h, uint64_t clock) {
    for (; h.next < h.stores.size() && h.stores[h.next]->clock <= clock; ++h.next) {
        const capture::Event& e = h.stores[h.next]->event;
        const capture::Owner owner{e.warp, e.lane, e.epoch, e.site};
        for (uint64_t at = e.address; at < std::min<uint64_t>(e.address + e.bytes, h.owners.size()); ++at)
            h.owners[at] = owner;
    }
}

// The last writer of each element of a tile in shared memory.
void set_owners(execution::TileSnapshot& tile, const History& h) {
    const size_t size = size_of(tile.dtype);
    tile.owners.assign(static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols), {});
    for (int row = 0; row < tile.rows; ++row)
        for (int col = 0; col < tile.cols; ++col) {
            const auto element = static_cast<size_t>(int64_t{row} * tile.ld + col);
            const size_t at = static_cast<size_t>(tile.address) + element * size;
            for (size_t byte = at; byte < std::min(at + size, h.owners.size()); ++byte)
                if (h.owners[byte].warp != capture::Owner::kNobody)
                    tile.owners
                        [static_cast<size_t>(row) * static_cast<size_t>(tile.cols) +
                         static_cast<size_t>(col)] = h.owners[byte];
        }
}

void find_owners(Dump& dump) {
    std::stable_sort(dump.tiles.begin(), dump.tiles.end(), [](const auto& a, const auto& b) {
        return std::pair(a.block, a.time) < std::pair(b.block, b.time);
    });
    std::map<int64_t, History> all;
    for (execution::TileSnapshot& tile : dump.tiles) {
        if (tile.memory != "shared") continue;
        const auto [known, is_new] = all.try_emplace(tile.block);
        if (is_new) known->second = history_of(dump, tile.block);
        History& h = known->second;
        follow(h, tile.time);
        set_owners(tile, h);
    }
}

void add_events(Delivery& delivery, const Dump& dump) {
    for (const BlockEvent& e : dump.events) {
        const bool store = e.event.kind == capture::EventKind::shared_write;
        if (store) {
            ++delivery.stores;
            const capture::Site& site = delivery.kernel.listing.sites[e.event.site];
            delivery.last[{e.block, e.event.warp}] = fmt::format("a store at line {}", site.line);
        }
        if (!delivery.options.record || !is_wanted(delivery.options, e.block)) continue;
        std::vector<capture::Event>& events = delivery.events[e.block];
        events.push_back(e.event);
        events.back().time = static_cast<uint32_t>(e.clock);
    }
}

}  // namespace

void deliver(Delivery& delivery, Dump&& dump) {
    delivery.incomplete += dump.incomplete, delivery.lost += dump.lost;
    const execution::Recording& recording = delivery.options.recording;
    if (recording.stores && is_whole(recording) && dump.lost == 0) find_owners(dump);
    add_events(delivery, dump);
    for (auto* taken : {&dump.tiles, &dump.stages}) {
        for (execution::TileSnapshot& t : *taken) {
            const ptx::Mark& mark = mark_of(delivery.kernel.listing, delivery.options.arrays, t.mark);
            const bool is_tile = mark.kind != ptx::Mark::Kind::stage;
            if (is_tile) delivery.last[{t.block, t.warp}] = fmt::format("{} {}", mark.name, t.iteration);
            if (!is_wanted(delivery.options, t.block)) continue;
            if (delivery.options.record) delivery.events[t.block].push_back(event_of(delivery.kernel, t));
            if (!is_tile || !delivery.options.on_tile) continue;
            ++delivery.tiles;
            delivery.options.on_tile(std::move(t));
        }
    }
}

void add_records(execution::RunResult& r, Delivery& delivery, const execution::Launch& launch) {
    if (!delivery.options.record) return;
    const auto warps = static_cast<int>((count(launch.block) + 31) / 32);
    for (const int64_t block : delivery.options.blocks) {
        capture::BlockRecord record{block, warps, std::move(delivery.events[block]), delivery.lost != 0};
        std::stable_sort(record.events.begin(), record.events.end(), [](const auto& a, const auto& b) {
            return a.time < b.time;
        });
        r.events.push_back(record.events.size());
        if (record.events.size() > delivery.options.max_events) {
            record.events.resize(delivery.options.max_events);
            record.truncated = true;
        }
        r.records.push_back(std::move(record));
    }
    r.stages = delivery.kernel.listing.stages;
}

void say_last_marks(execution::RunResult& r, const Delivery& delivery) {
    constexpr size_t kMost = 16;
    size_t said = 0;
    for (const auto& [warp, mark] : delivery.last) {
        if (++said > kMost) break;
        r.notes.push_back(fmt::format(
            "before the fault, block {}{} dumped last: {}",
            warp.first,
            warp.second < 0 ? "" : fmt::format(" warp {}", warp.second),
            mark
        ));
    }
    if (delivery.last.size() > kMost)
        r.notes.push_back(fmt::format("... and so did {} more", delivery.last.size() - kMost));
}

}  // namespace wl::gpu
