#include "instrumentation/emulator/machine/progress.h"

#include "instrumentation/emulator/hash.h"

#include <span>

namespace wl::emulator {

uint64_t issued(const Block& block) {
    uint64_t sum = 0;
    for (const Warp& w : block.warps) sum += w.clock - w.joined;
    return sum;
}

uint64_t fingerprint(const Block& block) {
    Hash hash;
    add(hash, block.shared);
    for (const Barrier& b : block.now.barriers) add(hash, b.threads);
    for (const Mbarrier& m : block.now.mbarriers) add(hash, uint64_t{m.phase} << 32 | m.pending);
    for (const Warp& w : block.warps) {
        add(hash, w.stack.bytes);
        add(hash, std::as_bytes(std::span(w.entry->storage)));
        for (const auto& frame : w.active) add(hash, std::as_bytes(std::span(frame->storage)));
        add(hash, w.copies.size());
        add(hash, w.carry);
        for (int k = 0; k < w.split_count; ++k) {
            const Split& s = w.splits[static_cast<size_t>(k)];
            add(hash, static_cast<uint64_t>(s.pc - block.context.program->code[block.now.variant].data()));
            add(hash, uint64_t{s.mask} << 8 | static_cast<uint64_t>(s.wait));
        }
    }
    return hash.value;
}

}  // namespace wl::emulator
