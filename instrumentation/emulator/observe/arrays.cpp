// Models what a mark of each shared variable before the barrier would leave. Not modelled: copies that have
// not landed, of which a GPU may show a part.
#include "instrumentation/emulator/observe/arrays.h"

#include "instrumentation/emulator/observe/record.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

// A warp that waits there, and the instruction at which it does.
struct Waiting {
    Warp* warp = nullptr;
    const Instr* at = nullptr;
};

Waiting waiting_at(Block& block, uint32_t id) {
    for (Warp& w : block.warps)
        for (int k = 0; k < w.split_count; ++k) {
            const Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait == Wait::barrier && s.barrier == id) return {&w, s.pc};
        }
    return {};
}

// Dynamic shared memory begins where the static ends.
uint32_t offset_of(const Program& program, const execution::Array& a) {
    const auto& all = program.shared_variables;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const SharedVariable& v) { return v.name == a.symbol; });
    return found == all.end() ? program.static_shared : found->offset;
}

TileSnapshot snapshot_of(const Block& block, const execution::Array& a) {
    TileSnapshot tile;
    tile.block = block.now.index;
    tile.rows = a.rows, tile.cols = tile.ld = a.cols, tile.dtype = a.mark.dtype;
    tile.memory = "shared";
    tile.address = offset_of(*block.context.program, a);
    const auto size = static_cast<uint32_t>(size_of(tile.dtype));
    const size_t elements = static_cast<size_t>(a.rows) * static_cast<size_t>(a.cols);
    tile.values.resize(elements * size);
    std::memcpy(tile.values.data(), block.shared.data() + tile.address, tile.values.size());
    tile.owners.resize(elements);
    for (size_t k = 0; k < elements; ++k)
        tile.owners[k] = owner_of(block.shadow, static_cast<uint32_t>(tile.address + k * size), size);
    return tile;
}

}  // namespace

void take_arrays(Block& block, uint32_t id) {
    const RunOptions& options = *block.context.options;
    if (options.arrays.empty() || block.recorder == nullptr) return;
    const Waiting here = waiting_at(block, id);
    if (here.warp == nullptr) return;
    const Program& program = *block.context.program;
    for (size_t k = 0; k < options.arrays.size(); ++k) {
        const execution::Array& a = options.arrays[k];
        if (here.at->site < a.first_site || here.at->site >= a.end_site) continue;
        const int number = block.now.mark_counts[static_cast<size_t>(program.mark_groups) + k]++;
        if (!takes_epoch(options.recording, number)) continue;
        TileSnapshot tile = snapshot_of(block, a);
        tile.site = here.at->site, tile.mark = static_cast<int>(program.listing.marks.size() + k);
        tile.iteration = number;
        // That of the barrier itself: what a warp does behind it is later.
        tile.time = block.now.barriers[id].clock - 1;
        record_warp(
            *here.warp,
            here.at,
            capture::EventKind::tile,
            static_cast<uint64_t>(number),
            static_cast<uint64_t>(tile.mark)
        );
        if (options.on_tile) options.on_tile(std::move(tile));
    }
}

}  // namespace wl::emulator
