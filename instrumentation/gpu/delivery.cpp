#include "instrumentation/gpu/delivery.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

bool is_wanted(const execution::RunOptions& o, int64_t block) {
    return o.blocks.empty() || std::find(o.blocks.begin(), o.blocks.end(), block) != o.blocks.end();
}

// A mark as an event of the block's timeline: clock cycles of the multiprocessor.
capture::Event event_of(const Kernel& k, const execution::TileSnapshot& taken) {
    const int stage = k.listing.stage_of_mark[static_cast<size_t>(taken.mark)];
    capture::Event e;
    e.kind = stage >= 0 ? capture::EventKind::stage : capture::EventKind::tile;
    e.value = static_cast<uint64_t>(stage >= 0 ? stage : taken.mark);
    e.address = stage >= 0 ? 0 : static_cast<uint64_t>(taken.iteration);
    e.time = static_cast<uint32_t>(taken.time);
    e.site = taken.site, e.warp = static_cast<uint8_t>(std::max(taken.warp, 0)), e.lane = 255;
    return e;
}

}  // namespace

void deliver(Delivery& delivery, Dump&& dump) {
    delivery.incomplete += dump.incomplete;
    for (auto* taken : {&dump.tiles, &dump.stages}) {
        for (execution::TileSnapshot& t : *taken) {
            const ptx::Mark& mark = delivery.kernel.listing.marks[static_cast<size_t>(t.mark)];
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
        capture::BlockRecord record{block, warps, std::move(delivery.events[block]), false};
        std::stable_sort(record.events.begin(), record.events.end(), [](const auto& a, const auto& b) {
            return a.time < b.time;
        });
        r.events.push_back(record.events.size());
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
