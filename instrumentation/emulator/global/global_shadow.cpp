#include "instrumentation/emulator/global/global_shadow.h"

#include "instrumentation/emulator/global/global_records.h"
#include "instrumentation/emulator/global/global_units.h"
#include "instrumentation/emulator/memory/heap.h"
#include "instrumentation/emulator/program/program.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wl::emulator {
namespace {

// ---- pages

GlobalPage& page_at(GlobalShadow& shadow, size_t number, uint64_t address) {
    GlobalRegion& region = shadow.regions[number];
    std::atomic<GlobalPage*>& place = region.pages[address / kPageBytes - region.first_page];
    if (GlobalPage* page = place.load(std::memory_order_acquire)) return *page;
    const std::scoped_lock lock(shadow.lock);
    if (GlobalPage* page = place.load(std::memory_order_acquire)) return *page;
    GlobalPage& page = shadow.pages.emplace_back();
    place.store(&page, std::memory_order_release);
    return page;
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
        region.first_page = a.base / kPageBytes;
        const uint64_t pages =
            a.bytes.empty() ? 0 : (a.base + a.bytes.size() - 1) / kPageBytes - region.first_page + 1;
        region.pages = std::vector<std::atomic<GlobalPage*>>(pages);
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
    actor.waited = {};
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

// Whether every lane of the mask points right behind the one before it, those between them counted.
bool in_a_row(const GlobalTouch& touch) {
    const auto first = static_cast<uint64_t>(std::countr_zero(touch.mask));
    const uint64_t start = touch.at[first] - first * touch.bytes;
    uint64_t differ = 0;
    for (uint64_t l = 0; l < 32; ++l) {
        const uint64_t counts = 0 - uint64_t{touch.mask >> l & 1};
        differ |= (touch.at[l] ^ (start + l * touch.bytes)) & counts;
    }
    return differ == 0;
}

// How many lanes from `lane` on, of those in `rest`, point one behind the other from their first on, the last
// one's bytes before `end`.
uint32_t lanes_of_run(const GlobalTouch& touch, uint32_t rest, int lane, uint64_t end, bool row) {
    const uint64_t start = touch.at[static_cast<size_t>(lane)];
    const auto most = static_cast<uint32_t>(std::countr_one(rest >> lane));
    if (row) return static_cast<uint32_t>(std::clamp<uint64_t>((end - start) / touch.bytes, 1, most));
    uint32_t count = 1;
    for (; count < most; ++count) {
        const uint64_t at = touch.at[static_cast<size_t>(lane) + count];
        if (at != start + uint64_t{count} * touch.bytes || at + touch.bytes > end) break;
    }
    return count;
}

// Where the last lane pointed: the allocation, and of it what lies in one page.
struct Here {
    const Allocation* allocation = nullptr;
    GlobalPage* page = nullptr;
    uint64_t begin = 0, end = 0;  // addresses
};

bool find_page(GlobalActor& actor, uint64_t address, uint32_t bytes, Here& here) {
    // Of any address: a sum with `bytes` may wrap around.
    const uint64_t into = address - here.begin, length = here.end - here.begin;
    if (into < length && bytes <= length - into) return (address & (bytes - 1)) == 0;
    const Allocation* a = (address & (bytes - 1)) == 0 ? holder(actor, address, bytes) : nullptr;
    // Of what was allocated while the launch waited for others nothing is kept.
    if (a == nullptr || actor.last_region >= actor.shadow->regions.size()) return false;
    const uint64_t page = address / kPageBytes * kPageBytes;
    here.allocation = a;
    here.page = &page_at(*actor.shadow, actor.last_region, address);
    here.begin = std::max(page, a->base);
    here.end = std::min(page + kPageBytes, a->base + a->bytes.size());
    return true;
}

void touch_lanes(GlobalActor& actor, const GlobalTouch& touch, uint32_t number) {
    const bool row = in_a_row(touch);
    Here here;
    Judged last;
    for (uint32_t rest = touch.mask; rest != 0;) {
        const int lane = std::countr_zero(rest);
        const uint64_t address = touch.at[static_cast<size_t>(lane)];
        if (!find_page(actor, address, touch.bytes, here)) {
            rest &= rest - 1;
            continue;
        }
        const uint32_t count = lanes_of_run(touch, rest, lane, here.end, row);
        rest &= count == 32 ? 0 : ~(((1u << count) - 1) << lane);
        const bool several =
            count == 1 && rest != 0 && touch.at[static_cast<size_t>(std::countr_zero(rest))] == address;
        if (several) rest = behind_same(touch, rest, address);
        const NowTouched now{actor, touch.record, *here.allocation, number};
        touch_run(now, *here.page, {address, count * touch.bytes, lane, touch.bytes, several}, last);
    }
}

}  // namespace

void touch(GlobalActor& actor, GlobalTouch& touch) {
    const auto warp = static_cast<size_t>(touch.record.warp);
    touch.record.at = now(actor.order, touch.record.warp);
    const uint32_t number = number_of(actor, touch.record);
    if (number == 0) return;
    actor.order.warps[warp].touched = true;
    if ((touch.record.flags & GlobalRecord::kWrite) != 0)
        actor.order.warps[warp].hands_on = false, actor.order.wrote = true;
    WarpClock& clock = actor.order.shadow->clocks.warp[warp];
    clock.last_global = clock.time;
    if ((touch.record.flags & GlobalRecord::kUpdate) != 0 &&
        !actor.shadow->updated.load(std::memory_order_relaxed))
        actor.shadow->updated.store(true, std::memory_order_relaxed);
    const bool reads = (touch.record.flags & (GlobalRecord::kWrite | GlobalRecord::kUpdate)) == 0;
    if (reads && actor.shadow->collective_reads != nullptr) note_open(actor, touch);
    touch_lanes(actor, touch, number);
}

void forget(GlobalShadow& shadow, uint64_t address, uint64_t bytes) {
    if (shadow.regions.empty()) return;  // races are not looked for
    GlobalRegion& heap = shadow.regions.back();
    for (uint64_t at = address; at < address + bytes;) {
        const uint64_t end = std::min((at / kPageBytes + 1) * kPageBytes, address + bytes);
        if (GlobalPage* page =
                heap.pages[at / kPageBytes - heap.first_page].load(std::memory_order_acquire)) {
            const Locked locked(*page);
            if (page->by_line) spread(*page);
            const size_t first = (at % kPageBytes) >> page->shift,
                         behind = first + ((end - at) >> page->shift);
            for (std::vector<uint32_t>* entries :
                 {&page->writer, &page->plain, &page->reader, &page->reader2})
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

void touch_together(GlobalActor& actor, const GlobalTouch& touch, const StoredTogether& stored) {
    const uint64_t address = touch.at[static_cast<size_t>(stored.lane)];
    const Allocation* a = holder(actor, address, touch.bytes);
    if (a == nullptr || actor.conflicts.size() == kMostConflicts) return;
    const uint64_t offset = address - a->base;
    GlobalConflict conflict{
        touch.record, stored.first_lane, stored.lane, a, offset, touch.bytes, touch.bytes};
    conflict.before = value_at(*a, offset, touch.bytes);
    conflict.stored = std::pair(stored.first, stored.second);
    actor.conflicts.push_back(conflict);
}

}  // namespace wl::emulator
