#include "instrumentation/emulator/global_check.h"

#include "instrumentation/emulator/access.h"
#include "instrumentation/emulator/explore.h"
#include "instrumentation/emulator/incidents.h"
#include "instrumentation/emulator/put_before.h"
#include "instrumentation/emulator/schedule.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

using ptx::Space;

constexpr uint64_t kPauses = 3;  // before one in so many accesses of a random schedule

// The lanes' addresses of one request, by memory.
struct Addresses {
    std::array<uint64_t, kLanes> at{};
    uint32_t global = 0, shared = 0;  // lanes
};
void read_addresses(Warp& w, const MemorySite& site, const MemoryRequest& r, Addresses& out) {
    const uint32_t* stride = site.stride != 0 ? cells<uint32_t>(w, site.stride) : nullptr;
    const auto displacement = static_cast<uint64_t>(site.displacement);
    const bool generic = site.space == Space::generic;
    for (uint32_t rest = w.mask & r.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto l = static_cast<size_t>(lane);
        uint64_t address = site.wide
            ? cells<uint64_t>(w, site.slot)[lane] + displacement
            : static_cast<uint32_t>(
                  cells<uint32_t>(w, site.slot)[lane] + static_cast<uint32_t>(displacement)
              );
        address += r.byte[l];
        if (stride != nullptr) address += uint64_t{r.line[l]} * stride[lane] * site.element;
        const uint64_t window = address & kWindowMask;
        if (site.space == Space::shared || (generic && window == kSharedBase))
            out.shared |= 1u << lane;
        else if (site.space == Space::global || (generic && window == 0))
            out.global |= 1u << lane;
        out.at[l] = address;
    }
}

uint8_t flags_of(const OrderSite& order, AccessKind kind, const WarpOrder& own) {
    int flags = kind == AccessKind::store || kind == AccessKind::atomic ? GlobalRecord::kWrite : 0;
    if (order.strong) flags |= GlobalRecord::kStrong;
    if (order.update) flags |= GlobalRecord::kUpdate;
    if (order.block_only) flags |= GlobalRecord::kBlockOnly;
    const bool fenced =
        std::any_of(own.fences.begin(), own.fences.end(), [](const Fence& f) { return !f.block_only; });
    if (order.strong && fenced) flags |= GlobalRecord::kFenced;
    return static_cast<uint8_t>(flags);
}

// Volatile and atomic accesses order what lies around them: a read acquires before its own access is looked
// at, a write releases.
void synchronise(Warp& w, const OrderSite& order, const MemoryRequest& r, const Addresses& a) {
    GlobalActor& actor = *w.block->global;
    const uint32_t lanes = a.global | a.shared;
    if (lanes == 0) return;
    if (order.releases) fence(actor.order, w.index, lanes, order.block_only);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        uint64_t location = a.at[static_cast<size_t>(lane)];
        if (has_lane(a.shared, lane)) location = location_of(w.block->index, location & ~kWindowMask);
        const Agent agent{&actor.order, w.index, lane};
        const bool reads = order.update || r.kind == AccessKind::load, writes = r.kind != AccessKind::load;
        if (reads) see_flag(actor.order, w.index, lane, location);
        if (writes) raise_flag(actor.order, w.index, location, order.update);
        if (!actor.shadow->one_thread) continue;
        if (reads) strong_read(actor.shadow->order, agent, location);
        if (writes) strong_write(actor.shadow->order, agent, location, order.update);
    }
}

// st, as against matrix stores and atomics: its form is in Instr::target, its values in r.
bool is_plain_store(const GlobalCheck::Hooked& hooked, const MemorySite& site) {
    return hooked.count == 1 && site.requests.size() == 1 && site.stride == 0 &&
        site.requests[0].kind == AccessKind::store && !hooked.order.update;
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

// Lanes of one store that meet with different values: whose stays is not said.
void look_at_lanes(Warp& w, const Instr* i, const GlobalTouch& t) {
    uint64_t last = 0;
    bool rising = true;
    for (uint32_t rest = t.mask; rising && rest != 0; rest &= rest - 1) {
        const uint64_t at = t.at[static_cast<size_t>(first_lane(rest))];
        rising = at > last;
        last = at;
    }
    if (rising) return;
    for (uint32_t rest = t.mask; rest != 0;) {
        const int lane = first_lane(rest);
        rest &= rest - 1;
        for (uint32_t behind = rest; behind != 0; behind &= behind - 1) {
            const int other = first_lane(behind);
            if (t.at[static_cast<size_t>(lane)] != t.at[static_cast<size_t>(other)]) continue;
            rest &= ~(1u << other);  // who stores the same as the first of them stores the same as each
            if (!stores_same(w, i, lane, other)) touch_together(*w.block->global, t, lane, other);
        }
    }
}

void look(Warp& w, const Instr* i, const GlobalCheck& check, const GlobalCheck::Hooked& hooked) {
    GlobalActor& actor = *w.block->global;
    for (size_t s = hooked.first; s < hooked.first + hooked.count; ++s) {
        const MemorySite& site = check.program.memory_sites[s];
        for (const MemoryRequest& r : site.requests) {
            Addresses a;
            read_addresses(w, site, r, a);
            if (hooked.order.strong) synchronise(w, hooked.order, r, a);
            if (a.global == 0) continue;
            GlobalTouch t{{}, a.global, r.bytes, a.at};
            t.record.block = static_cast<uint32_t>(w.block->index);
            t.record.site = i->site;
            t.record.epoch = static_cast<uint16_t>(w.epoch);
            t.record.warp = static_cast<uint8_t>(w.index);
            t.record.flags = flags_of(hooked.order, r.kind, actor.order.warps[static_cast<size_t>(w.index)]);
            touch(actor, t);
            if (is_plain_store(hooked, site) && !hooked.order.strong) look_at_lanes(w, i, t);
        }
    }
}

const char* sequence(const Incident& i, bool strong) {
    if (strong) return "read of a volatile store that no fence hands on";
    return !i.first.write ? "write after read" : i.second.write ? "write after write" : "read after write";
}

bool is_one_instruction(const Warp& w, const Instr* i, const GlobalConflict& c) {
    return c.first.site == i->site && c.first.block == static_cast<uint32_t>(w.block->index) &&
        c.first.warp == static_cast<uint8_t>(w.index) && (c.first.flags & GlobalRecord::kWrite) != 0;
}

// `executed`: memory holds what the second access left.
void report_conflicts(Warp& w, const Instr* i, const GlobalCheck::Hooked& hooked, bool executed) {
    GlobalActor& actor = *w.block->global;
    for (const GlobalConflict& c : actor.conflicts) {
        uint64_t after = 0;
        std::memcpy(&after, c.allocation->bytes.data() + c.offset, std::min(c.bytes, 8u));
        Incident incident;
        incident.second = witness(w, i, 1u << c.lane);
        const MemoryRequest& r = w.block->program->memory_sites[hooked.first + hooked.count - 1].requests[0];
        incident.second.write = r.kind == AccessKind::store || r.kind == AccessKind::atomic;
        incident.second.value = after;
        const bool plain = (c.first.flags & GlobalRecord::kStrong) == 0 && !hooked.order.strong;
        incident.first.write = (c.first.flags & GlobalRecord::kWrite) != 0;
        const bool together = is_one_instruction(w, i, c);
        const bool no_news = plain && incident.first.write && incident.second.write && after == c.before;
        if (no_news && executed && !together) continue;
        incident.detail = together
            ? "lanes write to one place"
            : sequence(incident, (c.first.flags & GlobalRecord::kStrong) != 0 && hooked.order.strong);
        report(*actor.shadow, c, std::move(incident));
    }
    actor.conflicts.clear();
}

// An access at which a turn begins has had its pause.
bool pauses_here(const Warp& w, const Instr* i) {
    uint64_t state = w.block->random ^ time_at(w, i) * 64 ^ static_cast<uint64_t>(w.index);
    return w.block->random != 0 && w.segment != i && next_random(state) % kPauses == 0;
}

const Instr* look_and_execute(Warp& w, const Instr* i) {
    Block& block = *w.block;
    GlobalActor& actor = *block.global;
    const GlobalCheck& check = *actor.check;
    const auto& hooked = check.hooked[static_cast<size_t>(i - block.program->code[block.variant].data())];
    if (check.pauses && pauses_here(w, i)) return end_slice(w, i);
    if (!check.looks) return hooked.executor(w, i);
    if (hooked.order.fence) {
        fence(actor.order, w.index, w.mask, hooked.order.block_only);
        return hooked.executor(w, i);
    }
    if (!check.shadow.full) look(w, i, check, hooked);
    const Instr* next = hooked.executor(w, i);
    if (!actor.conflicts.empty()) report_conflicts(w, i, hooked, next != nullptr);
    return next;
}

bool is_watched(const Program& program, const MemorySpan& span, const OrderSite* order) {
    if (order != nullptr) return true;
    const auto first = program.memory_sites.begin() + static_cast<std::ptrdiff_t>(span.first);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(span.count), [](const MemorySite& s) {
        return s.space == Space::global || s.space == Space::generic;
    });
}

}  // namespace

void prepare(GlobalCheck& check, const Program& program, Variant variant) {
    check.program = program;
    std::vector<Instr>& code = check.program.code[variant];
    check.hooked.resize(code.size());
    const auto hook = [&](size_t instruction) {
        Instr& i = code[instruction];
        if (i.inner != look_and_execute) check.hooked[instruction].executor = put_before(i, look_and_execute);
    };
    std::vector<const OrderSite*> order(code.size(), nullptr);
    for (const OrderSite& s : program.order_sites) {
        order[s.instruction] = &s;
        check.hooked[s.instruction].order = s;
        if (s.fence) hook(s.instruction);
    }
    for (const MemorySpan& span : program.memory_spans) {
        if (!is_watched(program, span, order[span.instruction])) continue;
        check.hooked[span.instruction].first = span.first;
        check.hooked[span.instruction].count = span.count;
        hook(span.instruction);
    }
}

void direct(GlobalCheck& check, const PairOrder& order, Variant variant) {
    check.pair = std::make_unique<PairRun>(PairRun{order});
    keep_order(*check.pair, check.program, variant);
}

void start(GlobalCheck& check, GlobalMemory& memory, bool one_thread) {
    start(check.shadow, memory, one_thread);
}

void begin_global(GlobalCheck& check, Block& block) {
    if (block.global == nullptr) block.global = std::make_shared<GlobalActor>();
    block.global->check = &check;
    begin(*block.global, check.shadow, block.index, block.shadow);
}

}  // namespace wl::emulator
