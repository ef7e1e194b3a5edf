// Models tensormap.replace and tensormap.cp_fenceproxy on maps of our own (base/tensor_map.h): PTX
// ISA 9.0, 9.7.9.26 and 9.7.13.16. Not modelled: interleaved tensors, races on the 128 bytes of a map.
#include "instrumentation/base/tensor_map.h"

#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/exec/memory/copy_tensor.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/observe/hooks.h"

#include <cstring>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

// Where a field lies in the 128 bytes, for dimension 0, and what is added to its value to be kept there.
struct Field {
    std::string_view word;
    uint32_t at = 0, bytes = 0, step = 0;
    int add = 0;
};
constexpr Field kFields[] = {
    {"global_address", 8,  8, 0, 0 },
    {"rank",           5,  1, 0, 1 }, // PTX counts from 0
    {"box_dim",        72, 2, 2, 0 },
    {"global_dim",     16, 4, 4, -1},
    {"global_stride",  40, 8, 8, 0 },
    {"element_stride", 82, 1, 1, 0 },
    {"elemtype",       4,  1, 0, 0 },
    {"swizzle_mode",   6,  1, 0, 0 },
    {"fill_mode",      7,  1, 0, 0 }
};

// PTX's numbers of types to those of CUtensorMapDataType.
uint64_t type_of(uint64_t of_ptx) {
    constexpr uint64_t kDouble = 9, kBrain = 10;
    return of_ptx == kDouble ? 8 : of_ptx == kBrain ? 9 : of_ptx == 8 ? 10 : of_ptx;
}

// r = {value, dimension}; target: index in kFields | wide base << 8 | wide value << 9 | space << 10.
const Instr* replace_field(Warp& w, const Instr* i) {
    const Field& f = kFields[i->target & 0xff];
    const bool wide_base = (i->target >> 8 & 1) != 0, wide_value = (i->target >> 9 & 1) != 0;
    const auto space = static_cast<Space>(i->target >> 10);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place = resolve_aligned(
            w, i, {space, lane, address_of(w, i, wide_base, lane), kTensorMapBytes, true}, 64
        );
        const uint32_t axis = cells<uint32_t>(w, i->r[1])[lane];
        if (!place || axis >= kMostTensorAxes) continue;
        uint64_t value = wide_value ? cells<uint64_t>(w, i->r[0])[lane] : cells<uint32_t>(w, i->r[0])[lane];
        if (f.word == "elemtype") value = type_of(value);
        value += static_cast<uint64_t>(int64_t{f.add});
        std::memcpy(place->data + f.at + f.step * axis, &value, f.bytes);
        if (place->space == Space::global) record_global(w, i, lane, *place, kTensorMapBytes);
    }
    return i + 1;
}

// r = {source, -, -, displacement of the source}; target: wide source | wide destination << 1. The warp
// copies once.
const Instr* copy_map(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const int lane = first_lane(w.mask);
    const auto displacement = static_cast<uint64_t>(static_cast<int32_t>(i->r[3]));
    const uint64_t from =
        (i->target & 1) != 0 ? cells<uint64_t>(w, i->r[0])[lane] : cells<uint32_t>(w, i->r[0])[lane];
    const auto source =
        resolve_aligned(w, i, {Space::shared, lane, from + displacement, kTensorMapBytes, false}, 64);
    const auto to = resolve_aligned(
        w, i, {Space::generic, lane, address_of(w, i, (i->target & 2) != 0, lane), kTensorMapBytes, true}, 64
    );
    if (!source || !to) return i + 1;
    std::memcpy(to->data, source->data, kTensorMapBytes);
    if (to->space == Space::global) record_global(w, i, lane, *to, kTensorMapBytes);
    return i + 1;
}

Selected lower_replace(Lowering& l) {
    const auto& in = *l.in;
    size_t field = 0;
    while (field < std::size(kFields) &&
           in.mnemonic.find("." + std::string(kFields[field].word) + ".") == std::string::npos)
        ++field;
    const bool by_axis = field < std::size(kFields) && kFields[field].step != 0;
    if (field == std::size(kFields) || in.types.size() != 1 || in.operands.size() != (by_axis ? 3u : 2u))
        return {};
    const AddressOperand map =
        address(l, 0, in.modifiers.space == Space::none ? Space::generic : in.modifiers.space);
    const size_t value = by_axis ? 2 : 1;
    l.out.r[0] = source(l, value, in.types[0]);
    l.out.r[1] = by_axis ? source(l, 1, Type::u32) : constant(l, 4, 0);
    l.out.r[4] = map.slot;
    l.out.offset = map.displacement;
    const bool wide = ptx::bytes_of(in.types[0]) == 8;
    l.out.target = static_cast<int32_t>(field) | int32_t{map.wide} << 8 | int32_t{wide} << 9 |
        static_cast<int32_t>(map.space) << 10;
    return Exec{replace_field};
}

}  // namespace

Selected lower_tensor_map(Lowering& l) {
    const auto& in = *l.in;
    if (in.op != Op::tensormap) return {};
    if (in.mnemonic.starts_with("tensormap.replace")) return lower_replace(l);
    const bool copies = in.operands.size() > 1 && in.operands[1].kind == ptx::Operand::Kind::address;
    if (!in.mnemonic.starts_with("tensormap.cp_fenceproxy") || !copies) return {};
    const AddressOperand to = address(l, 0, Space::generic), from = address(l, 1, Space::shared);
    if (from.displacement != static_cast<int32_t>(from.displacement)) return {};
    l.out.r[0] = from.slot;
    l.out.r[3] = static_cast<uint32_t>(from.displacement);
    l.out.r[4] = to.slot;
    l.out.offset = to.displacement;
    l.out.target = int32_t{from.wide} | int32_t{to.wide} << 1;
    return Exec{copy_map};
}

}  // namespace wl::emulator
