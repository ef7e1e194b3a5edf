#include "instrumentation/emulator/global/global_units.h"

#include "instrumentation/emulator/global/global_records.h"
#include "instrumentation/emulator/program/program.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wl::emulator {

uint64_t value_at(const Allocation& allocation, uint64_t offset, uint32_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, allocation.bytes.data() + offset, std::min(bytes, 8u));
    return value;
}

namespace {

PastAccess past(const GlobalRecord& r, uint32_t entry) {
    return {static_cast<int64_t>(r.block), r.warp, lane_of(entry), r.at};
}

}  // namespace

bool is_ordered(const NowTouched& now, uint32_t entry, int lane) {
    const GlobalRecord& first = record_of(*now.actor.shadow, entry);
    if (same_warp(first, now.record)) return true;
    if (!now.actor.shadow->look_for.blocks_ordered && first.block != now.record.block) return false;
    return ordered(now.actor.shadow->order, past(first, entry), {&now.actor.order, now.record.warp, lane});
}

// Strong accesses may come in any order, but for a store whose value is awaited by no poll and behind no
// fence.
bool may_meet(const GlobalRecord& first, const GlobalRecord& second, bool polled) {
    const uint8_t both = first.flags & second.flags, any = first.flags | second.flags;
    const bool same_block = first.block == second.block;
    if ((both & GlobalRecord::kStrong) == 0 || ((any & GlobalRecord::kBlockOnly) != 0 && !same_block))
        return false;
    const bool read_of_store =
        (first.flags & GlobalRecord::kWrite) != 0 && (second.flags & GlobalRecord::kWrite) == 0;
    const bool meant = (any & GlobalRecord::kOrdered) != 0 || (second.flags & GlobalRecord::kPolls) != 0;
    return !read_of_store || same_block || polled || meant || (first.flags & GlobalRecord::kFenced) != 0;
}

void note_met(const NowTouched& now, uint32_t entry) {
    constexpr size_t kMostMet = 64;
    GlobalShadow& shadow = *now.actor.shadow;
    const GlobalRecord &first = record_of(shadow, entry), &second = now.record;
    const bool read_and_write = ((first.flags ^ second.flags) & GlobalRecord::kWrite) != 0;
    if (!shadow.look_for.witnesses || !read_and_write || same_warp(first, second)) return;
    const std::pair key{first.site, second.site};
    if (shadow.met.size() == kMostMet || shadow.met.contains(key)) return;
    if (is_ordered(now, entry, lane_of(entry))) return;
    const auto access = [&](const GlobalRecord& r) {
        Access a;
        a.site = r.site, a.block = r.block, a.warp = r.warp, a.lanes = 1, a.epoch = r.epoch;
        a.write = (r.flags & GlobalRecord::kWrite) != 0;
        a.memory = "global " + now.allocation.name;
        return a;
    };
    Incident met;
    met.kind = Incident::Kind::race_global;
    met.first = access(first), met.second = access(second);
    shadow.met.emplace(key, std::move(met));
}

void ensure(std::vector<uint32_t>& entries, const GlobalPage& page) {
    if (entries.empty()) entries.resize((kPageBytes >> page.shift) / (page.by_line ? kUnitsOfLine : 1));
}

// An atomic behind a plain store hides it from nobody: other atomics may meet the one, and not the other.
void keep_plain(const NowTouched& now, GlobalPage& page, size_t k) {
    if ((now.record.flags & GlobalRecord::kStrong) == 0) {
        if (!page.plain.empty()) page.plain[k] = 0;
    } else if (page.writer[k] != 0) {
        const GlobalRecord& last = record_of(*now.actor.shadow, page.writer[k]);
        if ((last.flags & GlobalRecord::kStrong) != 0) return;
        ensure(page.plain, page);
        page.plain[k] = page.writer[k];
    }
}

namespace {

// By a lane of the same warp: after its own accesses, and after those of the others that a syncwarp orders.
// Lanes of one instruction are looked at by the values that they store.
bool follows_own(const NowTouched& now, uint32_t entry, const GlobalUnit& unit) {
    if (lane_of(entry) == unit.lane || (entry & ~kSettled) >> kLaneBits == now.number) return true;
    const GlobalRecord& first = record_of(*now.actor.shadow, entry);
    return ordered(
        now.actor.shadow->order, past(first, entry), {&now.actor.order, now.record.warp, unit.lane}
    );
}

// As OpenReads has it, for a read by another lane of the same warp that no syncwarp orders. Where it is
// another instruction that may still read there, `first` becomes that one's.
bool is_taken_in(const NowTouched& now, const GlobalUnit& unit, int first_lane, GlobalRecord& first) {
    const CollectiveReads* collective = now.actor.shadow->collective_reads;
    if ((first.flags & GlobalRecord::kWrite) != 0 || collective == nullptr) return false;
    const LanesRead read{
        unit.address, unit.address + unit.bytes, 1u << first_lane, collective->numbers[first.site]};
    const Clocks& clocks = now.actor.order.shadow->clocks;
    const auto open = open_read(now.actor.open_reads, clocks, now.record.warp, read, unit.lane);
    if (open && *open != 0) first.site = collective->sites[*open];
    return !open;
}

// `holds`: memory holds what the access of the entry stored or read.
void check(const NowTouched& now, uint32_t entry, const GlobalUnit& unit, bool holds, bool polled = false) {
    GlobalRecord first = record_of(*now.actor.shadow, entry);
    const bool own = same_warp(first, now.record);
    if (may_meet(first, now.record, polled)) return note_met(now, entry);
    if (own ? follows_own(now, entry, unit) : is_ordered(now, entry, unit.lane)) return;
    if (own && is_taken_in(now, unit, lane_of(entry), first)) return;
    const bool wrote = (first.flags & GlobalRecord::kWrite) != 0;
    const int first_lane = wrote && (entry & kSeveral) != 0 ? kSomeLane : lane_of(entry),
              lane = writes(now) && unit.several ? kSomeLane : unit.lane;
    const uint64_t offset = unit.address - now.allocation.base;
    std::vector<GlobalConflict>& all = now.actor.conflicts;
    const bool again = !all.empty() && all.back().allocation == &now.allocation &&
        all.back().offset + all.back().bytes == offset && all.back().first.block == first.block &&
        all.back().first.site == first.site && all.back().lane == lane && all.back().bytes < 8;
    if (again) {
        const bool same_lane =
            all.back().first_lane == first_lane && all.back().first_bytes == all.back().bytes;
        if (same_lane) all.back().first_bytes += unit.bytes;
        all.back().bytes += unit.bytes;
        all.back().before = value_at(now.allocation, all.back().offset, all.back().bytes);
    } else if (all.size() < kMostConflicts) {
        all.push_back(
            {first,
             first_lane,
             lane,
             &now.allocation,
             offset,
             unit.bytes,
             unit.bytes,
             value_at(now.allocation, offset, unit.bytes),
             holds && (first.flags & GlobalRecord::kLater) == 0}
        );
    }
}

void add_reader(const NowTouched& now, GlobalPage& page, size_t k, const GlobalUnit& unit) {
    ensure(page.reader, page);
    ensure(page.reader2, page);
    uint32_t &one = page.reader[k], &two = page.reader2[k];
    if ((two & kSettled) != 0) return;
    const uint32_t self = now.number << kLaneBits | static_cast<uint32_t>(unit.lane);
    const GlobalShadow& shadow = *now.actor.shadow;
    if (one == 0 || is_ordered(now, one, unit.lane)) {
        one = self;
        return;
    }
    const bool beside = record_of(shadow, one).block != now.record.block;
    const bool fills = two == 0 || is_ordered(now, two, unit.lane) ||
        (beside && record_of(shadow, two).block == record_of(shadow, one).block);
    if (fills) two = self | (beside && !shadow.look_for.blocks_ordered ? kSettled : 0);
}

void read_unit(const NowTouched& now, GlobalPage& page, size_t k, const GlobalUnit& unit) {
    if (!page.writer.empty() && page.writer[k] != 0) {
        // A warp that has read here before the store does not miss it: it polls.
        const bool polled = !page.reader.empty() && page.reader[k] != 0 &&
            same_warp(record_of(*now.actor.shadow, page.reader[k]), now.record);
        check(now, page.writer[k], unit, true, polled);
        if (!page.plain.empty() && page.plain[k] != 0) check(now, page.plain[k], unit, false, polled);
    }
    add_reader(now, page, k, unit);
}

void write_unit(const NowTouched& now, GlobalPage& page, size_t k, const GlobalUnit& unit) {
    ensure(page.writer, page);
    if (page.writer[k] != 0) check(now, page.writer[k], unit, true);
    if (!page.plain.empty() && page.plain[k] != 0) check(now, page.plain[k], unit, false);
    for (std::vector<uint32_t>* readers : {&page.reader, &page.reader2}) {
        if (readers->empty() || (*readers)[k] == 0) continue;
        uint32_t& reader = (*readers)[k];
        // Readers that a store went past are strong, and so is the store.
        const uint8_t flags = record_of(*now.actor.shadow, reader).flags, both = flags & now.record.flags;
        check(now, reader, unit, (flags & GlobalRecord::kStrong) == 0 || page.writer[k] == 0);
        if ((both & GlobalRecord::kStrong) == 0) reader = 0;
    }
    keep_plain(now, page, k);
    page.writer[k] =
        now.number << kLaneBits | static_cast<uint32_t>(unit.lane) | (unit.several ? kSeveral : 0);
}

}  // namespace

void touch_unit(const NowTouched& now, GlobalPage& page, size_t k, const GlobalUnit& unit) {
    if (writes(now))
        write_unit(now, page, k, unit);
    else
        read_unit(now, page, k, unit);
}

}  // namespace wl::emulator
