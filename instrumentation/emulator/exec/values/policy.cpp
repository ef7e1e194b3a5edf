// Models createpolicy: PTX ISA 9.7.9.18. ptxas spells it out in plain instructions, and these are followed
// bit for bit (read off sm_90 code of ptxas 13.0). Not modelled: what caches make of a policy; nothing here.
#include "instrumentation/emulator/exec/values/approximate.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;

// Bits 52..63: what kind of policy and, for the accesses it is about and for the others, their priority.
constexpr uint64_t kFractional = 0x100, kRange = 0x180;

uint64_t primary_priority(std::string_view word) {
    if (word == "L2::evict_first") return 0x20;
    if (word == "L2::evict_last") return 0x40;
    return word == "L2::evict_normal" ? 0x60 : 0;
}
uint64_t secondary_priority(std::string_view word) { return word == "L2::evict_first" ? 0x10 : 0; }

// r = {d, fraction}; target: kind and priorities. The field counts sixteenths beyond the first.
const Instr* policy_of_fraction(Warp& w, const Instr* i) {
    const auto head = static_cast<uint64_t>(i->target);
    const float* fraction = cells<float>(w, i->r[1]);
    write_lanes<uint64_t>(w, i->r[0], [=](int lane) {
        const float share = fraction[lane] * 15.989999771118164f;
        const uint64_t sixteenths = share > 0 ? static_cast<uint64_t>(std::min(share, 4294967040.0f)) : 0;
        return (head | (sixteenths & 0xf)) << 52;
    });
    return i + 1;
}

// Blocks of 2^(12 + size) bytes, so that `total` spans at most 128 of them; first block and number of further
// ones that the primary range touches.
uint64_t range_policy(uint64_t head, uint64_t address, uint32_t primary, uint32_t total) {
    if (total == 0) return kRange << 52;
    const auto log = static_cast<int>(std::ceil(log2_approx(static_cast<float>(total))));
    const int shift = std::max(log - 7, 12);
    const uint64_t first = address >> shift;
    const uint64_t end = (address + (primary - 1 + (1u << shift))) >> shift;
    const uint64_t blocks = std::min<uint64_t>(end - first, 0x7f);
    return (head | static_cast<uint64_t>(shift - 12)) << 52 | (first & 0x7f) << 44 | blocks << 37;
}

// r = {d, -, primary, total, address}; target: kind and priorities.
const Instr* policy_of_range(Warp& w, const Instr* i) {
    const auto head = static_cast<uint64_t>(i->target);
    const uint32_t *primary = cells<uint32_t>(w, i->r[2]), *total = cells<uint32_t>(w, i->r[3]);
    const uint64_t* address = cells<uint64_t>(w, i->r[4]);
    const auto displacement = static_cast<uint64_t>(i->offset);
    write_lanes<uint64_t>(w, i->r[0], [=](int lane) {
        return range_policy(head, address[lane] + displacement, primary[lane], total[lane]);
    });
    return i + 1;
}

const Instr* policy_of_property(Warp& w, const Instr* i) {
    const uint64_t* property = cells<uint64_t>(w, i->r[1]);
    write_lanes<uint64_t>(w, i->r[0], [=](int lane) { return property[lane]; });
    return i + 1;
}

Selected lower_range(Lowering& l) {
    const AddressOperand where = address(l, 1, ptx::Space::generic);
    if (!where.wide) return {};
    l.out.r[2] = source(l, 2, Type::u32);
    l.out.r[3] = source(l, 3, Type::u32);
    l.out.r[4] = where.slot;
    l.out.offset = where.displacement;
    return Exec{policy_of_range};
}

}  // namespace

Selected lower_policy(Lowering& l) {
    const auto& in = *l.in;
    if (in.op != Op::createpolicy) return {};
    const bool range = in.form->name == "createpolicy.range";
    // The second priority is a word that the decoder had no other field for.
    const uint64_t priorities =
        primary_priority(in.modifiers.eviction) | secondary_priority(in.modifiers.kind);
    l.out.target = static_cast<int32_t>((range ? kRange : kFractional) | priorities);
    l.out.r[0] = destination(l, 0);
    if (range) return lower_range(l);
    if (in.form->name == "createpolicy.cvt") {
        l.out.r[1] = source(l, 1, Type::b64);
        return Exec{policy_of_property};
    }
    constexpr uint64_t kWhole = 0x3f800000;  // 1.0f
    l.out.r[1] = in.operands.size() > 1 ? source(l, 1, Type::f32) : constant(l, 4, kWhole);
    return Exec{policy_of_fraction};
}

}  // namespace wl::emulator
