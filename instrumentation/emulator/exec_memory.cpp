// Models ld, st and prefetch in every space, width, vector and generic addressing: PTX ISA 9.7.9.8-9.7.9.12.
// Not modelled: caches, eviction priorities, multicast, 256-bit vectors, st.async.
#include "instrumentation/emulator/hooks.h"
#include "instrumentation/emulator/incidents.h"
#include "instrumentation/emulator/memory_forms.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

void put_register(Warp& w, uint32_t slot, const MemoryForm& f, int lane, uint64_t value) {
    if (f.is_signed) {
        const int shift = 64 - 8 * f.element;
        value = static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
    }
    if (f.wide_cells)
        cells<uint64_t>(w, slot)[lane] = value;
    else
        cells<uint32_t>(w, slot)[lane] = static_cast<uint32_t>(value);
}
uint64_t get_register(Warp& w, uint32_t slot, const MemoryForm& f, int lane) {
    return f.wide_cells ? cells<uint64_t>(w, slot)[lane] : cells<uint32_t>(w, slot)[lane];
}

void check_written(Warp& w, const Instr* i, int lane, const Place& place, uint32_t bytes) {
    const auto& written = place.allocation->written;
    if (written.empty()) return;
    const auto first = written.begin() + static_cast<std::ptrdiff_t>(place.offset);
    if (std::find(first, first + bytes, uint8_t{0}) == first + bytes) return;
    Incident incident;
    incident.kind = Incident::Kind::uninitialised_read;
    incident.first = witness(w, i, 1u << lane);
    incident.first.address = place.allocation->base + place.offset;
    incident.first.bytes = bytes;
    incident.first.memory = "global " + place.allocation->name;
    report(*w.block, std::move(incident));
}

// Lanes of one instruction that turned out to be in shared memory.
struct SharedLanes {
    alignas(64) uint32_t at[kLanes] = {};
    uint32_t mask = 0;
};
void note_lane(SharedLanes& lanes, int lane, const Place& place) {
    if (place.space != Space::shared) return;
    lanes.at[lane] = static_cast<uint32_t>(place.offset);
    lanes.mask |= 1u << lane;
}
void observe_lanes(Warp& w, const Instr* i, Touching how, const SharedLanes& lanes, const MemoryForm& f) {
    if (lanes.mask == 0 || w.block->variant == kPlain) return;
    Values values;
    values.components = f.count;
    values.stride = f.wide_cells ? 8 : 4;
    for (size_t c = 0; c < f.count; ++c) values.values[c] = w.registers + i->r[c];
    observe_shared(w, i, {how, lanes.mask, uint32_t{f.element} * f.count, lanes.at}, values);
}

Selected lower_access(Lowering& l) {
    const auto& in = *l.in;
    const bool is_store = in.op == Op::st;
    const Type t = in.types.back();
    const auto& data = in.operands[is_store ? 1 : 0];
    const size_t address_operand = is_store ? 0 : 1;
    MemoryForm f;
    f.space = in.modifiers.space == Space::none ? Space::generic : in.modifiers.space;
    f.element = static_cast<uint8_t>(ptx::bytes_of(t));
    f.is_signed = t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64;
    f.count = in.modifiers.vector;
    if (f.count > 4 || f.element > 8 || f.element * f.count > 16) return {};
    const bool vector = data.kind == ptx::Operand::Kind::vector;
    for (size_t c = 0; c < f.count; ++c) {
        const auto& element = vector ? data.elements[c] : data;
        if (element.kind == ptx::Operand::Kind::reg) f.wide_cells = is_wide(l, element);
    }
    const AddressOperand where = address(l, address_operand, f.space);
    f.wide_base = where.wide;
    if (f.space == Space::generic && where.space != Space::none) f.space = where.space;
    for (size_t c = 0; c < f.count; ++c) {
        const auto& element = vector ? data.elements[c] : data;
        const bool wide_immediate = element.kind != ptx::Operand::Kind::reg && f.element == 8;
        if (wide_immediate) f.wide_cells = true;
        l.out.r[c] = is_store ? source(l, element, f.wide_cells ? Type::b64 : t) : destination(l, element);
    }
    f.wide_cells = f.wide_cells || f.element == 8;
    l.out.r[4] = where.slot;
    l.out.offset = where.displacement;
    l.out.target = encode(f);
    if (f.space == Space::shared) {
        if (const Selected fast = select_shared(f, is_store)) return fast;
    }
    if (f.space == Space::global) {
        if (const Selected fast = select_global(f, is_store)) return fast;
    }
    return Exec{is_store ? store_any : load_any};
}

const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace

const Instr* load_any(Warp& w, const Instr* i) {
    const MemoryForm f = decode(i->target);
    const uint32_t bytes = uint32_t{f.element} * f.count;
    SharedLanes shared;
    uint64_t addresses[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) addresses[lane] = address_of(w, i, f.wide_base, lane);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place = resolve(w, i, {f.space, lane, addresses[lane], bytes, false});
        std::byte value[16];
        std::memset(value, 0xff, sizeof(value));
        if (place) {
            std::memcpy(value, place->data, bytes);
            note_lane(shared, lane, *place);
            if (place->allocation != nullptr && w.block->variant != kPlain &&
                w.block->options->checks.uninitialised)
                check_written(w, i, lane, *place, bytes);
        }
        for (size_t c = 0; c < f.count; ++c) {
            uint64_t element = 0;
            std::memcpy(&element, value + c * f.element, f.element);
            put_register(w, i->r[c], f, lane, element);
        }
    }
    observe_lanes(w, i, Touching::read, shared, f);
    return i + 1;
}

const Instr* store_any(Warp& w, const Instr* i) {
    const MemoryForm f = decode(i->target);
    const uint32_t bytes = uint32_t{f.element} * f.count;
    SharedLanes shared;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place = resolve(w, i, {f.space, lane, address_of(w, i, f.wide_base, lane), bytes, true});
        if (!place) continue;
        for (size_t c = 0; c < f.count; ++c) {
            const uint64_t element = get_register(w, i->r[c], f, lane);
            std::memcpy(place->data + c * f.element, &element, f.element);
        }
        note_lane(shared, lane, *place);
        if (place->allocation == nullptr) continue;
        if (!place->allocation->written.empty())
            std::memset(place->allocation->written.data() + place->offset, 1, bytes);
        if (w.block->variant == kRecorded) record_global(w, i, lane, *place, bytes);
    }
    observe_lanes(w, i, Touching::write, shared, f);
    return i + 1;
}

Selected lower_memory(Lowering& l) {
    switch (l.in->op) {
        case Op::ld:
        case Op::ldu:
        case Op::st: return l.in->types.empty() || l.in->operands.size() < 2 ? Selected{} : lower_access(l);
        case Op::prefetch:
        case Op::prefetchu:
        case Op::discard:
        case Op::applypriority: return Exec{no_operation};
        default: return {};
    }
}

}  // namespace wl::emulator
