// What a launch read and wrote, run by run, from the pages of its shadow.
#include "instrumentation/emulator/global/global_records.h"
#include "instrumentation/emulator/global/global_shadow.h"
#include "instrumentation/emulator/global/late_accesses.h"
#include "instrumentation/emulator/program/program.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wl::emulator {
namespace {

using execution::Accesses;
using execution::Touched;

constexpr size_t kMany = size_t{1} << 16;  // runs, beyond which neighbours are merged
constexpr size_t kMost = size_t{1} << 20;
constexpr uint32_t kNoSite = UINT32_MAX;  // neighbours of several instructions that became one

// Of one of the four kinds of entries: the run that may still grow.
struct Open {
    uint32_t number = 0;  // of the last record
    Touched run;
};

void close(Open& open, std::vector<Touched>& out) {
    if (open.run.end > open.run.begin) out.push_back(open.run);
    open.run.begin = open.run.end = 0;
}

void add(Open& open, uint64_t begin, uint64_t end, const Touched& what, std::vector<Touched>& out) {
    Touched& run = open.run;
    if (run.end == begin && run.site == what.site && run.strong == what.strong && run.end > run.begin) {
        run.end = end;
        return;
    }
    close(open, out);
    run = what;
    run.begin = begin, run.end = end;
}

Touched described(const GlobalShadow& shadow, uint32_t entry, bool write) {
    const GlobalRecord& record = record_of(shadow, entry);
    Touched out;
    out.site = record.site, out.write = write, out.strong = (record.flags & GlobalRecord::kStrong) != 0;
    return out;
}

// Of an allocation.
struct Extent {
    uint64_t begin = 0, end = 0;
};

struct Reading {
    const GlobalShadow& shadow;
    Extent extent;
    std::array<Open, 4> open;  // writers, plain writers before atomics, readers, second readers
    std::vector<Touched>& out;
};

void read_entries(Reading& r, const GlobalPage& page, uint64_t address, size_t kind) {
    const std::array<const std::vector<uint32_t>*, 4> kinds{
        &page.writer, &page.plain, &page.reader, &page.reader2};
    const std::vector<uint32_t>& entries = *kinds[kind];
    const uint64_t unit = uint64_t{1} << (page.shift + (page.by_line ? kLineShift : 0));
    Open& open = r.open[kind];
    Touched what;
    open.number = 0;
    for (size_t k = 0; k < entries.size(); ++k) {
        const uint32_t number = (entries[k] & ~kSettled) >> kLaneBits;
        if (number == 0) continue;
        if (number != open.number) what = described(r.shadow, entries[k], kind < 2), open.number = number;
        const uint64_t begin = std::max(address + k * unit, r.extent.begin),
                       end = std::min(address + (k + 1) * unit, r.extent.end);
        if (begin < end) add(open, begin, end, what, r.out);
    }
}

void read_region(const GlobalShadow& shadow, const GlobalRegion& region, Extent extent, Accesses& out) {
    Reading r{shadow, extent, {}, out.touched};
    for (size_t p = 0; p < region.pages.size(); ++p) {
        const GlobalPage* page = region.pages[p].load(std::memory_order_acquire);
        if (page == nullptr) continue;
        for (size_t kind = 0; kind < r.open.size(); ++kind)
            read_entries(r, *page, (region.first_page + p) * kPageBytes, kind);
    }
    for (Open& open : r.open) close(open, out.touched);
}

bool by_address(const Touched& a, const Touched& b) {
    return std::tuple(a.begin, a.write, a.site) < std::tuple(b.begin, b.write, b.site);
}

// Neighbours of one kind become one.
void merge(std::vector<Touched>& touched, bool whatever_site) {
    std::vector<Touched> out;
    const auto kind = [](const Touched& t) { return std::tuple(t.write, t.strong, t.early); };
    std::stable_sort(touched.begin(), touched.end(), [&](const Touched& a, const Touched& b) {
        return std::tuple(kind(a), whatever_site ? 0 : a.site, a.begin) <
            std::tuple(kind(b), whatever_site ? 0 : b.site, b.begin);
    });
    for (const Touched& t : touched) {
        const bool grows = !out.empty() && kind(out.back()) == kind(t) && t.begin <= out.back().end &&
            (whatever_site || out.back().site == t.site);
        if (!grows) {
            out.push_back(t);
            continue;
        }
        out.back().end = std::max(out.back().end, t.end);
        if (out.back().site != t.site) out.back().site = kNoSite;
    }
    touched = std::move(out);
}

constexpr const char* kTooMany = "accesses of a launch that makes too many of them";

std::string missing_of(const GlobalShadow& shadow, const Program& program) {
    if (shadow.full) return kTooMany;
    if (!program.texture_forms.empty()) return "accesses of textures and surfaces";
    return shadow.memory->heap != nullptr ? "memory of malloc in kernels" : "";
}

Accesses accesses(GlobalShadow& shadow, const std::vector<Extent>& extents, const std::string& missing) {
    Accesses out;
    out.lets_dependents = shadow.lets_dependents;
    out.missing = missing;
    for (size_t k = 0; k < extents.size(); ++k) read_region(shadow, shadow.regions[k], extents[k], out);
    merge(shadow.early, false);
    out.touched.insert(out.touched.end(), shadow.early.begin(), shadow.early.end());
    if (out.touched.size() > kMany) merge(out.touched, true), out.merged = true;
    if (out.touched.size() > kMost) out.touched.resize(kMost), out.missing = kTooMany;
    if (!std::is_sorted(out.touched.begin(), out.touched.end(), by_address))
        std::sort(out.touched.begin(), out.touched.end(), by_address);
    return out;
}

uint64_t bytes_of(const GlobalShadow& shadow) {
    uint64_t out = shadow.chunks.size() * kRecordsOfChunk * sizeof(GlobalRecord);
    for (const GlobalRegion& r : shadow.regions) out += r.pages.size() * sizeof r.pages[0];
    for (const GlobalPage& p : shadow.pages) {
        out += sizeof p;
        for (const auto* entries : {&p.writer, &p.plain, &p.reader, &p.reader2})
            out += entries->size() * sizeof(uint32_t);
    }
    return out;
}

}  // namespace

void note_early(GlobalActor& actor, const GlobalTouch& touch) {
    GlobalShadow& shadow = *actor.shadow;
    const uint32_t lanes = touch.mask & ~actor.waited[touch.record.warp];
    if (!shadow.programmatic || lanes == 0) return;
    const std::scoped_lock lock(shadow.early_lock);
    for (uint32_t l = 0; l < 32; ++l) {
        if ((lanes >> l & 1) == 0) continue;
        Touched t;
        t.begin = touch.at[l], t.end = t.begin + touch.bytes, t.site = touch.record.site, t.early = true;
        t.write = (touch.record.flags & GlobalRecord::kWrite) != 0;
        t.strong = (touch.record.flags & GlobalRecord::kStrong) != 0;
        auto& all = shadow.early;
        const bool grows = !all.empty() && all.back().site == t.site && all.back().end == t.begin;
        if (grows)
            all.back().end = t.end;
        else
            all.push_back(t);
    }
    if (shadow.early.size() <= shadow.early_merged + kMany) return;
    merge(shadow.early, false);
    shadow.early_merged = shadow.early.size();
}

namespace {
thread_local AccessKeeper* keeper = nullptr;
}

AccessKeeper::AccessKeeper() : outer_(std::exchange(keeper, this)) {}
AccessKeeper::~AccessKeeper() { keeper = outer_; }
AccessKeeper* access_keeper() { return keeper; }

LateAccesses late_accesses(std::shared_ptr<GlobalShadow> shadow, const Program& program) {
    LateAccesses out;
    out.lets_dependents = shadow->lets_dependents, out.full = shadow->full;
    out.bytes = bytes_of(*shadow);
    const auto& allocations = shadow->memory->allocations;
    std::vector<Extent> extents;
    for (size_t k = 0; k < std::min(shadow->regions.size(), allocations.size()); ++k)
        extents.push_back({allocations[k].base, allocations[k].base + allocations[k].bytes.size()});
    std::string missing = missing_of(*shadow, program);
    out.make = [kept = std::move(shadow), extents = std::move(extents), missing = std::move(missing)] {
        return accesses(*kept, extents, missing);
    };
    return out;
}

}  // namespace wl::emulator
