#include "instrumentation/emulator/shadow/global_shadow.h"

#include "instrumentation/emulator/memory/heap.h"
#include "instrumentation/emulator/program.h"
#include "instrumentation/emulator/shadow/global_records.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wl::emulator {
namespace {

constexpr size_t kMostConflicts = 64;  // of one instruction of one warp

struct Locked {
    GlobalPage& page;
    explicit Locked(GlobalPage& p) : page(p) {
        while (page.lock.test_and_set(std::memory_order_acquire)) {}
    }
    ~Locked() { page.lock.clear(std::memory_order_release); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
};

// ---- one unit

// An access that is made: all that its units have in common.
struct Now {
    GlobalActor& actor;
    const GlobalRecord& record;
    const Allocation& allocation;
    uint32_t number = 0;
};
struct Unit {
    uint64_t offset = 0;  // in the allocation
    uint32_t bytes = 0;
    int lane = 0;
};

bool same_warp(const GlobalRecord& a, const GlobalRecord& b) {
    return a.block == b.block && a.warp == b.warp;
}

PastAccess past(const GlobalRecord& r, uint32_t entry) {
    return {static_cast<int64_t>(r.block), r.warp, lane_of(entry), r.at};
}

bool is_ordered(const Now& now, uint32_t entry, int lane) {
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

uint64_t value_at(const Allocation& allocation, uint64_t offset, uint32_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, allocation.bytes.data() + offset, std::min(bytes, 8u));
    return value;
}

// By a lane of the same warp: after its own accesses, and after those of the others that a syncwarp orders.
// Lanes of one instruction are looked at by the values that they store.
bool follows_own(const Now& now, uint32_t entry, const Unit& unit) {
    if (lane_of(entry) == unit.lane || (entry & ~kSettled) >> kLaneBits == now.number) return true;
    const GlobalRecord& first = record_of(*now.actor.shadow, entry);
    return ordered(
        now.actor.shadow->order, past(first, entry), {&now.actor.order, now.record.warp, unit.lane}
    );
}

// As OpenReads has it, for a read by another lane of the same warp that no syncwarp orders. Where it is
// another instruction that may still read there, `first` becomes that one's.
bool is_taken_in(const Now& now, const Unit& unit, int first_lane, GlobalRecord& first) {
    const CollectiveReads* collective = now.actor.shadow->collective_reads;
    if ((first.flags & GlobalRecord::kWrite) != 0 || collective == nullptr) return false;
    const uint64_t at = now.allocation.base + unit.offset;
    const LanesRead read{at, at + unit.bytes, 1u << first_lane, collective->numbers[first.site]};
    const Clocks& clocks = now.actor.order.shadow->clocks;
    const auto open = open_read(now.actor.open_reads, clocks, now.record.warp, read, unit.lane);
    if (open && *open != 0) first.site = collective->sites[*open];
    return !open;
}

void check(const Now& now, uint32_t entry, const Unit& unit, bool polled) {
    GlobalRecord first = record_of(*now.actor.shadow, entry);
    const bool own = same_warp(first, now.record);
    if (may_meet(first, now.record, polled)) return;
    if (own ? follows_own(now, entry, unit) : is_ordered(now, entry, unit.lane)) return;
    if (own && is_taken_in(now, unit, lane_of(entry), first)) return;
    std::vector<GlobalConflict>& all = now.actor.conflicts;
    const bool again = !all.empty() && all.back().allocation == &now.allocation &&
        all.back().offset + all.back().bytes == unit.offset && all.back().first.block == first.block &&
        all.back().first.site == first.site && all.back().lane == unit.lane && all.back().bytes < 8;
    if (again) {
        all.back().bytes += unit.bytes;
        all.back().before = value_at(now.allocation, all.back().offset, all.back().bytes);
    } else if (all.size() < kMostConflicts) {
        all.push_back(
            {first,
             lane_of(entry),
             unit.lane,
             &now.allocation,
             unit.offset,
             unit.bytes,
             value_at(now.allocation, unit.offset, unit.bytes)}
        );
    }
}

void ensure(std::vector<uint32_t>& entries, const GlobalPage& page) {
    if (entries.empty()) entries.resize(kPageBytes >> page.shift);
}

void add_reader(const Now& now, GlobalPage& page, size_t k, const Unit& unit) {
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

void read_unit(const Now& now, GlobalPage& page, size_t k, const Unit& unit) {
    if (!page.writer.empty() && page.writer[k] != 0) {
        // A warp that has read here before the store does not miss it: it polls.
        const bool polled = !page.reader.empty() && page.reader[k] != 0 &&
            same_warp(record_of(*now.actor.shadow, page.reader[k]), now.record);
        check(now, page.writer[k], unit, polled);
        if (!page.plain.empty() && page.plain[k] != 0) check(now, page.plain[k], unit, polled);
    }
    add_reader(now, page, k, unit);
}

// An atomic behind a plain store hides it from nobody: other atomics may meet the one, and not the other.
void keep_plain(const Now& now, GlobalPage& page, size_t k) {
    if ((now.record.flags & GlobalRecord::kStrong) == 0) {
        if (!page.plain.empty()) page.plain[k] = 0;
    } else if (page.writer[k] != 0) {
        const GlobalRecord& last = record_of(*now.actor.shadow, page.writer[k]);
        if ((last.flags & GlobalRecord::kStrong) != 0) return;
        ensure(page.plain, page);
        page.plain[k] = page.writer[k];
    }
}

void write_unit(const Now& now, GlobalPage& page, size_t k, const Unit& unit) {
    ensure(page.writer, page);
    if (page.writer[k] != 0) check(now, page.writer[k], unit, false);
    if (!page.plain.empty() && page.plain[k] != 0) check(now, page.plain[k], unit, false);
    for (std::vector<uint32_t>* readers : {&page.reader, &page.reader2}) {
        if (readers->empty() || (*readers)[k] == 0) continue;
        uint32_t& reader = (*readers)[k];
        check(now, reader, unit, false);
        const uint8_t both = record_of(*now.actor.shadow, reader).flags & now.record.flags;
        if ((both & GlobalRecord::kStrong) == 0) reader = 0;
    }
    keep_plain(now, page, k);
    page.writer[k] = now.number << kLaneBits | static_cast<uint32_t>(unit.lane);
}

// ---- pages

GlobalPage& page_at(GlobalShadow& shadow, size_t region, uint64_t offset) {
    std::atomic<GlobalPage*>& place = shadow.regions[region].pages[offset / kPageBytes];
    if (GlobalPage* page = place.load(std::memory_order_acquire)) return *page;
    const std::scoped_lock lock(shadow.lock);
    if (GlobalPage* page = place.load(std::memory_order_acquire)) return *page;
    GlobalPage& page = shadow.pages.emplace_back();
    place.store(&page, std::memory_order_release);
    return page;
}

void refine(GlobalPage& page, uint32_t shift) {
    for (std::vector<uint32_t>* entries : {&page.writer, &page.plain, &page.reader, &page.reader2}) {
        std::vector<uint32_t> finer;
        for (const uint32_t entry : *entries)
            finer.insert(finer.end(), size_t{1} << (page.shift - shift), entry);
        *entries = std::move(finer);
    }
    page.shift = shift;
}

uint32_t any_of(const std::vector<uint32_t>& entries, size_t first, size_t count) {
    uint32_t any = 0;
    if (entries.empty()) return 0;
    for (size_t k = first; k < first + count; ++k) any |= entries[k];
    return any;
}

// Bytes that lanes from `lane` on touch, `bytes` each, one behind the other, in one page.
struct Run {
    uint64_t offset = 0;
    uint32_t extent = 0;
    int lane = 0;
    uint32_t bytes = 0;
};

// Nobody has been there: every unit gets its first entry.
bool first_touch(const Now& now, GlobalPage& page, const Run& run, bool writes) {
    const size_t first = (run.offset % kPageBytes) >> page.shift, count = run.extent >> page.shift;
    std::vector<uint32_t>& own = writes ? page.writer : page.reader;
    const bool fresh = any_of(page.writer, first, count) == 0 && any_of(page.reader, first, count) == 0;
    if (!fresh) return false;
    ensure(own, page);
    const uint32_t of_lane = run.bytes >> page.shift;
    const uint32_t self = now.number << kLaneBits | static_cast<uint32_t>(run.lane);
    if (of_lane == 1) {
        for (size_t k = 0; k < count; ++k) own[first + k] = self + static_cast<uint32_t>(k);
    } else {
        for (size_t k = 0; k < count; ++k) own[first + k] = self + static_cast<uint32_t>(k / of_lane);
    }
    return true;
}

bool all_settled(const GlobalPage& page, size_t first, size_t count) {
    if (page.reader2.empty() || any_of(page.writer, first, count) != 0) return false;
    uint32_t all = kSettled;
    for (size_t k = first; k < first + count; ++k) all &= page.reader2[k];
    return all != 0;
}

void touch_run(const Now& now, GlobalPage& page, const Run& run) {
    const Locked locked(page);
    const auto fine = static_cast<uint32_t>(std::countr_zero(run.offset | run.bytes));
    if (fine < page.shift) refine(page, fine);
    const bool writes = (now.record.flags & GlobalRecord::kWrite) != 0;
    const size_t first = (run.offset % kPageBytes) >> page.shift, count = run.extent >> page.shift;
    if (!writes && all_settled(page, first, count)) return;
    if (first_touch(now, page, run, writes)) return;
    Unit unit{run.offset, 1u << page.shift, run.lane};
    for (size_t k = first; k < first + count; ++k, unit.offset += unit.bytes) {
        unit.lane = run.lane + static_cast<int>((unit.offset - run.offset) / run.bytes);
        if (writes)
            write_unit(now, page, k, unit);
        else
            read_unit(now, page, k, unit);
    }
}

// ---- lanes

// The allocation that holds the access; the index of its region is kept for the next one.
Allocation* holder(GlobalActor& actor, uint64_t address, uint32_t bytes) {
    GlobalMemory& memory = *actor.shadow->memory;
    if (actor.last_region < memory.allocations.size()) {
        Allocation& a = memory.allocations[actor.last_region];
        const uint64_t offset = address - a.base;
        if (offset < a.bytes.size() && bytes <= a.bytes.size() - offset) return &a;
    }
    Allocation* found = find(memory, address, bytes);
    if (found != nullptr) actor.last_region = static_cast<size_t>(found - memory.allocations.data());
    if (found != nullptr || memory.heap == nullptr || !find(*memory.heap, address, bytes)) return found;
    actor.last_region = memory.allocations.size();
    return &memory.heap->arena;
}

// Of the lanes in `rest` those behind the first ones that point at `address` too: they are one access.
uint32_t behind_same(const GlobalTouch& touch, uint32_t rest, uint64_t address) {
    uint32_t others = 0;
    for (size_t l = 0; l < 32; ++l) others |= static_cast<uint32_t>(touch.at[l] != address) << l;
    others &= rest;
    return others == 0 ? 0 : rest & ~((1u << std::countr_zero(others)) - 1);
}

}  // namespace

void start(GlobalShadow& shadow, GlobalMemory& memory, LookFor look_for) {
    shadow.memory = &memory;
    shadow.look_for = look_for;
    const auto add_region = [&shadow](const Allocation& a) {
        GlobalRegion region;
        region.pages = std::vector<std::atomic<GlobalPage*>>((a.bytes.size() + kPageBytes - 1) / kPageBytes);
        shadow.regions.push_back(std::move(region));
    };
    for (const Allocation& a : memory.allocations) add_region(a);
    if (memory.heap != nullptr) add_region(memory.heap->arena);  // the last one
}

void begin(GlobalActor& actor, GlobalShadow& shadow, int64_t block, Shadow& of_block) {
    actor.shadow = &shadow;
    begin(actor.order, block, of_block);
    actor.recent.assign(static_cast<size_t>(of_block.clocks.warps), {});
    clear(actor.open_reads);
}

void take_in(GlobalActor& actor, int warp, uint32_t site, uint32_t lanes) {
    if (actor.shadow->collective_reads == nullptr) return;
    const std::span<const uint32_t> numbers = taken_in(*actor.shadow->collective_reads, site);
    take_in(actor.open_reads, actor.order.shadow->clocks, warp, numbers, lanes);
}

namespace {

void note_open(GlobalActor& actor, const GlobalTouch& touch) {
    LanesRead read{UINT64_MAX, 0, touch.mask, actor.shadow->collective_reads->numbers[touch.record.site]};
    for (uint32_t rest = touch.mask; rest != 0; rest &= rest - 1) {
        const uint64_t at = touch.at[static_cast<size_t>(std::countr_zero(rest))];
        read.begin = std::min(read.begin, at);
        read.end = std::max(read.end, at + touch.bytes);
    }
    note_read(actor.open_reads, actor.order.shadow->clocks, touch.record.warp, read);
}

}  // namespace

void touch(GlobalActor& actor, GlobalTouch& touch) {
    const auto warp = static_cast<size_t>(touch.record.warp);
    touch.record.at = now(actor.order, touch.record.warp);
    const uint32_t number = number_of(actor, touch.record);
    if (number == 0) return;
    actor.order.warps[warp].touched = true;
    WarpClock& clock = actor.order.shadow->clocks.warp[warp];
    clock.last_global = clock.time;
    const bool reads = (touch.record.flags & (GlobalRecord::kWrite | GlobalRecord::kUpdate)) == 0;
    if (reads && actor.shadow->collective_reads != nullptr) note_open(actor, touch);
    const uint32_t bytes = touch.bytes;
    for (uint32_t rest = touch.mask; rest != 0;) {
        const int lane = std::countr_zero(rest);
        const uint64_t address = touch.at[static_cast<size_t>(lane)];
        const Allocation* a = address % bytes == 0 ? holder(actor, address, bytes) : nullptr;
        rest &= rest - 1;
        if (a == nullptr) continue;
        Run run{address - a->base, bytes, lane, bytes};
        const uint64_t end = std::min((run.offset / kPageBytes + 1) * kPageBytes, uint64_t{a->bytes.size()});
        for (int next = lane + 1; rest != 0 && std::countr_zero(rest) == next; ++next) {
            const uint64_t at = touch.at[static_cast<size_t>(next)] - a->base;
            if (at != run.offset + run.extent || at + bytes > end) break;
            run.extent += bytes;
            rest &= rest - 1;
        }
        if (run.extent == bytes && rest != 0) rest = behind_same(touch, rest, address);
        const Now now{actor, touch.record, *a, number};
        touch_run(now, page_at(*actor.shadow, actor.last_region, run.offset), run);
    }
}

void forget(GlobalShadow& shadow, uint64_t offset, uint64_t bytes) {
    if (shadow.regions.empty()) return;  // races are not looked for
    std::vector<std::atomic<GlobalPage*>>& pages = shadow.regions.back().pages;
    for (uint64_t at = offset; at < offset + bytes;) {
        const uint64_t end = std::min((at / kPageBytes + 1) * kPageBytes, offset + bytes);
        if (GlobalPage* page = pages[at / kPageBytes].load(std::memory_order_acquire)) {
            const Locked locked(*page);
            const size_t first = (at % kPageBytes) >> page->shift,
                         behind = first + ((end - at) >> page->shift);
            for (std::vector<uint32_t>* entries : {&page->writer, &page->reader, &page->reader2})
                if (!entries->empty())
                    std::fill(
                        entries->begin() + static_cast<std::ptrdiff_t>(first),
                        entries->begin() + static_cast<std::ptrdiff_t>(behind),
                        0u
                    );
        }
        at = end;
    }
}

void touch_together(GlobalActor& actor, const GlobalTouch& touch, int first_lane, int lane) {
    const uint64_t address = touch.at[static_cast<size_t>(lane)];
    const Allocation* a = holder(actor, address, touch.bytes);
    if (a == nullptr || actor.conflicts.size() == kMostConflicts) return;
    const uint64_t offset = address - a->base;
    actor.conflicts.push_back(
        {touch.record, first_lane, lane, a, offset, touch.bytes, value_at(*a, offset, touch.bytes)}
    );
}

}  // namespace wl::emulator
