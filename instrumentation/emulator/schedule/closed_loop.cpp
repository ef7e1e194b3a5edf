// Lanes that come to a loop's first instruction with the registers that decide about it as they were before,
// and have not left it since, go the same way again for ever: whatever memory and other lanes do.
#include "instrumentation/emulator/schedule/closed_loop.h"

#include "instrumentation/emulator/hash.h"
#include "instrumentation/emulator/machine/progress.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/schedule/turns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace wl::emulator {
namespace {

constexpr uint64_t kFirstLook = uint64_t{1} << 18;  // warp instructions of the block; twice as many each time
constexpr int kMostRounds = 512;                    // of short turns a look

// Lanes of one warp in one loop.
struct Looked {
    const Warp* warp = nullptr;
    const ClosedLoop* loop = nullptr;
    const Frame* frame = nullptr;
    uint32_t lanes = 0;
    uint64_t issued = 0;     // by the warp, when they were last looked at
    bool elsewhere = false;  // they were seen at other places of the loop since they were at its begin
    uint64_t known = 0;  // what decides, when they were at the loop's begin for the 1st, 2nd, 4th ... time
    uint64_t times = 0;
};

size_t place_of(const Block& block, const Split& s) {
    return static_cast<size_t>(s.pc - block.context.program->code[block.now.variant].data());
}

bool is_within(const ClosedLoop& loop, size_t place) { return loop.begin <= place && place <= loop.end; }

std::vector<Looked> lanes_in_loops(const Block& block) {
    std::vector<Looked> out;
    for (const Warp& w : block.warps)
        for (int k = 0; k < w.split_count; ++k) {
            const Split& s = w.splits[static_cast<size_t>(k)];
            if (s.frame->depth > 0)
                continue;  // the entry begins once: lanes that leave its loop are seen outside
            for (const ClosedLoop& loop : block.context.program->closed_loops)
                if (is_within(loop, place_of(block, s))) out.push_back({&w, &loop, s.frame, s.mask});
        }
    return out;
}

uint64_t deciding(const Looked& l) {
    Hash hash;
    for (const ClosedLoop::Cells& c : l.loop->registers) {
        const std::byte* at = l.frame->registers + c.slot;
        if (c.bytes == 0) {
            uint32_t lanes = 0;
            std::memcpy(&lanes, at, sizeof(lanes));
            add(hash, uint64_t{lanes & l.lanes});
            continue;
        }
        // 16 bytes are two planes of 8.
        const uint32_t cell = std::min(c.bytes, 8u);
        for (uint32_t plane = 0; plane < c.bytes; plane += cell, at += cell * kLanes)
            for (uint32_t left = l.lanes; left != 0; left &= left - 1)
                add(hash, std::span(at + static_cast<size_t>(std::countr_zero(left)) * cell, cell));
    }
    return hash.value;
}

enum class Came : uint8_t { not_yet, again, away };

// R. Brent's way of seeing that a sequence repeats, of the lanes' registers at the loop's begin.
Came look(const Block& block, Looked& l) {
    const Warp& w = *l.warp;
    if ((w.live & l.lanes) != l.lanes) return Came::away;
    uint32_t at_begin = 0;  // in one split or in several
    for (int k = 0; k < w.split_count; ++k) {
        const Split& s = w.splits[static_cast<size_t>(k)];
        if ((s.mask & l.lanes) == 0) continue;
        if (s.frame != l.frame || !is_within(*l.loop, place_of(block, s))) return Came::away;
        if (place_of(block, s) == l.loop->begin) at_begin |= s.mask & l.lanes;
    }
    // Who waits at the begin has not come there again; where the warp is in one piece, what it issued tells.
    const uint64_t issued_now = w.clock - w.joined;
    const bool went_on = issued_now != l.issued;
    l.issued = issued_now;
    l.elsewhere = l.elsewhere || at_begin != l.lanes;
    const bool came_there = l.elsewhere || (went_on && w.split_count == 1);
    if (at_begin != l.lanes || !came_there) return Came::not_yet;
    l.elsewhere = false;
    const uint64_t now = deciding(l);
    if (l.times > 0 && now == l.known) return Came::again;
    if (std::has_single_bit(++l.times)) l.known = now;
    return Came::not_yet;
}

}  // namespace

std::optional<Access> never_left(Block& block) {
    if (block.context.program->closed_loops.empty() || block.now.random != 0) return std::nullopt;
    if (issued(block) < std::max(kFirstLook, block.now.next_closed_look)) return std::nullopt;
    block.now.next_closed_look = 2 * issued(block);
    std::vector<Looked> all = lanes_in_loops(block);
    for (int round = 0; round < kMostRounds && !all.empty() && !block.now.aborted; ++round) {
        if (!short_turns(block)) return std::nullopt;
        for (Looked& l : all) {
            const Came came = look(block, l);
            if (came == Came::away) l.loop = nullptr;
            if (came != Came::again) continue;
            const Instr* code = block.context.program->code[block.now.variant].data();
            return witness(*l.warp, code + l.loop->end, l.lanes);
        }
        std::erase_if(all, [](const Looked& l) { return l.loop == nullptr; });
    }
    return std::nullopt;
}

}  // namespace wl::emulator
