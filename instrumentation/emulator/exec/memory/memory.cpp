// Models ld, st and prefetch in every space, width, vector and generic addressing: PTX ISA 9.7.9.8-9.7.9.12.
// Not modelled: caches, eviction priorities and their policies, multicast, 256-bit vectors, st.async.
#include "instrumentation/emulator/exec/memory/memory_forms.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <cstring>
#include <span>

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

constexpr uint32_t kMaxBytes = 16;  // that one lane moves

// Lanes of one instruction that turned out to be in shared memory, with what they moved.
struct SharedLanes {
    alignas(64) uint32_t at[kLanes] = {};
    std::byte values[kLanes][kMaxBytes];
    uint32_t mask = 0;
};
void note_lane(SharedLanes& lanes, int lane, const Place& place, const std::byte* value) {
    if (place.space != Space::shared) return;
    lanes.at[lane] = static_cast<uint32_t>(place.offset);
    std::memcpy(lanes.values[lane], value, kMaxBytes);
    lanes.mask |= 1u << lane;
}
bool is_observed(const Warp& w, const SharedLanes& lanes) {
    return lanes.mask != 0 && w.block->now.variant != kPlain;
}

// The width of the registers: of the first that is one; an immediate's is the element's.
bool has_wide_cells(const Lowering& l, const ptx::Operand& data, uint32_t element_bytes) {
    const std::span<const ptx::Operand> single(&data, 1);
    for (const auto& o : data.kind == ptx::Operand::Kind::vector ? std::span(data.elements) : single)
        if (o.kind == ptx::Operand::Kind::reg) return element_bytes >= 8 || is_wide(l, o);
    return element_bytes >= 8;
}

Selected lower_access(Lowering& l) {
    const auto& in = *l.in;
    const bool is_store = in.op == Op::st;
    const Type t = in.types.back();
    const auto& data = in.operands[is_store ? 1 : 0];
    if (data.kind == ptx::Operand::Kind::vector && data.elements.size() != in.modifiers.vector) return {};
    MemoryForm f;
    f.is_signed = t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64;
    f.wide_cells = has_wide_cells(l, data, ptx::bytes_of(t));
    const bool widened = f.wide_cells && ptx::bytes_of(t) < 8;
    const std::vector<uint32_t> slots = vector_slots(l, data, widened ? Type::b64 : t, !is_store);
    f.element = static_cast<uint8_t>(std::min(ptx::bytes_of(t), 8u));
    f.count = static_cast<uint8_t>(slots.size());
    if (slots.size() > 4 || f.element * slots.size() > kMaxBytes) return {};
    const AddressOperand where =
        address(l, is_store ? 0 : 1, in.modifiers.space == Space::none ? Space::generic : in.modifiers.space);
    f.space = where.space;
    f.wide_base = where.wide;
    std::copy(slots.begin(), slots.end(), l.out.r);
    l.out.r[4] = where.slot;
    l.out.offset = where.displacement;
    l.out.target = encode(f);
    if (f.space == Space::shared || f.space == Space::local || f.space == Space::generic) {
        if (const Selected fast = select_on_chip(f, is_store)) return fast;
    }
    if (f.space == Space::global) {
        if (const Selected fast = select_global(f, is_store)) return fast;
    }
    return Exec{is_store ? store_any : load_any};
}

const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace

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

namespace {

// Where all lanes read the same bytes, of memory that is one for all of them; nothing: they do not, or it has
// to be looked at lane by lane.
std::optional<Place> place_of_all(
    Warp& w, const Instr* i, const uint64_t* addresses, Space space, uint32_t bytes
) {
    const int first = first_lane(w.mask);
    const uint64_t address = addresses[first], mask = w.mask;
    uint64_t differ = address & (bytes - 1);
    for (uint64_t lane = 0; lane < kLanes; ++lane)
        differ |= (addresses[lane] ^ address) & (0 - (mask >> lane & 1));
    if (differ != 0) return {};
    const auto place = locate(w, {space, first, address, bytes, false});
    if (!place) return {};
    if (place->space == Space::constant || place->space == Space::param) return place;
    const Allocation* meant = w.block->meant[i->site];
    const bool other = place->space != Space::global || (meant != nullptr && meant != place->allocation);
    return other || !place->allocation->written.empty() ? std::nullopt : place;
}

void put_everywhere(Warp& w, const Instr* i, const MemoryForm& f, const std::byte* data) {
    for (size_t c = 0; c < f.count; ++c) {
        uint64_t value = 0;
        std::memcpy(&value, data + c * f.element, f.element);
        const int shift = f.is_signed ? 64 - 8 * f.element : 0;
        value = static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
        if (f.wide_cells)
            write_lanes<uint64_t>(w, i->r[c], [=](int) { return value; });
        else
            write_lanes<uint32_t>(w, i->r[c], [=](int) { return static_cast<uint32_t>(value); });
    }
}

}  // namespace

const Instr* load_any(Warp& w, const Instr* i) {
    const MemoryForm f = decode(i->target);
    const uint32_t bytes = uint32_t{f.element} * f.count;
    uint64_t addresses[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) addresses[lane] = address_of(w, i, f.wide_base, lane);
    if (const auto place = place_of_all(w, i, addresses, f.space, bytes)) {
        put_everywhere(w, i, f, place->data);
        return i + 1;
    }
    SharedLanes shared;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place = resolve(w, i, {f.space, lane, addresses[lane], bytes, false});
        std::byte value[kMaxBytes];
        std::memset(value, 0xff, sizeof(value));
        if (place) {
            std::memcpy(value, place->data, bytes);
            note_lane(shared, lane, *place, value);
            if (place->allocation != nullptr && w.block->now.variant != kPlain &&
                w.block->context.options->checks.uninitialised)
                check_written(w, i, lane, *place, bytes);
        }
        for (size_t c = 0; c < f.count; ++c) {
            uint64_t element = 0;
            std::memcpy(&element, value + c * f.element, f.element);
            put_register(w, i->r[c], f, lane, element);
        }
    }
    if (is_observed(w, shared))
        observe_shared(
            w, i, {Touching::read, shared.mask, bytes, shared.at}, {{shared.values[0]}, 1, kMaxBytes}
        );
    return i + 1;
}

namespace {

// Where a lane stores, and what.
struct LaneStore {
    Place place;
    std::byte value[kMaxBytes];
};

}  // namespace

const Instr* store_any(Warp& w, const Instr* i) {
    const MemoryForm f = decode(i->target);
    const uint32_t bytes = uint32_t{f.element} * f.count;
    SharedLanes shared;
    LaneStore stores[kLanes];
    uint32_t valid = 0;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place = resolve(w, i, {f.space, lane, address_of(w, i, f.wide_base, lane), bytes, true});
        if (!place) continue;
        LaneStore& store = stores[lane];
        store.place = *place;
        for (size_t c = 0; c < f.count; ++c) {
            const uint64_t element = get_register(w, i->r[c], f, lane);
            std::memcpy(store.value + c * f.element, &element, f.element);
        }
        note_lane(shared, lane, *place, store.value);
        valid |= 1u << lane;
    }
    const SharedTouch touch{Touching::write, shared.mask, bytes, shared.at};
    if (is_observed(w, shared)) observe_shared(w, i, touch, {{shared.values[0]}, 1, kMaxBytes});
    for (uint32_t rest = valid; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const Place& place = stores[lane].place;
        std::memcpy(place.data, stores[lane].value, bytes);
        if (place.allocation == nullptr) continue;
        if (!place.allocation->written.empty())
            std::memset(place.allocation->written.data() + place.offset, 1, bytes);
        if (w.block->now.variant == kRecorded) record_global(w, i, lane, place, bytes);
    }
    if (is_observed(w, shared)) after_store(w, i, touch);
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
