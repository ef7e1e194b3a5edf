// The exact path: a word's history as lists of touches, checked and changed byte by byte.
#include "instrumentation/emulator/program/program.h"
#include "instrumentation/emulator/shadow/shadow_cell.h"

#include <algorithm>
#include <cassert>

namespace wl::emulator {

namespace {

bool ordered_before_lane(const Touch& touch, int touch_lane, const Actor& actor, int lane) {
    return ordered(*actor.clocks, touch.stamp, touch.warp, touch_lane, actor.warp, lane);
}

// The touch is another warp's. A touch whose lanes are not known is ordered as soon as any lane's would be.
bool foreign_ordered(const Touch& touch, uint32_t touch_lanes, const Actor& actor, int lane) {
    if (touch.by_warp || touch_lanes == 0) {
        for (int theirs = 0; theirs < 32; ++theirs)
            if (ordered_before_lane(touch, theirs, actor, lane)) return true;
        return false;
    }
    for (uint32_t theirs = touch_lanes; theirs; theirs &= theirs - 1)
        if (!ordered_before_lane(touch, std::countr_zero(theirs), actor, lane)) return false;
    return true;
}

bool knows_lanes(const WarpClock& self) { return !self.seen_lanes.empty() || self.acquired; }

// Lanes of the access that the touch is not ordered before.
uint32_t unordered_lanes(const Touch& touch, const Actor& actor, uint32_t lanes) {
    const WarpClock& self = actor.clocks->warp[actor.warp];
    if (touch.warp != actor.warp) {
        if (touch.stamp <= self.seen[touch.warp]) return 0;
        if (!knows_lanes(self)) return lanes;
        uint32_t racing = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            if (!foreign_ordered(touch, touch.lanes, actor, std::countr_zero(rest))) racing |= rest & -rest;
        return racing;
    }
    if (touch.by_warp || touch.stamp <= self.lanes_safe) return 0;  // by_warp: another warp's touch tells
    uint32_t racing = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        for (uint32_t theirs = touch.lanes & ~(1u << lane); theirs; theirs &= theirs - 1) {
            if (!ordered_before_lane(touch, std::countr_zero(theirs), actor, lane)) racing |= 1u << lane;
        }
    }
    return racing;
}

// Lanes of the touch that are ordered before one of the access's: what races with them races with that one.
uint32_t superseded_lanes(const Touch& touch, const Actor& actor, uint32_t lanes) {
    const WarpClock& self = actor.clocks->warp[actor.warp];
    if (touch.warp != actor.warp) {
        if (touch.stamp <= self.seen[touch.warp]) return ~0u;
        if (!knows_lanes(self) || touch.by_warp) return 0;
        uint32_t done = 0;
        for (uint32_t theirs = touch.lanes; theirs; theirs &= theirs - 1) {
            for (uint32_t rest = lanes; rest; rest &= rest - 1)
                if (ordered_before_lane(touch, std::countr_zero(theirs), actor, std::countr_zero(rest)))
                    done |= theirs & -theirs;
        }
        return done;
    }
    if (touch.stamp <= self.lanes_safe) return ~0u;
    if (touch.by_warp) return 0;
    uint32_t done = touch.lanes & lanes;
    for (uint32_t theirs = touch.lanes & ~done; theirs; theirs &= theirs - 1) {
        int lane = std::countr_zero(theirs);
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            if (ordered_before_lane(touch, lane, actor, std::countr_zero(rest))) done |= 1u << lane;
        }
    }
    return done;
}

void supersede(Touch& touch, const Actor& actor, uint32_t bytes, uint32_t lanes) {
    if (!(touch.bytes & bytes)) return;
    uint32_t done = superseded_lanes(touch, actor, lanes);
    if ((touch.lanes & ~done) == 0 && (done || !touch.by_warp)) {
        touch.bytes &= ~bytes;
    } else if ((touch.bytes & ~bytes) == 0) {
        touch.lanes &= ~done;
    }
}

void drop_empty(std::vector<Touch>& touches) {
    std::erase_if(touches, [](const Touch& touch) { return touch.bytes == 0; });
}

void add(std::vector<Touch>& touches, Touch touch) {
    for (size_t i = 0; i < touches.size(); ++i) {
        const Touch& old = touches[i];
        bool same = old.warp == touch.warp && old.stamp == touch.stamp && old.site == touch.site &&
            old.bytes == touch.bytes && old.strength == touch.strength && !old.by_warp && !old.vague;
        if (!same) continue;
        touch.lanes |= old.lanes;
        touches.erase(touches.begin() + ptrdiff_t(i));
        break;
    }
    touches.push_back(touch);
}

// What is ordered before every warp needs no order any more: readers go, of the writers the last of each byte
// stays, as an ordinary one.
void settle(WordHistory& history, Stamp safe_for_all) {
    std::erase_if(history.readers, [=](const Touch& touch) { return touch.stamp <= safe_for_all; });
    uint32_t covered = 0;
    for (size_t i = history.writers.size(); i-- > 0;) {
        Touch& touch = history.writers[i];
        if (touch.stamp <= safe_for_all) {
            touch.bytes &= ~covered;
            touch.strength = Strength::plain;
            touch.lanes = std::bit_floor(touch.lanes);
        }
        covered |= touch.bytes;
    }
    drop_empty(history.writers);
}

bool writer_before(uint32_t writer, const Actor& actor, uint32_t lanes) {
    if (writer <= actor.limit) return true;
    if (warp_of(writer) != actor.warp) {
        return stamp_of(writer) <= actor.clocks->warp[actor.warp].seen[warp_of(writer)];
    }
    return writer <= actor.lanes_limit || lanes == 1u << lane_of(writer);
}

}  // namespace

bool after_writers(const Shadow& shadow, const Actor& actor, const Spot& spot) {
    const Cell& cell = shadow.cells[spot.word];
    const bool must_be_written = actor.kind != AccessKind::write;
    if (is_split(cell.writer)) {
        for (uint32_t bytes = spot.bytes; bytes; bytes &= bytes - 1) {
            const uint32_t writer = shadow.split[spot.word].writer[std::countr_zero(bytes)];
            if ((writer == 0 && must_be_written) || !writer_before(writer, actor, spot.lanes)) return false;
        }
        return true;
    }
    if (cell.writer == 0) return !must_be_written;
    return cell.writer < kSpecial && writer_before(cell.writer, actor, spot.lanes);
}

bool after_readers(const Shadow& shadow, const Actor& actor, const Spot& spot) {
    const Cell& cell = shadow.cells[spot.word];
    if (cell.readers <= actor.limit) return true;
    if (cell.readers >= kSpecial) return false;
    if (!(bytes_of(cell.readers) & spot.bytes)) return true;
    const auto& seen = actor.clocks->warp[actor.warp].seen;
    const Stamp at = stamp_of(cell.readers);
    if (mode_of(cell.readers) >= kByWarps) {
        uint32_t warps = cell.reader_mask;
        if (mode_of(cell.readers) == kByHalves) {
            warps = (spot.bytes & 3 ? warps & 0xffff : 0) | (spot.bytes & 12 ? warps >> 16 : 0);
            if (warp_of(cell.readers) == actor.warp && (half_of_first(cell) & spot.bytes)) {
                const uint32_t lanes = std::bit_cast<WarpsNote>(shadow.notes[spot.word]).first_lanes;
                if (cell.readers > actor.lanes_limit && (lanes & ~spot.lanes)) return false;
            }
        }
        for (warps &= ~(1u << actor.warp); warps; warps &= warps - 1) {
            if (at > seen[std::countr_zero(warps)]) return false;
        }
        return true;
    }
    if (warp_of(cell.readers) != actor.warp) return at <= seen[warp_of(cell.readers)];
    if (cell.readers <= actor.lanes_limit) return true;
    if (mode_of(cell.readers) == kByLanes) return (cell.reader_mask & ~spot.lanes) == 0;
    for (uint32_t bytes = spot.bytes & bytes_of(cell.readers); bytes; bytes &= bytes - 1) {
        if (spot.lanes != 1u << (cell.reader_mask >> (5 * std::countr_zero(bytes)) & 31)) return false;
    }
    return true;
}

namespace {

// Atomic and volatile accesses may come in any order; of two volatile ones, one must show that it means to:
// by polling or, among warps, by a fence before the store.
bool may_meet(const Touch& first, bool first_writes, const Actor& second) {
    if (first.strength == Strength::plain || second.strength == Strength::plain) return false;
    if (first.strength == Strength::atomic || second.strength == Strength::atomic) return true;
    // A fence shows it among warps only.
    const bool by_fence = first.warp != second.warp;
    const bool by_first = first.strength == Strength::handed && (by_fence || !first_writes);
    const bool by_second =
        second.strength == Strength::handed && (by_fence || second.kind != AccessKind::write);
    return by_first || by_second;
}

}  // namespace

namespace {

// Lanes of the write that `reads`, of its own warp, may still come after. Where it is another instruction
// that may, and reads there too, `reads` becomes that one.
uint32_t before_open_reads(const Shadow& shadow, const Actor& actor, const Spot& spot, Touch& reads) {
    const CollectiveReads* collective = shadow.block.collective_reads;
    if (collective == nullptr || reads.warp != actor.warp) return spot.lanes;
    const uint32_t likely = collective->numbers[shadow.site_of_dense[reads.site]];
    const uint64_t first = uint64_t{spot.word} * 4;
    uint32_t lanes = 0;
    for (uint32_t rest = spot.lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto open = open_read(
            shadow.open_reads, shadow.clocks, actor.warp, {first, first + 4, reads.lanes, likely}, lane
        );
        if (!open) continue;
        lanes |= 1u << lane;
        if (*open == likely || *open == 0) continue;
        reads.site = shadow.dense_of_site[collective->sites[*open]];
        reads.vague = true;
    }
    return lanes;
}

}  // namespace

void check_exact(Shadow& shadow, const Actor& actor, const Spot& spot) {
    const auto [word, bytes, lanes] = spot;
    if (is_pending(shadow.cells[word].writer)) return report_pending(shadow, actor, spot);
    WordHistory& history = expand(shadow, word);
    auto check = [&](const std::vector<Touch>& touches, bool writers) {
        for (Touch touch : touches) {
            const uint32_t common = touch.bytes & spot.bytes;
            if (!common || may_meet(touch, writers, actor)) continue;
            uint32_t racing = unordered_lanes(touch, actor, spot.lanes);
            if (racing && !writers)
                racing = before_open_reads(shadow, actor, {spot.word, common, racing}, touch);
            if (racing) report_race(shadow, actor, {spot.word, common, racing}, touch, writers);
        }
    };
    check(history.writers, true);
    if (actor.kind != AccessKind::read) check(history.readers, false);
    uint32_t written = 0;
    for (const Touch& touch : history.writers) written |= touch.bytes;
    if (actor.kind != AccessKind::write && (bytes & ~written)) {
        report_uninitialised(shadow, actor, {word, bytes & ~written, lanes});
    }
}

void commit_exact(Shadow& shadow, const Actor& actor, const Spot& spot) {
    const auto [word, bytes, lanes] = spot;
    if (is_pending(shadow.cells[word].writer)) return;
    WordHistory& history = expand(shadow, word);
    settle(history, actor.clocks->safe_for_all);
    Touch touch{
        .stamp = stamp_of(actor.key),
        .lanes = lanes,
        .site = uint16_t(actor.dense),
        .warp = uint8_t(actor.warp),
        .bytes = uint8_t(bytes),
        .strength = actor.strength};
    if (actor.kind == AccessKind::read) {
        for (Touch& old : history.readers) supersede(old, actor, bytes, lanes);
        drop_empty(history.readers);
        add(history.readers, touch);
    } else if (actor.strength == Strength::plain) {
        assert(std::has_single_bit(lanes));
        for (auto* touches : {&history.writers, &history.readers}) {
            for (Touch& old : *touches) old.bytes &= uint8_t(~bytes);
            drop_empty(*touches);
        }
        history.writers.push_back(touch);
    } else {
        // Readers and plain writers stay: a later atomic of another thread may race with them, not with this
        // one.
        for (Touch& old : history.writers) {
            if (old.strength != Strength::plain) supersede(old, actor, bytes, lanes);
        }
        drop_empty(history.writers);
        add(history.writers, touch);
    }
    fold(shadow, word, history);
}

}  // namespace wl::emulator
