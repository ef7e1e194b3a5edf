// Models the SIMD video instructions on two halves or four bytes: PTX ISA 9.7.18.2, with selectors, masks,
// saturation and accumulation, one lane at a time. Not modelled: nothing.
#include "instrumentation/emulator/exec/values/video.h"
#include "instrumentation/emulator/machine/simd.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Op;

int64_t operation(const VideoForm& f, int64_t a, int64_t b) {
    switch (op_of(f)) {
        case Op::vadd2:
        case Op::vadd4: return a + b;
        case Op::vsub2:
        case Op::vsub4: return a - b;
        case Op::vavrg2:
        case Op::vavrg4: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
        case Op::vabsdiff2:
        case Op::vabsdiff4: return a < b ? b - a : a - b;
        case Op::vmin2:
        case Op::vmin4: return std::min(a, b);
        case Op::vmax2:
        case Op::vmax4: return std::max(a, b);
        default: return compares(static_cast<ptx::Compare>(f.compare), a, b) ? 1 : 0;
    }
}

// r = {d, a, b, c}. Selector digits choose among the elements of {b, a}; those of d are a mask.
template <uint32_t Count>
const Instr* video_simd(Warp& w, const Instr* i) {
    constexpr uint32_t kBits = 32 / Count;
    const auto f = std::bit_cast<VideoForm>(i->target);
    const auto s = std::bit_cast<VideoSelectors>(i->offset);
    const Selector of_a = selector_of(s.a), of_b = selector_of(s.b);
    const uint32_t *a = cells<uint32_t>(w, i->r[1]), *b = cells<uint32_t>(w, i->r[2]),
                   *c = cells<uint32_t>(w, i->r[3]);
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) {
        const bool adds = static_cast<ptx::AtomOp>(f.second) == ptx::AtomOp::add;
        uint32_t result = c[lane];
        for (uint32_t k = 0; k < Count; ++k) {
            if (!adds && (s.d >> k & 1) == 0) continue;
            const int64_t x = element_of(a[lane], b[lane], kBits, digit(of_a, k), f.a_signed);
            const int64_t y = element_of(a[lane], b[lane], kBits, digit(of_b, k), f.b_signed);
            int64_t value = operation(f, x, y);
            if (f.sat) value = clamped(value, kBits, f.d_signed);
            const uint32_t mask = ((1u << kBits) - 1) << (k * kBits);
            if (adds)
                result += static_cast<uint32_t>(value);
            else
                result = (result & ~mask) | (static_cast<uint32_t>(value) << (k * kBits) & mask);
        }
        return result;
    });
    return i + 1;
}

// One bit an element that d's selector names; all of them without one.
uint16_t mask_of(const Selector& d, uint32_t elements) {
    if (d.count == 1 && d.bits == 32) return static_cast<uint16_t>((1u << elements) - 1);
    uint32_t mask = 0;
    for (uint32_t k = 0; k < d.count; ++k) mask |= 1u << digit(d, k);
    return static_cast<uint16_t>(mask);
}
// Elements first, first + 1, ... as a selector.
uint16_t consecutive(uint32_t first, uint32_t count) {
    uint32_t selector = (count == 2 ? 0x8000 : 0) | count << 12;
    for (uint32_t k = 0; k < count; ++k) selector |= (first + k) << (3 * k);
    return static_cast<uint16_t>(selector);
}

}  // namespace

Selected lower_video_simd(Lowering& l) {
    const auto& in = *l.in;
    if (in.op < Op::vadd2 || in.op > Op::vset4 || in.operands.size() != 4) return {};
    const uint32_t count = in.op < Op::vadd4 ? 2 : 4;
    const uint16_t a = in.operands[1].selector, b = in.operands[2].selector;
    VideoSelectors s;
    s.d = mask_of(selector_of(in.operands[0].selector), count);
    s.a = a != 0 ? a : consecutive(0, count);
    s.b = b != 0 ? b : consecutive(count, count);
    video_operands(l);
    l.out.offset = std::bit_cast<int64_t>(s);
    l.out.target = std::bit_cast<int32_t>(video_form(in));
    return Exec{count == 2 ? video_simd<2> : video_simd<4>};
}

}  // namespace wl::emulator
