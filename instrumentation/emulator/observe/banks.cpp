// Models the cost of shared and global requests by the rules of base/banks.h, instruction by instruction as
// PTX has them. Not modelled: accesses that ptxas joins or splits, local memory, caches.
#include "instrumentation/emulator/observe/banks.h"

#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/simd.h"

#include <algorithm>
#include <tuple>

namespace wl::emulator {
namespace {

using ptx::Space;

constexpr uint32_t kMostPatterns = 1024;  // of one memory site

void add_lane(LaneAccesses& to, const MemoryRequest& r, int lane, uint64_t address) {
    to.kind = r.kind, to.bytes = r.bytes;
    to.mask |= 1u << lane;
    to.at[static_cast<size_t>(lane)] = address;
}

struct Cost {
    int cost = 0, ideal = 0, degree = 0;
};
void add(const Warp& w, capture::AccessSite& to, const LaneAccesses& a, Cost c) {
    ++to.requests;
    to.cost += static_cast<uint64_t>(c.cost);
    to.ideal += static_cast<uint64_t>(c.ideal);
    to.degree = std::max(to.degree, c.degree);
    to.kind = a.kind;
    to.bytes = a.bytes;
    if (c.cost > to.witness.cost) to.witness = {w.block->now.index, w.index, a, c.cost};
}

uint64_t hash_of(size_t site, const LaneAccesses& a) {
    uint64_t h = site * 0x9e3779b97f4a7c15 + a.mask;
    for (const uint64_t at : a.at) h = (h ^ at) * 0xff51afd7ed558ccd, h ^= h >> 32;
    return h;
}

void add_pattern(AccessCounter& counter, size_t site, const LaneAccesses& a) {
    const auto [known, fresh] = counter.pattern_at.try_emplace(hash_of(site, a), counter.patterns.size());
    if (!fresh) {
        ++counter.patterns[known->second].count;
        return;
    }
    if (counter.patterns_of[site] == kMostPatterns) {
        counter.pattern_at.erase(known);
        counter.patterns_complete = false;
        return;
    }
    ++counter.patterns_of[site];
    counter.patterns.push_back({counter.counting->program->memory_sites[site].site, 1, a});
}

// Of a copy past L1: where it reads. nullptr: the instruction is none.
const LaneAccesses* copied_from(const AccessCounter& counter) {
    const auto found =
        std::find_if(counter.pending_global.begin(), counter.pending_global.end(), [](const LaneAccesses& a) {
            return a.mask != 0 && passes_l1(a);
        });
    return found == counter.pending_global.end() ? nullptr : &*found;
}

BankCost cost_of(const AccessCounter& counter, const LaneAccesses& a) {
    return passes_l1(a) ? copy_cost(a, copied_from(counter)) : bank_cost(a);
}

void count_shared(const Warp& w, AccessCounter& counter, size_t site, LaneAccesses& a) {
    if (a.mask == 0) return;
    const auto& maps = counter.counting->row_maps;
    if (maps.empty() && w.block->now.index == counter.pattern_block) add_pattern(counter, site, a);
    for (uint64_t& at : a.at) {
        const auto map = std::find_if(maps.begin(), maps.end(), [at](const RowMap& m) {
            return at >= m.begin && at < m.end;
        });
        if (map != maps.end()) at = moved(*map, at);
    }
    const BankCost c = cost_of(counter, a);
    add(w, counter.shared[site], a, {c.wavefronts, c.ideal, c.degree});
}

// `written`: sectors of shared memory, of a copy past L1.
void count_global(const Warp& w, AccessCounter& counter, size_t site, const LaneAccesses& a, int written) {
    if (a.mask == 0) return;
    const SectorCost c = sector_cost(a);
    add(w, counter.global[site], a, {passes_l1(a) ? std::max(c.sectors, written) : c.sectors, c.ideal, 0});
}

// Stands before a memory instruction's executor. Addresses are read first, as the instruction may write their
// registers; they are counted once it was executed, as a collective may have to wait and come again.
const Instr* count(Warp& w, const Instr* i, const Hook& hook) {
    AccessCounter& counter = *w.block->counter;
    counter.pending_shared.clear();
    counter.pending_global.clear();
    const std::vector<MemorySite>& sites = w.block->context.program->memory_sites;
    const size_t first = hook.traits->first_memory, end = first + hook.traits->memory.size();
    for (const MemorySite& site : hook.traits->memory)
        for (const MemoryRequest& r : site.requests) {
            const Asked asked = asked_by(w, w.mask, site, r);
            counter.pending_shared.push_back(asked.shared);
            counter.pending_global.push_back(asked.global);
        }
    const Instr* next = go_on(hook, w, i);
    if (next == nullptr) return next;
    size_t k = 0;
    int written = 0;
    for (size_t s = first; s < end; ++s) {
        for (size_t r = 0; r < sites[s].requests.size(); ++r, ++k) {
            const LaneAccesses& a = counter.pending_shared[k];
            count_shared(w, counter, s, counter.pending_shared[k]);
            if (a.mask != 0 && passes_l1(a)) written = sector_cost(a).sectors;
        }
    }
    k = 0;
    for (size_t s = first; s < end; ++s)
        for (size_t r = 0; r < sites[s].requests.size(); ++r, ++k)
            count_global(w, counter, s, counter.pending_global[k], written);
    return next;
}

void add(capture::AccessSite& to, const capture::AccessSite& from) {
    if (from.requests == 0) return;
    to.requests += from.requests;
    to.cost += from.cost;
    to.ideal += from.ideal;
    to.degree = std::max(to.degree, from.degree);
    to.kind = from.kind;
    to.bytes = from.bytes;
    const capture::AccessWitness &a = from.witness, &b = to.witness;
    if (b.block < 0 || a.cost > b.cost || (a.cost == b.cost && a.block < b.block)) to.witness = a;
}

}  // namespace

Asked asked_by(Warp& w, uint32_t lanes, const MemorySite& site, const MemoryRequest& r) {
    Asked asked;
    const uint32_t* stride = site.stride != 0 ? cells<uint32_t>(w, site.stride) : nullptr;
    for (uint32_t rest = site.size == 0 ? lanes & r.lanes : 0; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto l = static_cast<size_t>(lane);
        uint64_t address = address_of(w, site, lane) + r.byte[l];
        if (stride != nullptr) address += uint64_t{r.line[l]} * stride[lane] * site.element;
        const uint64_t window = address & kWindowMask;
        const bool generic = site.space == Space::generic;
        if (site.space == Space::shared || (generic && window == kSharedBase))
            add_lane(asked.shared, r, lane, address & ~kWindowMask);
        else if (site.space == Space::global || (generic && window == 0))
            add_lane(asked.global, r, lane, address);
    }
    return asked;
}

void count_accesses(Hooked& hooked, Variant variant) {
    put_instead(hooked, in_variant(At::lanes, variant), count, [](const Traits& t) {
        return !t.memory.empty();
    });
}

void begin_counting(AccessCounter& counter, const AccessCounting& counting, int64_t pattern_block) {
    counter.counting = &counting;
    counter.pattern_block = pattern_block;
    const size_t sites = counting.program->memory_sites.size();
    counter.shared.resize(sites);
    counter.global.resize(sites);
    counter.patterns_of.resize(sites);
}

void note_region(AccessCounter& counter, const capture::SharedRegion& region) {
    auto& known = counter.regions;
    if (std::find(known.begin(), known.end(), region) == known.end()) known.push_back(region);
}

capture::AccessCounts gathered(
    const AccessCounting& counting, const std::vector<const AccessCounter*>& counters
) {
    const Program& program = *counting.program;
    capture::AccessCounts out;
    for (size_t s = 0; s < program.memory_sites.size(); ++s) {
        for (const bool global : {false, true}) {
            capture::AccessSite sum;
            sum.site = program.memory_sites[s].site;
            sum.global = global;
            for (const AccessCounter* c : counters) add(sum, global ? c->global[s] : c->shared[s]);
            if (sum.requests != 0) out.sites.push_back(sum);
        }
    }
    AccessCounter regions;
    for (const SharedVariable& v : program.shared_variables)
        note_region(regions, {v.name, true, v.offset, 1, static_cast<int64_t>(v.bytes), 0, 1});
    for (const AccessCounter* c : counters) {
        for (const capture::SharedRegion& r : c->regions) note_region(regions, r);
        out.patterns.insert(out.patterns.end(), c->patterns.begin(), c->patterns.end());
        out.patterns_complete = out.patterns_complete && c->patterns_complete;
    }
    std::stable_sort(out.patterns.begin(), out.patterns.end(), [](const auto& a, const auto& b) {
        return a.site < b.site;
    });
    std::sort(regions.regions.begin(), regions.regions.end(), [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.name, a.rows) < std::tie(b.begin, b.name, b.rows);
    });
    out.regions = std::move(regions.regions);
    out.uncounted = program.uncounted_sites;
    return out;
}

}  // namespace wl::emulator
