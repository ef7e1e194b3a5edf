// Reading and writing poison, and keeping count of where it came from and went.
#include "instrumentation/emulator/poison/poison_state.h"

#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/poison/poison.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

const char* name_of(PoisonEffect effect) {
    switch (effect) {
        case PoisonEffect::branch: return "branch";
        case PoisonEffect::address: return "address";
        case PoisonEffect::lane: return "lane";
        case PoisonEffect::barrier: return "barrier";
        case PoisonEffect::call: return "call";
        case PoisonEffect::leaves: break;
    }
    return "global";
}

// One that the instruction has had already, which this lane shares when it is the same visit; kUnread: none.
uint32_t known_birth(Poison& p, uint32_t slot, int lane) {
    const auto it = p.births.index.find({p.at->site, slot});
    if (it == p.births.index.end()) return kUnread;
    Birth& b = p.births.all[it->second];
    if (b.born == p.visits) b.incident.first.lanes |= 1u << lane;
    return it->second;
}

// The birth of what this instruction reads: known, or new with this lane as its witness.
uint32_t born(Poison& p, uint32_t slot, int lane, Access access, std::string detail) {
    if (const uint32_t known = known_birth(p, slot, lane); known != kUnread) return known;
    const auto birth = static_cast<uint32_t>(p.births.all.size());
    p.births.index[{p.at->site, slot}] = birth;
    Birth& b = p.births.all.emplace_back();
    b.incident.kind = Incident::Kind::uninitialised_read;
    b.incident.first = witness(*p.warp, p.at, 1u << lane);
    b.incident.first.memory = std::move(access.memory);
    b.incident.first.address = access.address;
    b.incident.first.bytes = access.bytes;
    b.incident.detail = std::move(detail);
    b.incident.count = 0;
    b.born = p.visits;
    return birth;
}

uint32_t born_register(Poison& p, uint32_t slot, int lane) {
    if (const uint32_t known = known_birth(p, slot, lane); known != kUnread) return known;
    const auto function =
        static_cast<size_t>(p.warp->frame->function - p.warp->block->context.program->functions.data());
    const PoisonFunction& f = p.plan->functions[function];
    const auto reg = std::find(f.slots.begin(), f.slots.end(), slot);
    Access access;
    access.memory = "register";
    const std::string name =
        reg == f.slots.end() ? "" : f.source->registers[static_cast<size_t>(reg - f.slots.begin())].name;
    return born(p, slot, lane, access, name);
}

// "more + 252" for a place in shared memory, when it belongs to a variable.
std::string variable_at(const Program& program, uint64_t offset) {
    for (const SharedVariable& v : program.shared_variables)
        if (offset >= v.offset && offset < v.offset + v.bytes)
            return fmt::format("{} + {}", v.name, offset - v.offset);
    return {};
}

// A byte or half that is read from a variable of wider members, beside bytes that somebody wrote.
bool is_padding(const Poison& p, const TaintPlace& from, uint32_t offset, uint32_t bytes) {
    const Program& program = *p.warp->block->context.program;
    const uint32_t site = p.at->site;
    const bool known = from.place.space == ptx::Space::shared && site < program.shared_extents.size() &&
        program.shared_extents[site] >= 0;
    if (!known || bytes >= p.plan->widest_store[static_cast<size_t>(program.shared_extents[site])])
        return false;
    const size_t word = (from.place.offset + offset) / 4 * 4;
    const auto first = p.shared.bits.begin() + static_cast<std::ptrdiff_t>(word);
    return word + 4 <= p.shared.bits.size() && std::find(first, first + 4, uint8_t{0}) != first + 4;
}

uint32_t new_in_memory(Poison& p, const TaintPlace& from, uint32_t offset, uint32_t bytes) {
    Access access;
    access.bytes = bytes;
    access.address = from.place.offset + offset;
    std::string detail;
    if (from.place.space == ptx::Space::shared) {
        access.memory = "shared";
        detail = variable_at(*p.warp->block->context.program, access.address);
    } else if (from.place.allocation == nullptr) {
        access.memory = "local";
    } else {
        access.memory = "global " + from.place.allocation->name;
        access.address = from.address + offset;
    }
    return born(p, 0, from.lane, access, detail);
}

uint32_t born_in_memory(Poison& p, const TaintPlace& from, uint32_t offset, uint32_t bytes) {
    uint32_t birth = known_birth(p, 0, from.lane);
    if (birth == kUnread) birth = new_in_memory(p, from, offset, bytes);
    Birth& b = p.births.all[birth];
    const bool now = b.born == p.visits;
    if (!now && !b.padding) return birth;
    const bool padding = is_padding(p, from, offset, bytes);
    b.padding = now && b.incident.first.lanes == 1u << from.lane ? padding : b.padding && padding;
    return birth;
}

// Bytes that nobody touched so far are poisoned, unless they were written before the trace saw them.
void reach(TaintedBytes& t, uint64_t end, const Allocation* allocation, uint8_t fresh) {
    const size_t before = t.bits.size();
    if (end <= before) return;
    const size_t size = allocation != nullptr ? std::max<size_t>(end, allocation->bytes.size()) : end;
    t.bits.resize(size, fresh);
    t.birth.resize(size, kUnread);
    if (allocation == nullptr) return;
    for (size_t k = before; k < size; ++k)
        if (k >= allocation->written.size() || allocation->written[k] != 0) t.bits[k] = 0;
}

}  // namespace

TaintedBytes* bytes_of(Poison& p, const Place& at, int lane, uint64_t end) {
    TaintedBytes* t = nullptr;
    if (at.space == ptx::Space::shared) t = &p.shared;
    if (at.space == ptx::Space::local) t = &p.local[static_cast<size_t>(p.warp->index * kLanes + lane)];
    if (at.space == ptx::Space::global) {
        if (p.recent != at.allocation) {
            p.recent = at.allocation;
            p.recent_bytes = &p.global[at.allocation];
        }
        t = p.recent_bytes;
    }
    if (t != nullptr) reach(*t, end, at.allocation, unset(p));
    return t;
}

namespace {

// Counts the use. Its witness, when it is the first one: to be filled in; else nullptr.
Access* note_use(Poison& p, uint32_t birth, int lane) {
    if (birth == kUnread) return nullptr;  // it has just become zero
    Birth& b = p.births.all[birth];
    const bool again = b.used == p.visits;
    if (!again) ++b.incident.count;
    b.used = p.visits;
    Access& use = b.incident.second;
    if (use.block < 0) {
        use = witness(*p.warp, p.at, 1u << lane);
        return &use;
    }
    if (again && use.site == p.at->site && b.incident.count == 1) use.lanes |= 1u << lane;
    return nullptr;
}

}  // namespace

Taint read_cell(Poison& p, uint32_t slot, uint32_t bytes, int lane) {
    const TaintedRegisters& r = *p.registers;
    const size_t at = slot / 4 + static_cast<size_t>(lane) * (bytes / 4);
    if (at >= r.bits.size()) return {};  // a constant
    Taint t{r.bits[at], r.birth[at]};
    if (bytes == 8) {
        if (t.bits == 0) t.birth = r.birth[at + 1];
        t.bits |= uint64_t{r.bits[at + 1]} << 32;
    }
    if (t.bits == 0 || t.birth != kUnread) return t;
    if (p.as_zero) {
        std::memset(p.warp->registers + slot + static_cast<size_t>(lane) * bytes, 0, bytes);
        write_cell(p, slot, bytes, lane, {});
        return {};
    }
    t.birth = born_register(p, slot, lane);
    return t;
}

void write_cell(Poison& p, uint32_t slot, uint32_t bytes, int lane, Taint taint) {
    TaintedRegisters& r = *p.registers;
    const size_t at = slot / 4 + static_cast<size_t>(lane) * (bytes / 4);
    if (at >= r.bits.size()) return;
    r.bits[at] = static_cast<uint32_t>(taint.bits);
    r.birth[at] = taint.birth;
    if (bytes != 8) return;
    r.bits[at + 1] = static_cast<uint32_t>(taint.bits >> 32);
    r.birth[at + 1] = taint.birth;
}

Taint read_taint(Poison& p, PoisonCell cell, int lane) {
    if (cell.bits != 1) {
        Taint t = read_cell(p, cell.slot, cell.bits == 64 ? 8 : 4, lane);
        t.bits &= ones(cell.bits);
        return t;
    }
    Taint t{p.registers->bits[cell.slot / 4] >> lane & 1, p.registers->birth[cell.slot / 4]};
    if (t.bits == 0 || t.birth != kUnread) return t;
    if (p.as_zero) {
        predicate(*p.warp, cell.slot) &= ~(1u << lane);
        p.registers->bits[cell.slot / 4] &= ~(1u << lane);
        return {};
    }
    t.birth = born_register(p, cell.slot, lane);
    return t;
}

void write_taint(Poison& p, PoisonCell cell, int lane, Taint taint) {
    if (cell.bits == 0) return;
    taint.bits &= ones(cell.bits);
    if (cell.bits != 1) return write_cell(p, cell.slot, cell.bits == 64 ? 8 : 4, lane, taint);
    uint32_t& mask = p.registers->bits[cell.slot / 4];
    mask = (mask & ~(1u << lane)) | static_cast<uint32_t>(taint.bits) << lane;
    if (taint.bits != 0) p.registers->birth[cell.slot / 4] = taint.birth;
}

uint32_t tainted_lanes(const Poison& p, PoisonCell cell, uint32_t lanes) {
    if (cell.bits == 0) return 0;
    const uint32_t* bits = p.registers->bits.data() + cell.slot / 4;
    if (cell.bits == 1) return *bits & lanes;
    const size_t words = cell.bits == 64 ? 2 : 1;
    const auto mask = static_cast<uint32_t>(ones(std::min<unsigned>(cell.bits, 32)));
    uint32_t any = 0;
    for (size_t k = 0; k < kLanes * words; ++k) any |= bits[k];
    if ((any & mask) == 0) return 0;
    if (words == 2)
        return lanes & mask_of([&](int lane) { return (bits[2 * lane] | bits[2 * lane + 1]) != 0; });
    return lanes & mask_of([&](int lane) { return (bits[lane] & mask) != 0; });
}

void clear(Poison& p, PoisonCell cell, uint32_t lanes) {
    if (cell.bits == 0) return;
    uint32_t* bits = p.registers->bits.data() + cell.slot / 4;
    if (cell.bits == 1) {
        *bits &= ~lanes;
        return;
    }
    const size_t words = cell.bits == 64 ? 2 : 1;
    if (lanes == kAllLanes) {
        std::fill(bits, bits + kLanes * words, 0u);
        return;
    }
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        for (size_t k = 0; k < words; ++k) bits[static_cast<size_t>(first_lane(rest)) * words + k] = 0;
}

namespace {

template <size_t bytes>
bool find_known_bytes(const uint8_t* bits, const uint32_t* birth, Taint& out) {
    out.bits = 0;
    std::memcpy(&out.bits, bits, bytes);
    if (out.bits == 0) return true;
    out.birth = birth[std::countr_zero(out.bits) / 8];
    bool unread = false;
    for (size_t k = 0; k < bytes; ++k) unread |= bits[k] != 0 && birth[k] == kUnread;
    return !unread;
}

}  // namespace

bool find_known(const TaintedBytes& t, uint64_t at, uint32_t bytes, Taint& out) {
    const uint8_t* bits = t.bits.data() + at;
    const uint32_t* birth = t.birth.data() + at;
    switch (bytes) {
        case 1: return find_known_bytes<1>(bits, birth, out);
        case 2: return find_known_bytes<2>(bits, birth, out);
        case 4: return find_known_bytes<4>(bits, birth, out);
        default: return find_known_bytes<8>(bits, birth, out);
    }
}

Taint read_bytes(Poison& p, const TaintPlace& from, uint32_t offset, uint32_t bytes) {
    TaintedBytes* t = bytes_of(p, from.place, from.lane, from.place.offset + offset + bytes);
    Taint out;
    if (t == nullptr || find_known(*t, from.place.offset + offset, bytes, out)) return out;
    out = {};
    const Allocation* allocation = from.place.allocation;
    for (uint32_t k = 0; k < bytes; ++k) {
        const size_t at = from.place.offset + offset + k;
        if (t->bits[at] == 0) continue;
        // What the trace does not see written, as by a builtin function, the allocation still knows.
        const bool unread = t->birth[at] == kUnread;
        if (unread && allocation != nullptr && at < allocation->written.size() &&
            allocation->written[at] != 0)
            continue;
        if (unread && p.as_zero) {
            from.place.data[offset + k] = std::byte{0};
            t->bits[at] = 0;
            continue;
        }
        if (out.bits == 0) out.birth = unread ? born_in_memory(p, from, offset, bytes) : t->birth[at];
        out.bits |= uint64_t{t->bits[at]} << (8 * k);
    }
    return out;
}

void write_bytes(Poison& p, const TaintPlace& to, uint32_t offset, uint32_t bytes, Taint taint) {
    if (TaintedBytes* t = bytes_of(p, to.place, to.lane, to.place.offset + offset + bytes); t != nullptr)
        set_known(*t, to.place.offset + offset, bytes, taint);
}

void set_known(TaintedBytes& t, uint64_t at, uint32_t bytes, Taint taint) {
    std::memcpy(t.bits.data() + at, &taint.bits, bytes);
    if (taint.bits != 0) std::fill_n(t.birth.data() + at, bytes, taint.birth);
}

void poison_racing_read(Poison& p, int lane) {
    const auto site = p.reads->threads.find(p.at->site);
    if (site == p.reads->threads.end()) return;
    const Block& block = *p.warp->block;
    const uint64_t thread = static_cast<uint64_t>(block.now.index) * count(block.context.launch->block) +
        static_cast<uint64_t>(p.warp->index * kLanes + lane);
    if (!site->second.contains(thread)) return;
    const Taint all{~uint64_t{0}, born(p, 0, lane, {}, "")};
    for (const PoisonCell& cell : p.step->results) write_taint(p, cell, lane, all);
}

uint32_t born_in_shuffle(Poison& p, int lane) {
    const uint32_t birth = born(p, 0, lane, {}, kInactiveSource);
    p.births.all[birth].incident.kind = Incident::Kind::lane_not_in_mask;
    return birth;
}

void matters(Poison& p, uint32_t birth, PoisonEffect effect, int lane) {
    if (Access* use = note_use(p, birth, lane); use != nullptr) use->memory = name_of(effect);
}

void leaves(Poison& p, uint32_t birth, const TaintPlace& to) {
    Access* use = note_use(p, birth, to.lane);
    if (use == nullptr) return;
    use->memory = to.place.allocation != nullptr ? "global " + to.place.allocation->name : "surface";
    use->address = to.address;
    use->write = true;
}

void lose(Poison& p, uint32_t birth) { p.births.all[birth].lost = true; }

}  // namespace wl::emulator
