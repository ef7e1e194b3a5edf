// Models tex, tld4 and txq by handles and by .texref variables: PTX ISA 9.7.10. Not modelled: levels but the
// first, filtering and tld4 of cube maps, multisampled textures, depth comparison, residency (all of a
// texture is resident), texels that nobody wrote, which count as written.
#include "instrumentation/emulator/exec/memory/texture_forms.h"
#include "instrumentation/emulator/exec/memory/texture_sample.h"
#include "instrumentation/emulator/exec/values/half.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Operand;
using ptx::Type;

constexpr uint32_t kAbsent = TextureForm::kAbsent;

int32_t whole(Warp& w, uint32_t slot, int lane) { return cells<int32_t>(w, slot)[lane]; }

TexturePoint point_of(Warp& w, const TextureForm& form, int lane) {
    TexturePoint point;
    point.dimensions = form.dimensions;
    point.integer = form.integer;
    if (form.outside == TextureForm::Outside::clamp) point.outside = AddressMode::clamp;
    for (size_t axis = 0; axis < form.dimensions; ++axis) {
        if (form.integer)
            point.texel[axis] = whole(w, form.coordinates[axis], lane);
        else
            point.at[axis] = cells<float>(w, form.coordinates[axis])[lane];
        if (form.offsets[axis] != kAbsent) point.offset[axis] = whole(w, form.offsets[axis], lane);
    }
    if (form.layer != kAbsent) point.layer = cells<uint32_t>(w, form.layer)[lane];
    return form.cube ? on_cube(point) : point;
}

uint32_t half_bits(uint32_t float_bits) { return float_to_half<0>(std::bit_cast<float>(float_bits)); }

template <bool Gathers>
const Instr* fetch(Warp& w, const Instr* i) {
    const TextureForm& form = form_of(w, i);
    std::array<Texel, kLanes> texels{};
    TextureView view;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        view = view_texture(w, i, lane, view);
        if (view.texture == nullptr) continue;
        const TexturePoint point = point_of(w, form, lane);
        Texel& t = texels[static_cast<size_t>(lane)];
        if constexpr (Gathers)
            t = gather(*view.texture, view.texels, point, form.channel);
        else
            t = sample(*view.texture, view.texels, point);
        if (form.halves)
            t = {half_bits(t[0]) | half_bits(t[1]) << 16, half_bits(t[2]) | half_bits(t[3]) << 16, 0, 0};
    }
    for (size_t c = 0; c < form.count; ++c)
        write_lanes<uint32_t>(w, form.data[c], [&](int lane) {
            return texels[static_cast<size_t>(lane)][c];
        });
    if (form.resident != kAbsent) write_predicate(w, form.resident, w.mask);
    return i + 1;
}

// As an H200 answers: layers are the axis behind the last; a surface of one dimension has no rows, a texture
// one. The properties besides these lie
// in a table that CUDA's driver does not make: it refuses kernels that ask for them (driver 580.159.04).
std::optional<uint32_t> property_of(const Texture& t, const std::string& name) {
    const bool rows = t.extent[1] != 1;
    if (name == "width") return t.extent[0];
    if (name == "height") return rows ? t.extent[1] : std::max(t.layers, 1u);
    if (name == "rows") return rows ? t.extent[1] : t.layers;
    if (name == "depth") return t.layers != 0 ? (rows ? t.layers : 0) : t.extent[2] == 1 ? 0 : t.extent[2];
    return {};
}

const Instr* query(Warp& w, const Instr* i) {
    const TextureForm& form = form_of(w, i);
    std::array<uint32_t, kLanes> value{};
    TextureView view;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        view = view_texture(w, i, lane, view);
        if (view.texture != nullptr)
            value[static_cast<size_t>(lane)] = property_of(*view.texture, form.property).value_or(0);
    }
    write_lanes<uint32_t>(w, form.data[0], [&](int lane) { return value[static_cast<size_t>(lane)]; });
    return i + 1;
}

// Behind [texture]: a level or two gradients, then offsets. A depth to compare with has no executor.
bool lower_tail(Lowering& l, size_t k, TextureForm& form) {
    const auto& in = *l.in;
    if (in.modifiers.kind == "level") {
        form.outside = TextureForm::Outside::clamp;
        k += 1;
    }
    if (in.modifiers.kind == "grad") k += 2;
    if (k == in.operands.size()) return true;
    const Operand& offsets = in.operands[k];
    if (offsets.kind != Operand::Kind::vector || k + 1 != in.operands.size()) return false;
    for (size_t axis = 0; axis < form.dimensions && axis < offsets.elements.size(); ++axis)
        form.offsets[axis] = source(l, offsets.elements[axis], Type::s32);
    return true;
}

// With gradients an H200 takes integer coordinates for the bits of floats, and finds nothing in one
// dimension.
const Instr* fetch_nothing(Warp& w, const Instr* i) {
    const TextureForm& form = form_of(w, i);
    for (size_t c = 0; c < form.count; ++c) write_lanes<uint32_t>(w, form.data[c], [](int) { return 0u; });
    if (form.resident != kAbsent) write_predicate(w, form.resident, w.mask);
    return i + 1;
}

Selected lower_fetch(Lowering& l) {
    const auto& in = *l.in;
    const bool gathers = in.op == Op::tld4;
    TextureForm form;
    form.halves = in.types[0] == Type::f16x2;
    const size_t at = in.modifiers.pair ? 2 : 1;
    const bool grad = in.modifiers.kind == "grad";
    const Type coordinates = grad ? Type::f32 : in.types[1];
    if (!lower_data(l, 0, true, form) || !lower_handle(l, at, form) ||
        !lower_coordinates(l, at, coordinates, form) || !lower_tail(l, at + 1, form))
        return {};
    if (in.modifiers.pair) form.resident = destination(l, 1);
    if (gathers) form.channel = static_cast<uint8_t>(std::string_view("rgba").find(in.modifiers.kind[0]));
    keep(l, std::move(form));
    if (grad && in.types[1] == Type::s32 && in.modifiers.geometry == "1d") return Exec{fetch_nothing};
    return gathers ? Exec{fetch<true>} : Exec{fetch<false>};
}

}  // namespace

bool lower_handle(Lowering& l, size_t k, TextureForm& form) {
    if (k >= l.in->operands.size() || l.in->operands[k].kind != Operand::Kind::address) return false;
    Operand base = l.in->operands[k];
    if (base.offset != 0) return false;
    base.kind = base.base_kind;
    base.elements.clear();
    form.by_name = base.kind == Operand::Kind::symbol;
    if (!form.by_name && (base.kind != Operand::Kind::reg || !is_wide(l, base))) return false;
    form.handle = source(l, base, Type::u64);
    return true;
}

bool lower_coordinates(Lowering& l, size_t k, Type type, TextureForm& form) {
    std::string_view geometry = l.in->modifiers.geometry;
    const auto& behind = l.in->operands[k].elements;
    if (behind.empty()) return false;
    const Operand& vector = behind.back();
    const std::vector<Operand> all =
        vector.kind == Operand::Kind::vector ? vector.elements : std::vector<Operand>{vector};
    const bool layered = geometry.starts_with('a');
    if (layered) geometry.remove_prefix(1);
    form.cube = geometry == "cube";
    if (form.cube && l.in->op != Op::tex) return false;
    if (!form.cube && geometry != "1d" && geometry != "2d" && geometry != "3d") return false;
    form.dimensions = form.cube ? uint8_t{3} : static_cast<uint8_t>(geometry[0] - '0');
    form.integer = type == Type::s32;
    size_t next = 0;
    if (all.size() < form.dimensions + (layered ? 1u : 0u)) return false;
    if (layered) form.layer = source(l, all[next++], Type::u32);
    for (size_t axis = 0; axis < form.dimensions; ++axis)
        form.coordinates[axis] = source(l, all[next++], type);
    return true;
}

bool lower_data(Lowering& l, size_t k, bool written, TextureForm& form) {
    if (k >= l.in->operands.size()) return false;
    const Operand& o = l.in->operands[k];
    const std::vector<Operand> all = o.kind == Operand::Kind::vector ? o.elements : std::vector<Operand>{o};
    if (all.empty() || all.size() > 4) return false;
    form.count = static_cast<uint8_t>(all.size());
    for (size_t c = 0; c < all.size(); ++c) {
        const bool sized = all[c].kind != Operand::Kind::reg || is_wide(l, all[c]) == (form.bytes == 8);
        if (!sized) return false;
        form.data[c] =
            written ? destination(l, all[c]) : source(l, all[c], form.bytes == 8 ? Type::b64 : Type::b32);
    }
    return true;
}

void keep(Lowering& l, TextureForm form) {
    l.out.target = static_cast<int32_t>(l.program.texture_forms.size());
    l.program.texture_forms.push_back(std::move(form));
}

TextureView view_texture(Warp& w, const Instr* i, int lane, const TextureView& last) {
    const TextureForm& form = form_of(w, i);
    TextureView view;
    view.handle = cells<uint64_t>(w, form.handle)[lane];
    if (form.by_name) {
        const auto variable = resolve(w, i, {ptx::Space::global, lane, view.handle, 8, false});
        if (variable) std::memcpy(&view.handle, variable->data, sizeof(view.handle));
    }
    if (view.handle == last.handle && last.texture != nullptr) return last;
    GlobalMemory& memory = *w.block->context.memory;
    const Texture* texture = find_texture(memory, view.handle);
    if (texture != nullptr) view.allocation = find(memory, texture->data, texture_bytes(*texture));
    if (view.allocation != nullptr) {
        view.texture = texture;
        view.texels = view.allocation->bytes.data() + (texture->data - view.allocation->base);
        return view;
    }
    Incident incident;
    incident.kind = Incident::Kind::out_of_bounds;
    incident.first = witness(w, i, 1u << lane);
    incident.first.address = texture == nullptr ? view.handle : texture->data;
    incident.first.memory = "texture";
    incident.detail = texture == nullptr
        ? fmt::format("{:#x} is the handle of no texture or surface", view.handle)
        : fmt::format("the memory of {} is not there any more", texture->name);
    report(*w.block, std::move(incident));
    return view;
}

Selected lower_query(Lowering& l) {
    TextureForm form;
    form.property = l.in->modifiers.kind == "level" ? l.in->modifiers.detail : l.in->modifiers.kind;
    if (l.in->op == Op::suq && form.property == "height") form.property = "rows";
    if (!property_of({}, form.property) || !lower_handle(l, 1, form)) return {};
    form.data[0] = destination(l, 0);
    keep(l, std::move(form));
    return Exec{query};
}

Selected lower_texture(Lowering& l) {
    switch (l.in->op) {
        case Op::tex:
        case Op::tld4: return lower_fetch(l);
        case Op::txq: return lower_query(l);
        default: return {};
    }
}

}  // namespace wl::emulator
