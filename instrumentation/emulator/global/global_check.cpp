#include "instrumentation/emulator/global/global_check.h"

#include "instrumentation/emulator/global/explore.h"
#include "instrumentation/emulator/global/proxies.h"
#include "instrumentation/emulator/global/read_only.h"
#include "instrumentation/emulator/global/turn_log.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace wl::emulator {
namespace {

using ptx::Space;

constexpr uint64_t kPauses = 3;  // before one in so many accesses of a random schedule

// The lanes' addresses of one request, by memory.
struct Addresses {
    std::array<uint64_t, kLanes> at{};
    uint32_t global = 0, shared = 0;  // lanes
};
// One line of global memory, which most instructions point at: lanes that do not count are computed too, so
// that all of them are in one vector.
void read_global_addresses(Warp& w, const MemorySite& site, const MemoryRequest& r, Addresses& out) {
    const uint64_t* base = cells<uint64_t>(w, site.slot);
    const auto displacement = static_cast<uint64_t>(site.displacement);
    for (size_t l = 0; l < kLanes; ++l) out.at[l] = base[l] + displacement + r.byte[l];
    out.global = w.mask & r.lanes;
}

void read_addresses(Warp& w, const MemorySite& site, const MemoryRequest& r, Addresses& out) {
    if (site.space == Space::global && site.wide && site.stride == 0)
        return read_global_addresses(w, site, r, out);
    const uint32_t* stride = site.stride != 0 ? cells<uint32_t>(w, site.stride) : nullptr;
    const bool generic = site.space == Space::generic;
    for (uint32_t rest = w.mask & r.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto l = static_cast<size_t>(lane);
        uint64_t address = address_of(w, site, lane) + r.byte[l];
        if (stride != nullptr) address += uint64_t{r.line[l]} * stride[lane] * site.element;
        const uint64_t window = address & kWindowMask;
        if (site.space == Space::shared || (generic && window == kSharedBase))
            out.shared |= 1u << lane;
        else if (site.space == Space::global || (generic && window == 0))
            out.global |= 1u << lane;
        out.at[l] = address;
    }
}

bool is_written(AccessKind kind) { return kind == AccessKind::store || kind == AccessKind::atomic; }

uint8_t flags_of(const OrderSite& order, AccessKind kind, const WarpOrder& own) {
    int flags = is_written(kind) ? GlobalRecord::kWrite : 0;
    if (order.strong) flags |= GlobalRecord::kStrong;
    if (order.update) flags |= GlobalRecord::kUpdate;
    if (order.block_only) flags |= GlobalRecord::kBlockOnly;
    if (order.ordered) flags |= GlobalRecord::kOrdered;
    if (order.polls) flags |= GlobalRecord::kPolls;
    if (order.strong && own.hands_on) flags |= GlobalRecord::kFenced;
    return static_cast<uint8_t>(flags);
}

// Volatile and atomic accesses order what lies around them: a read acquires before its own access is looked
// at, a write releases.
void synchronise(Warp& w, const OrderSite& order, const MemoryRequest& r, const Addresses& a, uint32_t site) {
    GlobalActor& actor = *w.block->global;
    const bool acquires = !order.block_only && actor.shadow->acquires[site] != 0;
    const uint32_t lanes = a.global | a.shared;
    if (lanes == 0) return;
    if (order.releases) fence(actor.order, w.index, lanes, order.block_only);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        uint64_t location = a.at[static_cast<size_t>(lane)];
        if (has_lane(a.shared, lane)) location = location_of(w.block->now.index, location & ~kWindowMask);
        const Agent agent{&actor.order, w.index, lane};
        const bool reads = order.update || r.kind == AccessKind::load, writes = r.kind != AccessKind::load;
        if (reads) see_flag(actor.order, w.index, lane, location);
        if (writes) raise_flag(actor.order, w.index, location, order.update);
        if (!actor.shadow->look_for.witnesses) continue;
        if (reads) strong_read(actor.shadow->order, agent, location, acquires);
        if (writes) strong_write(actor.shadow->order, agent, location, order.update);
    }
}

// st, as against matrix stores and atomics: its form is in Instr::target, its values in r.
bool is_plain_store(const Traits& traits, const MemorySite& site) {
    return traits.memory.size() == 1 && site.requests.size() == 1 && site.stride == 0 &&
        site.requests[0].kind == AccessKind::store && !traits.order.update;
}

uint64_t stored_by(Warp& w, const Instr* i, int lane) {
    const MemoryForm f = decode(i->target);
    const size_t cell = f.wide_cells ? 8 : 4;
    std::array<std::byte, 8> bytes{};
    for (size_t c = 0; c < f.count && (c + 1) * f.element <= bytes.size(); ++c)
        std::memcpy(
            bytes.data() + c * f.element, w.registers + i->r[c] + static_cast<size_t>(lane) * cell, f.element
        );
    return std::bit_cast<uint64_t>(bytes);
}

bool stores_same(Warp& w, const Instr* i, int a, int b) {
    const MemoryForm f = decode(i->target);
    const size_t cell = f.wide_cells ? 8 : 4;
    for (size_t c = 0; c < std::min<size_t>(f.count, 4); ++c) {
        const std::byte* values = w.registers + i->r[c];
        const std::byte *one = values + static_cast<size_t>(a) * cell,
                        *other = values + static_cast<size_t>(b) * cell;
        if (std::memcmp(one, other, f.element) != 0) return false;
    }
    return true;
}

// Each lane points behind all before it.
bool rise(const GlobalTouch& t) {
    if (t.mask == kAllLanes) {
        bool rising = true;
        for (size_t l = 1; l < kLanes; ++l) rising &= t.at[l] > t.at[l - 1];
        return rising;
    }
    uint64_t last = 0;
    for (uint32_t rest = t.mask; rest != 0; rest &= rest - 1) {
        const uint64_t at = t.at[static_cast<size_t>(first_lane(rest))];
        if (at <= last) return false;
        last = at;
    }
    return true;
}

// Lanes of one store that meet with different values: whose stays is not said.
void look_at_lanes(Warp& w, const Instr* i, const GlobalTouch& t) {
    if (rise(t)) return;
    for (uint32_t rest = t.mask; rest != 0;) {
        const int lane = first_lane(rest);
        rest &= rest - 1;
        for (uint32_t behind = rest; behind != 0; behind &= behind - 1) {
            const int other = first_lane(behind);
            if (t.at[static_cast<size_t>(lane)] != t.at[static_cast<size_t>(other)]) continue;
            rest &= ~(1u << other);  // who stores the same as the first of them stores the same as each
            if (stores_same(w, i, lane, other)) continue;
            const StoredTogether stored{lane, other, stored_by(w, i, lane), stored_by(w, i, other)};
            touch_together(*w.block->global, t, stored);
        }
    }
}

// One request of an instruction, of the lanes that point into global memory.
void look_at(
    Warp& w, const Instr* i, const OrderSite& order, AccessKind kind, GlobalTouch& t, bool later = false
) {
    GlobalActor& actor = *w.block->global;
    t.record.block = static_cast<uint32_t>(w.block->now.index);
    t.record.site = i->site;
    t.record.epoch = static_cast<uint16_t>(w.epoch);
    t.record.warp = static_cast<uint8_t>(w.index);
    t.record.flags = flags_of(order, kind, actor.order.warps[static_cast<size_t>(w.index)]);
    if (later) t.record.flags |= GlobalRecord::kLater;
    if (actor.shadow->programmatic) note_early(actor, t);
    touch(actor, t);
}

bool lies_in_memory(GlobalMemory& memory, uint64_t address, uint64_t bytes) {
    return find(memory, address, bytes) != nullptr ||
        (memory.heap != nullptr && find(*memory.heap, address, bytes));
}

// The bytes of a run, thread by thread, in pieces of what its addresses are multiples of. A run that leaves
// its memory moves nothing, however long it is.
void look_at_runs(
    Warp& w, const Instr* i, const OrderSite& order, const MemorySite& site, const Addresses& a
) {
    const MemoryRequest& r = site.requests[0];
    for (uint32_t rest = a.global; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        std::array<uint64_t, kLanes> at = a.at;
        const uint32_t size = cells<uint32_t>(w, site.size)[lane];
        if (!lies_in_memory(*w.block->context.memory, at[lane], size)) continue;
        for (uint64_t done = 0; done + r.bytes <= size; done += r.bytes, at[lane] += r.bytes) {
            GlobalTouch t{{}, rest & -rest, r.bytes, at};
            look_at(w, i, order, r.kind, t, true);
        }
    }
}

void look(Warp& w, const Instr* i, const Traits& traits) {
    for (const MemorySite& site : traits.memory) {
        for (const MemoryRequest& r : site.requests) {
            Addresses a;
            read_addresses(w, site, r, a);
            if (traits.order.strong)
                synchronise(w, traits.order, r, a, i->site);
            else if (w.block->global->order.warps[static_cast<size_t>(w.index)].pending != nullptr)
                confirm(w.block->global->order, w.index);
            if (a.global == 0) continue;
            if (site.size != 0) {
                look_at_runs(w, i, traits.order, site, a);
                continue;
            }
            GlobalTouch t{{}, a.global, r.bytes, a.at};
            look_at(w, i, traits.order, r.kind, t);
            if (is_plain_store(traits, site) && !traits.order.strong) look_at_lanes(w, i, t);
        }
    }
}

const char* sequence(const Incident& i, bool strong) {
    if (strong) return "read of a volatile store that no fence hands on";
    return !i.first.write ? "write after read" : i.second.write ? "write after write" : "read after write";
}

bool is_one_instruction(const Warp& w, const Instr* i, const GlobalConflict& c) {
    return c.first.site == i->site && c.first.block == static_cast<uint32_t>(w.block->now.index) &&
        c.first.warp == static_cast<uint8_t>(w.index) && (c.first.flags & GlobalRecord::kWrite) != 0;
}

struct Made {
    AccessKind kind = AccessKind::load;
    bool strong = false;
    bool executed = false;  // memory holds what the access left
};

void report_conflicts(Warp& w, const Instr* i, const Made& second) {
    GlobalActor& actor = *w.block->global;
    for (const GlobalConflict& c : actor.conflicts) {
        uint64_t after = 0;
        std::memcpy(&after, c.allocation->bytes.data() + c.offset, std::min(c.bytes, 8u));
        Incident incident;
        incident.second = witness(w, i, c.lane == kSomeLane ? 0 : 1u << c.lane);
        incident.second.write = is_written(second.kind);
        incident.second.value = after;
        const bool strong = (c.first.flags & GlobalRecord::kStrong) != 0;
        incident.first.write = (c.first.flags & GlobalRecord::kWrite) != 0;
        const bool together = is_one_instruction(w, i, c);
        const bool no_news =
            !strong && !second.strong && incident.first.write && incident.second.write && after == c.before;
        if (no_news && second.executed && !together) continue;
        incident.detail = together ? "lanes write to one place" : sequence(incident, strong && second.strong);
        report(*actor.shadow, c, std::move(incident));
    }
    actor.conflicts.clear();
}

// An access at which a turn begins has had its pause. A pure function of the warp's state: a block that goes
// on from a state that was kept pauses where it paused before.
bool pauses_here(Warp& w, const Instr* i) {
    if (w.segment == i || (i->guard != kNoGuard && (w.mask & read_predicate(w, i->guard)) == 0)) return false;
    uint64_t state = w.block->now.random ^ time_at(w, i) * 64 ^ static_cast<uint64_t>(w.index);
    return next_random(state) % kPauses == 0;
}

const Instr* pause(Warp& w, const Instr* i, const Hook& hook) {
    return pauses_here(w, i) ? end_slice(w, i) : go_on(hook, w, i);
}

void tell(Warp& w, const Instr*, const Hook& hook) {
    for (const MemorySite& site : hook.traits->memory)
        for (const MemoryRequest& r : site.requests) {
            if (!is_written(r.kind)) continue;
            Addresses a;
            read_addresses(w, site, r, a);
            for (uint32_t rest = a.global; rest != 0; rest &= rest - 1)
                note_store(
                    *w.block->global->check->log,
                    *w.block->context.memory,
                    a.at[static_cast<size_t>(first_lane(rest))],
                    r.bytes
                );
        }
}

Strength strength_of(const OrderSite& order, const WarpOrder& own) {
    if (order.ordered) return Strength::atomic;
    return order.polls || (order.writes && !own.fences.empty()) ? Strength::handed : Strength::loose;
}

const Instr* look_and_execute(Warp& w, const Instr* i, const Hook& hook) {
    GlobalActor& actor = *w.block->global;
    const OrderSite& order = hook.traits->order;
    if (order.fence) {
        fence(actor.order, w.index, w.mask, order.block_only);
        return go_on(hook, w, i);
    }
    if (i->takes_in && w.mask == w.exists) take_in(actor, w.index, i->site, w.mask);
    if (!actor.check->shadow.full) look(w, i, *hook.traits);
    Shadow& shared = *actor.order.shadow;
    if (order.strong) shared.strength = strength_of(order, actor.order.warps[static_cast<size_t>(w.index)]);
    const Instr* next = go_on(hook, w, i);
    shared.strength = Strength::plain;
    if (actor.conflicts.empty()) return next;
    report_conflicts(w, i, {hook.traits->memory.back().requests[0].kind, order.strong, next != nullptr});
    return next;
}

bool is_watched(const Traits& t) {
    return t.order.fence || (!t.memory.empty() && t.order.strong) ||
        std::any_of(t.memory.begin(), t.memory.end(), [](const MemorySite& s) {
               return s.space == Space::global || s.space == Space::generic;
           });
}

}  // namespace

void before_surface(Warp& w, const Instr* i, const SurfaceTouch& t) {
    const GlobalActor* actor = w.block->global.get();
    if (actor == nullptr || actor->shadow->memory == nullptr || actor->shadow->full || t.mask == 0) return;
    OrderSite order;
    order.strong = order.ordered = order.update = t.kind == AccessKind::atomic;
    GlobalTouch touched{{}, t.mask, t.bytes, t.at};
    look_at(w, i, order, t.kind, touched);
}

void after_surface(Warp& w, const Instr* i, const SurfaceTouch& t) {
    const GlobalActor* actor = w.block->global.get();
    if (actor == nullptr || actor->conflicts.empty()) return;
    report_conflicts(w, i, {t.kind, t.kind == AccessKind::atomic, true});
}

void look_for_races(Hooked& hooked, Variant variant) {
    look_for_proxies(hooked, variant);
    put_instead(hooked, in_variant(At::lanes, variant), look_and_execute, is_watched);
}

void tell_stores(GlobalCheck& check, Hooked& hooked, TurnLog& log) {
    check.log = &log;
    put_before<tell>(hooked, in_variant(At::split, kPlain), [](const Traits& t) {
        return !t.memory.empty();
    });
}

void follow(GlobalCheck& check, Hooked& hooked, uint64_t seed, const std::optional<PairOrder>& pair) {
    if (pair) {
        check.pair = std::make_unique<PairRun>(PairRun{*pair});
        keep_order(*pair, hooked);
    }
    if (is_random(seed)) put_instead(hooked, {}, pause, is_watched);
}

namespace {

std::vector<char> acquiring_sites(const Program& program) {
    std::vector<char> out(program.listing.sites.size(), 0);
    for (const OrderSite& s : program.order_sites) {
        const uint32_t site = program.code[0][s.instruction].site;
        const std::string& text = program.listing.sites[site].text;
        out[site] = text.find(".acquire") != text.npos || text.find(".acq_rel") != text.npos ? 1 : 0;
    }
    return out;
}

}  // namespace

void start(GlobalCheck& check, const Program& program, GlobalMemory& memory, LookFor look_for) {
    start(check.shadow, memory, look_for);
    const CollectiveReads& reads = program.collective_reads;
    check.shadow.collective_reads = reads.lists.empty() ? nullptr : &reads;
    check.shadow.read_only = read_only_sites(program);
    check.shadow.acquires = acquiring_sites(program);
    check.has_bulk_copies = program.reads_async ||
        std::any_of(program.memory_sites.begin(), program.memory_sites.end(), [](const MemorySite& s) {
                                return s.size != 0 && s.space == Space::shared;
                            });
    check.loose_is_plain =
        std::none_of(program.order_sites.begin(), program.order_sites.end(), [](const OrderSite& s) {
            return s.fence || s.polls || s.ordered;
        });
}

void begin_global(GlobalCheck& check, Block& block) {
    if (block.global == nullptr) block.global = std::make_shared<GlobalActor>();
    block.global->check = &check;
    block.shadow.loose_is_plain = check.loose_is_plain;
    begin(*block.global, check.shadow, block.now.index, block.shadow);
    block.global->proxies.reset();
    if (check.has_bulk_copies) block.global->proxies = started_proxies(block.shadow.block.bytes);
}

}  // namespace wl::emulator
