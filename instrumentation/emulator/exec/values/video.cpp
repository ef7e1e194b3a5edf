// Models the scalar video instructions: PTX ISA 9.7.18.1, with selectors, saturation, merging and the second
// operation, one lane at a time. sm_90 has none of them: what ptxas makes of them is followed, and it leaves
// the ISA's text in the places marked "sm_90" (read off code of ptxas 13.0, equal to an H200's answers).
#include "instrumentation/emulator/exec/values/video.h"

#include "instrumentation/emulator/machine/simd.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::AtomOp;
using ptx::Op;
using ptx::Type;

int64_t selected(uint32_t x, uint16_t selector, bool is_signed) {
    const Selector s = selector_of(selector);
    return element_of(x, 0, s.bits, digit(s, 0), is_signed);
}

// In more bits than the result has.
int64_t first_operation(const VideoForm& f, int64_t a, int64_t b) {
    const int64_t shift = f.wrap ? b & 31 : std::min<int64_t>(b, 32);
    switch (op_of(f)) {
        case Op::vadd: return a + b;
        case Op::vsub: return a - b;
        case Op::vabsdiff: return a < b ? b - a : a - b;
        case Op::vmin: return std::min(a, b);
        case Op::vmax: return std::max(a, b);
        case Op::vshl: return static_cast<int64_t>(static_cast<uint64_t>(a) << shift);
        case Op::vshr: return a >> shift;
        default: return compares(static_cast<ptx::Compare>(f.compare), a, b) ? 1 : 0;
    }
}

bool shifts(const VideoForm& f) { return op_of(f) == Op::vshl || op_of(f) == Op::vshr; }

int64_t sign_extended(int64_t x, int bits) {
    return static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - bits)) >> (64 - bits);
}

// sm_90: of shifts, 34 bits count, and are clamped to a word; of anything else, a byte or half counts as
// unsigned, so that what is negative becomes the largest value, and a word without sign is not clamped from
// above.
int64_t saturated(const VideoForm& f, const Selector& to, int64_t x) {
    if (shifts(f)) return clamped(sign_extended(x, 34), 32, f.d_signed);
    if (to.bits < 32) {
        const uint64_t most = (uint64_t{1} << (f.d_signed ? to.bits - 1 : to.bits)) - 1;
        return static_cast<int64_t>(std::min(static_cast<uint64_t>(x), most));
    }
    return f.d_signed ? clamped(x, 32, true) : std::max<int64_t>(x, 0);
}

// sm_90: what goes on from here with 32 bits; it is taken with its sign.
bool has_one_word(const VideoForm& f) {
    return op_of(f) == Op::vadd || op_of(f) == Op::vsub || (shifts(f) && f.sat);
}

// sm_90: without sign, the addend has 32 bits but the other value 64.
uint32_t second_operation(const VideoForm& f, int64_t x, uint32_t c) {
    const bool less = f.d_signed ? x < static_cast<int32_t>(c) : static_cast<uint64_t>(x) < c;
    const auto low = static_cast<uint32_t>(x);
    switch (static_cast<AtomOp>(f.second)) {
        case AtomOp::add: return low + c;
        case AtomOp::min: return less ? low : c;
        case AtomOp::max: return less ? c : low;
        default: return low;
    }
}

// sm_90: .h1 takes the upper half of x too.
uint32_t merged(const Selector& d, uint32_t x, uint32_t c) {
    const uint32_t shift = d.bits * digit(d, 0);
    const auto mask = static_cast<uint32_t>(((uint64_t{1} << d.bits) - 1) << shift);
    return ((d.bits == 16 ? x : x << shift) & mask) | (c & ~mask);
}

// r = {d, a, b, c}
const Instr* video(Warp& w, const Instr* i) {
    const auto f = std::bit_cast<VideoForm>(i->target);
    const auto s = std::bit_cast<VideoSelectors>(i->offset);
    const Selector to = selector_of(s.d);
    const uint32_t *a = cells<uint32_t>(w, i->r[1]), *b = cells<uint32_t>(w, i->r[2]),
                   *c = cells<uint32_t>(w, i->r[3]);
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) {
        int64_t x =
            first_operation(f, selected(a[lane], s.a, f.a_signed), selected(b[lane], s.b, f.b_signed));
        if (f.sat) x = saturated(f, to, x);
        if (has_one_word(f)) x = sign_extended(x, 32);
        return f.merges ? merged(to, static_cast<uint32_t>(x), c[lane]) : second_operation(f, x, c[lane]);
    });
    return i + 1;
}

// ISA 9.7.18.1.3: a negated product or addend is its complement, plus one in the last place. sm_90: whole
// words are multiplied and added with their sign.
uint32_t multiply_add(const VideoForm& f, const VideoSelectors& s, uint32_t a, uint32_t b, uint32_t c) {
    const bool is_signed = f.a_signed || f.b_signed || s.negate_product || s.negate_c;
    const auto x = static_cast<int32_t>(selected(a, s.a, f.a_signed));
    const auto y = static_cast<int32_t>(selected(b, s.b, f.b_signed));
    const int64_t product = s.negate_product ? ~(int64_t{x} * y) : int64_t{x} * y;
    const auto addend = static_cast<int32_t>(s.negate_c ? ~c : c);
    const int64_t sum = product + addend + (f.plus_one || s.negate_product || s.negate_c ? 1 : 0);
    const int64_t scaled =
        is_signed ? sum >> f.compare : static_cast<int64_t>(static_cast<uint64_t>(sum) >> f.compare);
    return static_cast<uint32_t>(f.sat ? clamped(scaled, 32, is_signed) : scaled);
}

const Instr* video_multiply(Warp& w, const Instr* i) {
    const auto f = std::bit_cast<VideoForm>(i->target);
    const auto s = std::bit_cast<VideoSelectors>(i->offset);
    const uint32_t *a = cells<uint32_t>(w, i->r[1]), *b = cells<uint32_t>(w, i->r[2]),
                   *c = cells<uint32_t>(w, i->r[3]);
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) {
        return multiply_add(f, s, a[lane], b[lane], c[lane]);
    });
    return i + 1;
}

bool is_signed(Type t) { return t == Type::s32; }

}  // namespace

VideoForm video_form(const ptx::Instruction& in) {
    const size_t a = in.types.size() - 2;  // vset has no type of its own for d
    VideoForm f;
    f.op = static_cast<uint8_t>(static_cast<int>(in.op) - static_cast<int>(Op::vadd));
    f.compare = static_cast<uint8_t>(in.modifiers.compare);
    f.second = static_cast<uint8_t>(in.modifiers.atom_op);
    f.d_signed = is_signed(in.types[0]);
    f.a_signed = is_signed(in.types[a]);
    f.b_signed = is_signed(in.types[a + 1]);
    f.sat = in.modifiers.sat;
    f.wrap = in.modifiers.mode == ptx::Mode::wrap;
    return f;
}

void video_operands(Lowering& l) {
    const auto& in = *l.in;
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = source(l, 1, Type::b32);
    l.out.r[2] = source(l, 2, Type::b32);
    l.out.r[3] = in.operands.size() > 3 ? source(l, 3, Type::b32) : constant(l, 4, 0);
}

Selected lower_video(Lowering& l) {
    const auto& in = *l.in;
    if (in.op < Op::vadd || in.op > Op::vset || in.operands.size() < 3) return {};
    VideoForm f = video_form(in);
    VideoSelectors s{in.operands[0].selector, in.operands[1].selector, in.operands[2].selector};
    f.merges = s.d != 0;
    if (in.op == Op::vmad) {
        f.plus_one = in.modifiers.kind == "po" || in.modifiers.detail == "po";
        const auto scales = [&](std::string_view word) {
            return in.modifiers.kind == word || in.modifiers.detail == word;
        };
        f.compare = scales("shr7") ? 7 : scales("shr15") ? 15 : 0;
        s.negate_product = in.operands[1].negated != in.operands[2].negated;
        s.negate_c = in.operands.size() > 3 && in.operands[3].negated;
    }
    video_operands(l);
    l.out.offset = std::bit_cast<int64_t>(s);
    l.out.target = std::bit_cast<int32_t>(f);
    return Exec{in.op == Op::vmad ? video_multiply : video};
}

}  // namespace wl::emulator
