// Units that are alike, of one record each, are looked at together: what the lanes of one instruction find,
// and leave, is mostly the same for all of them. Where it may not be, it is looked at unit by unit.
#include "instrumentation/emulator/global/global_records.h"
#include "instrumentation/emulator/global/global_units.h"
#include "instrumentation/emulator/global/read_only.h"
#include "instrumentation/emulator/program/program.h"

#include <algorithm>
#include <bit>

namespace wl::emulator {
namespace {

// ---- units that are alike

// The entry that each unit, or line, of a run gets, by its place there.
struct Lanes {
    size_t first = 0;
    uint32_t self = 0;             // of the first
    uint32_t more = 0, fewer = 0;  // a lane has 1 << fewer units, or a line 1 << more lanes
    bool several = false;          // there are further lanes, of the same units
    uint32_t entry(size_t k) const { return self + (static_cast<uint32_t>(k - first) << more >> fewer); }
};

void fill(std::vector<uint32_t>& entries, const Lanes& lanes, size_t begin, size_t end, uint32_t bits = 0) {
    uint32_t* to = entries.data();
    if ((lanes.more | lanes.fewer) == 0) {
        const uint32_t base = lanes.self - static_cast<uint32_t>(lanes.first);
        for (size_t k = begin; k < end; ++k) to[k] = (base + static_cast<uint32_t>(k)) | bits;
    } else {
        for (size_t k = begin; k < end; ++k) to[k] = lanes.entry(k) | bits;
    }
}

// Behind the units from `begin` on whose entries are of the same record.
size_t alike(const std::vector<uint32_t>& entries, size_t begin, size_t end) {
    if (entries.empty() || end - begin == 1) return end;
    const uint32_t* e = entries.data();
    const uint32_t head = e[begin];
    if ((e[begin + 1] ^ head) >> kLaneBits == 0) {
        uint32_t differ = 0;
        for (size_t k = begin + 2; k < end; ++k) differ |= e[k] ^ head;
        if (differ >> kLaneBits == 0) return end;
    }
    size_t k = begin + 1;
    while (k < end && (e[k] ^ head) >> kLaneBits == 0) ++k;
    return k;
}

uint32_t at(const std::vector<uint32_t>& entries, size_t k) { return entries.empty() ? 0 : entries[k]; }

// Whether what a record did comes before an access, whichever lanes are meant.
enum class Before : uint8_t { no, yes, by_lane };

Before before_all(const NowTouched& now, uint32_t entry) {
    const GlobalRecord& first = record_of(*now.actor.shadow, entry);
    if (same_warp(first, now.record)) return Before::yes;
    if (!now.actor.shadow->look_for.blocks_ordered && first.block != now.record.block) return Before::no;
    const BlockOrder& order = now.actor.order;
    const WarpClock& clock = order.shadow->clocks.warp[now.record.warp];
    const bool by_lane =
        first.block == now.record.block && (!clock.seen_lanes.empty() || clock.acquired != nullptr);
    if (!by_lane) return is_ordered(now, entry, 0) ? Before::yes : Before::no;
    const bool seen = first.at <= order.offset || first.at - order.offset <= clock.seen[first.warp];
    return seen ? Before::yes : Before::by_lane;
}

// ---- what an access makes of units

// The entries of units that are alike, without their lanes.
Heads heads_at(const GlobalPage& page, size_t k) {
    constexpr uint32_t kRecord = ~((1u << kLaneBits) - 1);
    return {
        at(page.writer, k) & kRecord,
        at(page.plain, k) & kRecord,
        at(page.reader, k) & kRecord,
        at(page.reader2, k) & kRecord};
}

enum class Meets : uint8_t { no, yes, own_lanes };  // own_lanes: where each lane finds what it did itself

// Whether the access races with none of the entries of this record. No: it has to be looked at lane by lane.
Meets meets(const NowTouched& now, uint32_t entry, bool polled = false) {
    if (entry == 0) return Meets::yes;
    const GlobalRecord& first = record_of(*now.actor.shadow, entry);
    if (may_meet(first, now.record, polled)) {
        note_met(now, entry);
        return Meets::yes;
    }
    if (!same_warp(first, now.record)) return before_all(now, entry) == Before::yes ? Meets::yes : Meets::no;
    if ((entry & ~kSettled) >> kLaneBits == now.number) return Meets::yes;
    const BlockOrder& order = now.actor.order;
    const Stamp safe = order.shadow->clocks.warp[now.record.warp].lanes_safe;
    const bool passed = first.at <= order.offset || first.at - order.offset <= safe;
    return passed ? Meets::yes : Meets::own_lanes;
}

void add(Outcome& outcome, Meets meets, uint8_t entries) {
    if (meets == Meets::no) outcome.leaves = Outcome::Leaves::by_lane;
    if (meets == Meets::own_lanes) outcome.own_lanes |= entries;
}

// As read_unit has it.
Outcome judge_read(const NowTouched& now, const Heads& found) {
    using Leaves = Outcome::Leaves;
    const GlobalShadow& shadow = *now.actor.shadow;
    Outcome out;
    if (found.writer != 0) {
        const bool polled = found.reader != 0 && same_warp(record_of(shadow, found.reader), now.record);
        add(out, meets(now, found.writer, polled), Outcome::kWriter);
        add(out, meets(now, found.plain, polled), Outcome::kPlain);
    }
    if (out.leaves == Leaves::by_lane || (found.reader2 & kSettled) != 0) return out;
    const Before one = found.reader == 0 ? Before::yes : before_all(now, found.reader);
    if (one != Before::no) {
        out.leaves = one == Before::yes ? Leaves::reader : Leaves::by_lane;
        return out;
    }
    const uint32_t block = record_of(shadow, found.reader).block;
    const bool beside = block != now.record.block;
    const bool of_one_block = found.reader2 != 0 && beside && record_of(shadow, found.reader2).block == block;
    const Before two = found.reader2 == 0 || of_one_block ? Before::yes : before_all(now, found.reader2);
    if (two == Before::by_lane) out.leaves = Leaves::by_lane;
    if (two == Before::yes)
        out.leaves = beside && !shadow.look_for.blocks_ordered ? Leaves::settled : Leaves::reader2;
    return out;
}

// As write_unit has it.
Outcome judge_write(const NowTouched& now, const Heads& found) {
    const GlobalShadow& shadow = *now.actor.shadow;
    const bool strong = (now.record.flags & GlobalRecord::kStrong) != 0;
    const auto stays = [&](uint32_t reader) {
        return strong && (record_of(shadow, reader).flags & GlobalRecord::kStrong) != 0;
    };
    Outcome out;
    out.leaves = Outcome::Leaves::writer;
    out.keeps_plain = strong || found.plain != 0;
    add(out, meets(now, found.writer), Outcome::kWriter);
    add(out, meets(now, found.plain), Outcome::kPlain);
    add(out, meets(now, found.reader), Outcome::kReader);
    add(out, meets(now, found.reader2), Outcome::kReader2);
    if (found.reader != 0 && !stays(found.reader)) out.cleared |= Outcome::kReader;
    if (found.reader2 != 0 && !stays(found.reader2)) out.cleared |= Outcome::kReader2;
    return out;
}

const Outcome& judged(const NowTouched& now, const Heads& found, Judged& last) {
    if (last.found == found && last.valid) return last.outcome;
    last = {found, writes(now) ? judge_write(now, found) : judge_read(now, found), true};
    return last.outcome;
}

// Units [begin, end) of the run of `lanes`, whose entries are of one record a kind.
struct Alike {
    const Lanes& lanes;
    size_t begin = 0, end = 0;
};

// Entries, each by the lane that makes the access there now.
bool by_same_lanes(const std::vector<uint32_t>& entries, const Alike& units) {
    uint32_t differ = 0;
    for (size_t k = units.begin; k < units.end; ++k) differ |= entries[k] ^ units.lanes.entry(k);
    return (differ & ((1u << kLaneBits) - 1)) == 0;
}

// False: the outcome is not that of all lanes.
bool holds(const GlobalPage& page, const Outcome& o, const Alike& units) {
    if (o.leaves == Outcome::Leaves::by_lane) return false;
    return ((o.own_lanes & Outcome::kWriter) == 0 || by_same_lanes(page.writer, units)) &&
        ((o.own_lanes & Outcome::kPlain) == 0 || by_same_lanes(page.plain, units)) &&
        ((o.own_lanes & Outcome::kReader) == 0 || by_same_lanes(page.reader, units)) &&
        ((o.own_lanes & Outcome::kReader2) == 0 || by_same_lanes(page.reader2, units));
}

void put(std::vector<uint32_t>& entries, const GlobalPage& page, const Alike& units, uint32_t bits = 0) {
    ensure(entries, page);
    fill(entries, units.lanes, units.begin, units.end, bits);
}

void clear(std::vector<uint32_t>& entries, const Alike& units) {
    std::fill_n(entries.data() + units.begin, units.end - units.begin, 0u);
}

void leave(const NowTouched& now, GlobalPage& page, const Outcome& o, const Alike& units) {
    switch (o.leaves) {
        case Outcome::Leaves::by_lane:
        case Outcome::Leaves::nothing: return;
        case Outcome::Leaves::reader: return put(page.reader, page, units);
        case Outcome::Leaves::reader2: return put(page.reader2, page, units);
        case Outcome::Leaves::settled: return put(page.reader2, page, units, kSettled);
        case Outcome::Leaves::writer: break;
    }
    ensure(page.writer, page);
    if ((o.cleared & Outcome::kReader) != 0) clear(page.reader, units);
    if ((o.cleared & Outcome::kReader2) != 0) clear(page.reader2, units);
    for (size_t k = units.begin; o.keeps_plain && k < units.end; ++k) keep_plain(now, page, k);
    fill(page.writer, units.lanes, units.begin, units.end, units.lanes.several ? kSeveral : 0);
}

void touch_one_by_one(const NowTouched& now, GlobalPage& page, const Alike& units, uint64_t address) {
    GlobalUnit unit{address, 1u << page.shift, 0, units.lanes.several};
    for (size_t k = units.begin; k < units.end; ++k, unit.address += unit.bytes) {
        unit.lane = lane_of(units.lanes.entry(k));
        touch_unit(now, page, k, unit);
    }
}

// ---- runs

void refine(GlobalPage& page, uint32_t shift) {
    for (std::vector<uint32_t>* entries : {&page.writer, &page.plain, &page.reader, &page.reader2}) {
        std::vector<uint32_t> finer;
        for (const uint32_t entry : *entries)
            finer.insert(finer.end(), size_t{1} << (page.shift - shift), entry);
        *entries = std::move(finer);
    }
    page.shift = shift;
}

// The page can hold what the run leaves.
void fit(GlobalPage& page, const GlobalRun& run) {
    const auto fine = static_cast<uint8_t>(std::countr_zero(run.address | run.bytes));
    const bool untouched = page.writer.empty() && page.reader.empty();
    if (untouched) page.shift = std::min(page.shift, fine);
    if (!untouched && !page.by_line && fine >= page.shift) return;
    const uint32_t line = kUnitsOfLine << page.shift;
    const auto lane_shift = static_cast<uint8_t>(std::countr_zero(run.bytes) - page.shift);
    const bool whole_lines = fine >= page.shift && run.address % line == 0 && run.extent % line == 0;
    if (untouched) page.by_line = whole_lines, page.lane_shift = lane_shift;
    if (page.by_line && (!whole_lines || lane_shift != page.lane_shift)) spread(page);
    if (fine < page.shift) refine(page, fine);
}

uint32_t any_of(const std::vector<uint32_t>& entries, size_t first, size_t count) {
    uint32_t any = 0;
    if (entries.empty()) return 0;
    for (size_t k = first; k < first + count; ++k) any |= entries[k];
    return any;
}

bool all_settled(const GlobalPage& page, size_t first, size_t count) {
    if (page.reader2.empty() || any_of(page.writer, first, count) != 0) return false;
    uint32_t all = kSettled;
    for (size_t k = first; k < first + count; ++k) all &= page.reader2[k];
    return all != 0;
}

GlobalRun without_first(const GlobalRun& run, uint32_t bytes) {
    return {
        run.address + bytes,
        run.extent - bytes,
        run.lane + static_cast<int>(bytes / run.bytes),
        run.bytes,
        run.several};
}

void touch_units(const NowTouched& now, GlobalPage& page, const GlobalRun& run, Judged& last) {
    const bool by_line = page.by_line;
    const uint32_t unit = page.shift + (by_line ? kLineShift : 0);
    const size_t first = (run.address % kPageBytes) >> unit, behind = first + (run.extent >> unit);
    if (!writes(now) && all_settled(page, first, behind - first)) return;
    const auto lane_shift = static_cast<uint32_t>(std::countr_zero(run.bytes)) - page.shift;
    const Lanes lanes{
        first,
        now.number << kLaneBits | static_cast<uint32_t>(run.lane),
        by_line ? kLineShift - lane_shift : 0,
        by_line ? 0 : lane_shift,
        run.several};
    for (size_t begin = first, end = behind; begin < behind; begin = end, end = behind) {
        for (const std::vector<uint32_t>* entries : {&page.writer, &page.plain, &page.reader, &page.reader2})
            end = alike(*entries, begin, end);
        const Alike units{lanes, begin, end};
        const Outcome& outcome = judged(now, heads_at(page, begin), last);
        if (holds(page, outcome, units)) {
            leave(now, page, outcome, units);
            continue;
        }
        const uint64_t address = run.address + ((begin - first) << unit);
        if (!by_line) {
            touch_one_by_one(now, page, units, address);
            continue;
        }
        spread(page);
        const auto done = static_cast<uint32_t>(address - run.address);
        return touch_units(now, page, without_first(run, done), last);
    }
}

// One unit of a page whose entries are by unit. False: it has to be looked at otherwise.
bool touch_single(const NowTouched& now, GlobalPage& page, const GlobalRun& run, Judged& last) {
    const size_t k = (run.address % kPageBytes) >> page.shift;
    const Heads found = heads_at(page, k);
    if (!writes(now) && found.writer == 0 && (found.reader2 & kSettled) != 0) return true;
    const Outcome& o = judged(now, found, last);
    if (o.own_lanes != 0 || o.keeps_plain) return false;
    const uint32_t self = now.number << kLaneBits | static_cast<uint32_t>(run.lane);
    const auto put_one = [&](std::vector<uint32_t>& entries, uint32_t entry) {
        ensure(entries, page);
        entries[k] = entry;
        return true;
    };
    switch (o.leaves) {
        case Outcome::Leaves::by_lane: return false;
        case Outcome::Leaves::nothing: return true;
        case Outcome::Leaves::reader: return put_one(page.reader, self);
        case Outcome::Leaves::reader2: return put_one(page.reader2, self);
        case Outcome::Leaves::settled: return put_one(page.reader2, self | kSettled);
        case Outcome::Leaves::writer: break;
    }
    if ((o.cleared & Outcome::kReader) != 0) page.reader[k] = 0;
    if ((o.cleared & Outcome::kReader2) != 0) page.reader2[k] = 0;
    return put_one(page.writer, self | (run.several ? kSeveral : 0));
}

}  // namespace

void touch_run(const NowTouched& now, GlobalPage& page, const GlobalRun& run, Judged& last) {
    const GlobalShadow& shadow = *now.actor.shadow;
    const Locked locked(page, !shadow.look_for.witnesses);
    if (!shadow.read_only.empty() && !writes(now) && !page.writer.empty()) look_at_read_only(now, page, run);
    fit(page, run);
    const bool one = run.extent >> page.shift == 1 && !page.by_line;
    if (!one || !touch_single(now, page, run, last)) touch_units(now, page, run, last);
}

void spread(GlobalPage& page) {
    page.by_line = false;
    for (std::vector<uint32_t>* entries : {&page.writer, &page.plain, &page.reader, &page.reader2}) {
        if (entries->empty()) continue;
        std::vector<uint32_t> by_unit(kPageBytes >> page.shift);
        for (size_t k = 0; k < by_unit.size(); ++k) {
            const uint32_t line = (*entries)[k / kUnitsOfLine];
            const auto lane = static_cast<uint32_t>(k % kUnitsOfLine) >> page.lane_shift;
            by_unit[k] = line == 0 ? 0 : line + lane;
        }
        *entries = std::move(by_unit);
    }
}

}  // namespace wl::emulator
