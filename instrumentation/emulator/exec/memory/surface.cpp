// Models suld, sust, sured and suq by handles and by .surfref variables: PTX ISA 9.7.11. Surfaces are written
// as global memory is. Not modelled: formatted stores into channels of fewer than 32 bits, cube maps.
#include "instrumentation/base/error.h"
#include "instrumentation/emulator/exec/memory/atomic_update.h"
#include "instrumentation/emulator/exec/memory/texture_forms.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::AtomOp;
using ptx::Op;
using ptx::Type;
using Outside = TextureForm::Outside;

void report_outside(Warp& w, const Instr* i, int lane, const Texture& t, std::string detail) {
    Incident incident;
    incident.kind = Incident::Kind::out_of_bounds;
    incident.first = witness(w, i, 1u << lane);
    incident.first.memory = "surface " + t.name;
    incident.detail = std::move(detail);
    report(*w.block, std::move(incident));
}

// Where `bytes` bytes of one lane lie. Nothing: outside; .trap and a crooked x say so.
std::optional<Place> place_of(Warp& w, const Instr* i, int lane, const TextureView& view, uint32_t bytes) {
    const TextureForm& form = form_of(w, i);
    const Texture& t = *view.texture;
    std::array<int64_t, 3> at{};
    for (size_t axis = 0; axis < form.dimensions; ++axis)
        at[axis] = cells<int32_t>(w, form.coordinates[axis])[lane];
    if (form.layer != TextureForm::kAbsent) at[2] = cells<uint32_t>(w, form.layer)[lane];
    if (form.elements) at[0] *= texel_bytes(t);
    const std::array<int64_t, 3> last{
        int64_t{t.extent[0]} * texel_bytes(t) - bytes, int64_t{t.extent[1]} - 1, int64_t{slices(t)} - 1};
    bool inside = true;
    for (size_t axis = 0; axis < 3; ++axis) inside = inside && at[axis] >= 0 && at[axis] <= last[axis];
    if (!inside && form.outside == Outside::zero) return {};
    // An access wider than a row cannot be moved inside.
    const bool fits = std::all_of(last.begin(), last.end(), [](int64_t l) { return l >= 0; });
    if (!inside && (form.outside == Outside::trap || !fits)) {
        report_outside(
            w,
            i,
            lane,
            t,
            fmt::format(
                "byte {} of row {}, slice {}; the surface has {} bytes, {} rows, {} slices",
                at[0],
                at[1],
                at[2],
                t.extent[0] * texel_bytes(t),
                t.extent[1],
                slices(t)
            )
        );
        return {};
    }
    for (size_t axis = 0; axis < 3; ++axis) at[axis] = std::clamp<int64_t>(at[axis], 0, last[axis]);
    if (at[0] % bytes != 0) {
        report_outside(w, i, lane, t, fmt::format("byte {} of a row is no multiple of {}", at[0], bytes));
        return {};
    }
    const uint64_t offset = (static_cast<uint64_t>(at[2]) * t.extent[1] + static_cast<uint64_t>(at[1])) *
            t.extent[0] * texel_bytes(t) +
        static_cast<uint64_t>(at[0]);
    return Place{
        ptx::Space::global, view.texels + offset, view.allocation, t.data - view.allocation->base + offset};
}

uint64_t get(Warp& w, uint32_t slot, uint32_t bytes, int lane) {
    return bytes == 8 ? cells<uint64_t>(w, slot)[lane] : cells<uint32_t>(w, slot)[lane];
}

void add_lane(SurfaceTouch& touch, int lane, const Place& place) {
    touch.mask |= 1u << lane;
    touch.at[static_cast<size_t>(lane)] = place.allocation->base + place.offset;
}

const Instr* load(Warp& w, const Instr* i) {
    const TextureForm& form = form_of(w, i);
    std::array<std::array<uint64_t, kLanes>, 4> values{};
    SurfaceTouch touch{AccessKind::load, 0, uint32_t{form.bytes} * form.count};
    TextureView view;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        view = view_texture(w, i, lane, view);
        if (view.texture == nullptr) continue;
        const auto place = place_of(w, i, lane, view, touch.bytes);
        if (!place) continue;
        add_lane(touch, lane, *place);
        for (size_t c = 0; c < form.count; ++c)
            std::memcpy(&values[c][static_cast<size_t>(lane)], place->data + c * form.bytes, form.bytes);
    }
    before_surface(w, i, touch);
    after_surface(w, i, touch);
    for (size_t c = 0; c < form.count; ++c) {
        const auto value = [&](int lane) { return values[c][static_cast<size_t>(lane)]; };
        if (form.bytes == 8)
            write_lanes<uint64_t>(w, form.data[c], value);
        else
            write_lanes<uint32_t>(w, form.data[c], [&](int lane) {
                return static_cast<uint32_t>(value(lane));
            });
    }
    return i + 1;
}

void note_write(Warp& w, const Instr* i, int lane, const Place& place, uint32_t bytes) {
    if (auto& written = place.allocation->written; !written.empty())
        std::memset(written.data() + place.offset, 1, bytes);
    if (w.block->now.variant == kRecorded) record_global(w, i, lane, place, bytes);
}

void require_plain_format(const TextureForm& form, const Texture& t) {
    if (form.elements && size_of(t.dtype) != 4)
        throw Unsupported(fmt::format(
            "unsupported: sust.p into the surface {}, whose elements are {}", t.name, name_of(t.dtype)
        ));
}

const Instr* store(Warp& w, const Instr* i) {
    const TextureForm& form = form_of(w, i);
    SurfaceTouch touch{AccessKind::store, 0, uint32_t{form.bytes} * form.count};
    std::array<Place, kLanes> places;
    TextureView view;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        view = view_texture(w, i, lane, view);
        if (view.texture == nullptr) continue;
        require_plain_format(form, *view.texture);
        const auto place = place_of(w, i, lane, view, touch.bytes);
        if (!place) continue;
        places[static_cast<size_t>(lane)] = *place;
        add_lane(touch, lane, *place);
    }
    before_surface(w, i, touch);
    for (uint32_t rest = touch.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const Place& place = places[static_cast<size_t>(lane)];
        for (size_t c = 0; c < form.count; ++c) {
            const uint64_t value = get(w, form.data[c], form.bytes, lane);
            std::memcpy(place.data + c * form.bytes, &value, form.bytes);
        }
        note_write(w, i, lane, place, touch.bytes);
    }
    after_surface(w, i, touch);
    return i + 1;
}

template <class T>
T reduced(AtomOp op, T old, T b) {
    using U = std::make_unsigned_t<T>;
    switch (op) {
        case AtomOp::add: return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
        case AtomOp::min: return std::min(old, b);
        case AtomOp::max: return std::max(old, b);
        case AtomOp::and_: return old & b;
        default: return old | b;
    }
}

// Blocks on other cores may reduce into the same element.
template <class T>
void reduce_at(const Place& place, AtomOp op, T b) {
    update<T>(place, 0, [=](T old) { return reduced(op, old, b); });
}

// .b types are those of the surface's format.
Type reduction_type(const TextureForm& form, const Texture& t) {
    if (form.type == Type::b32) return t.dtype == DType::s32 ? Type::s32 : Type::u32;
    if (form.type == Type::b64) return Type::u64;
    return form.type;
}

const Instr* reduce(Warp& w, const Instr* i) {
    const TextureForm& form = form_of(w, i);
    SurfaceTouch touch{AccessKind::atomic, 0, form.bytes};
    TextureView view;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        view = view_texture(w, i, lane, view);
        if (view.texture == nullptr) continue;
        const auto place = place_of(w, i, lane, view, form.bytes);
        if (!place) continue;
        add_lane(touch, lane, *place);
        const uint64_t b = get(w, form.data[0], form.bytes, lane);
        switch (reduction_type(form, *view.texture)) {
            case Type::s32: reduce_at(*place, form.operation, static_cast<int32_t>(b)); break;
            case Type::u64: reduce_at(*place, form.operation, b); break;
            case Type::s64: reduce_at(*place, form.operation, static_cast<int64_t>(b)); break;
            default: reduce_at(*place, form.operation, static_cast<uint32_t>(b)); break;
        }
        note_write(w, i, lane, *place, form.bytes);
    }
    before_surface(w, i, touch);
    after_surface(w, i, touch);
    return i + 1;
}

Selected lower_surface_access(Lowering& l) {
    const auto& in = *l.in;
    const bool loads = in.op == Op::suld, reduces = in.op == Op::sured;
    TextureForm form;
    form.type = in.types[0];
    form.bytes = static_cast<uint8_t>(ptx::bytes_of(in.types[0]));
    form.elements = in.modifiers.kind == "p";
    if (form.elements && loads) return {};
    form.operation = in.modifiers.atom_op;
    form.outside = in.modifiers.detail == "clamp" ? Outside::clamp
        : in.modifiers.detail == "zero"           ? Outside::zero
                                                  : Outside::trap;
    const size_t address = loads ? 1 : 0;
    if (!lower_data(l, loads ? 0 : 1, loads, form) || !lower_handle(l, address, form) ||
        !lower_coordinates(l, address, Type::s32, form))
        return {};
    keep(l, std::move(form));
    return loads ? Exec{load} : reduces ? Exec{reduce} : Exec{store};
}

}  // namespace

Selected lower_surface(Lowering& l) {
    switch (l.in->op) {
        case Op::suld:
        case Op::sust:
        case Op::sured: return lower_surface_access(l);
        case Op::suq: return lower_query(l);
        default: return {};
    }
}

}  // namespace wl::emulator
