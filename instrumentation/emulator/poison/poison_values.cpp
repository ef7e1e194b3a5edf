// How poisoned bits go through one operation, lane by lane. A bit is clean only when no value of the poisoned
// bits could change it, as far as that is cheap to know; never clean by mistake.
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/poison/poison_plan.h"

#include <algorithm>
#include <bit>

namespace wl::emulator {
namespace {

using Way = PoisonWay;

// The sources of one lane.
struct Lane {
    const PoisonRow* sources = nullptr;
    size_t lane = 0;
    uint64_t bits(size_t k) const { return sources[k].bits[lane]; }
    uint64_t values(size_t k) const { return sources[k].values[lane]; }
};

uint64_t and_poison(const Lane& l) {
    return (l.bits(0) & (l.values(1) | l.bits(1))) | (l.bits(1) & (l.values(0) | l.bits(0)));
}
uint64_t or_poison(const Lane& l) {
    return (l.bits(0) & (~l.values(1) | l.bits(1))) | (l.bits(1) & (~l.values(0) | l.bits(0)));
}

// The bits of lop3's result that some choice of the poisoned bits changes.
uint64_t table_poison(uint8_t table, const Lane& l) {
    uint64_t some = 0, every = ~uint64_t{0};
    for (unsigned choice = 0; choice < 8; ++choice) {
        uint64_t in[3], result = 0;
        for (unsigned k = 0; k < 3; ++k)
            in[k] = (l.values(k) & ~l.bits(k)) | ((choice >> k & 1) != 0 ? l.bits(k) : 0);
        for (unsigned row = 0; row < 8; ++row)
            if ((table >> row & 1) != 0)
                result |= ((row & 4) != 0 ? in[0] : ~in[0]) & ((row & 2) != 0 ? in[1] : ~in[1]) &
                    ((row & 1) != 0 ? in[2] : ~in[2]);
        some |= result;
        every &= result;
    }
    return some & ~every;
}

// Poison of the sign bit goes into what is filled with the sign.
uint64_t with_sign(uint64_t bits, unsigned width) {
    return width < 64 && (bits >> (width - 1) & 1) != 0 ? bits | ~ones(width) : bits;
}

uint64_t shift_poison(const PoisonStep& s, const Lane& l) {
    if (l.bits(1) != 0) return ~uint64_t{0};
    const uint64_t amount = l.values(1) & 0xffffffff, bits = l.bits(0) & ones(s.width);
    if (s.way == Way::shift_left) return amount >= s.width ? 0 : bits << amount;
    const uint64_t filled = s.is_signed ? with_sign(bits, s.width) : bits;
    if (amount >= s.width) return s.is_signed && (bits >> (s.width - 1) & 1) != 0 ? ~uint64_t{0} : 0;
    return s.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(filled) >> amount) : filled >> amount;
}

uint64_t funnel_poison(const PoisonStep& s, const Lane& l) {
    if (l.bits(2) != 0) return ~uint64_t{0};
    const uint64_t pair = (l.bits(1) & ones(32)) << 32 | (l.bits(0) & ones(32));
    const bool clamps = s.in->modifiers.mode2 == ptx::Mode::clamp;
    const uint64_t wanted = l.values(2) & 0xffffffff;
    const uint64_t amount = clamps ? std::min<uint64_t>(wanted, 32) : wanted & 31;
    return s.in->modifiers.mode == ptx::Mode::l ? pair << amount >> 32 : pair >> amount;
}

uint64_t permute_poison(const Lane& l) {
    if (l.bits(2) != 0) return ~uint64_t{0};
    const uint64_t pair = (l.bits(1) & ones(32)) << 32 | (l.bits(0) & ones(32));
    uint64_t out = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
        const auto choice = static_cast<unsigned>(l.values(2) >> (4 * byte) & 15);
        uint64_t from = pair >> (8 * (choice & 7)) & 0xff;
        if ((choice & 8) != 0) from = (from & 0x80) != 0 ? 0xff : 0;
        out |= from << (8 * byte);
    }
    return out;
}

uint64_t select_poison(const Lane& l) {
    if (l.bits(2) != 0) return l.bits(0) | l.bits(1) | (l.values(0) ^ l.values(1));
    return (l.values(2) & 1) != 0 ? l.bits(0) : l.bits(1);
}

// Each half of a pair by itself.
uint64_t halves_poison(uint64_t bits) {
    return ((bits & 0xffff) != 0 ? 0xffffu : 0u) | ((bits >> 16 & 0xffff) != 0 ? 0xffff0000u : 0u);
}

uint64_t extend_poison(const PoisonStep& s, const Lane& l) {
    const uint64_t bits = l.bits(0) & ones(s.source_width);
    return s.is_signed ? with_sign(bits, s.source_width) : bits;
}

uint64_t field_poison(const PoisonStep& s, const Lane& l) {
    if ((l.bits(1) | l.bits(2)) != 0) return ~uint64_t{0};
    const uint64_t first = l.values(1) & 0xff, count = l.values(2) & 0xff;
    const uint64_t bits = l.bits(0) & ones(s.width);
    if (first >= s.width || count == 0) return s.is_signed && bits != 0 ? ~uint64_t{0} : 0;
    const uint64_t field = bits >> first & ones(static_cast<unsigned>(count));
    const bool fills = s.is_signed && (bits >> std::min<uint64_t>(first + count - 1, s.width - 1) & 1) != 0;
    return fills ? field | ~ones(static_cast<unsigned>(count)) : field;
}

uint64_t insert_poison(const PoisonStep& s, const Lane& l) {
    if ((l.bits(2) | l.bits(3)) != 0) return ~uint64_t{0};
    const uint64_t first = l.values(2) & 0xff, count = l.values(3) & 0xff;
    if (first >= s.width || count == 0) return l.bits(1);
    const uint64_t field = ones(static_cast<unsigned>(count)) << first;
    return (l.bits(1) & ~field) | (l.bits(0) << first & field);
}

uint64_t compare_poison(const PoisonStep& s, const Lane& l) {
    const bool decided = l.bits(2) == 0 &&
        ((s.in->modifiers.bool_op == ptx::BoolOp::and_ && (l.values(2) & 1) == 0) ||
         (s.in->modifiers.bool_op == ptx::BoolOp::or_ && (l.values(2) & 1) != 0));
    return decided || (l.bits(0) | l.bits(1) | l.bits(2)) == 0 ? 0 : 1;
}

// Sources and results are equal parts of one row of bits, of at most 64.
uint64_t copy_poison(const PoisonStep& s, size_t k, const Lane& l) {
    const auto sources = static_cast<unsigned>(s.sources.size()),
               results = static_cast<unsigned>(s.results.size());
    const unsigned each = s.width / sources, taken = s.width / std::max(results, 1u);
    uint64_t row = 0;
    for (unsigned from = 0; from < sources; ++from) row |= (l.bits(from) & ones(each)) << (from * each);
    return row >> (k * taken) & ones(taken);
}

template <class F>
void each_lane(const PoisonRow* sources, PoisonRow& out, F poison) {
    WL_FOR_LANES out.bits[static_cast<size_t>(lane)] = poison(Lane{sources, static_cast<size_t>(lane)});
}

// All bits that some source has poisoned.
void unite(const PoisonStep& s, const PoisonRow* sources, PoisonRow& out) {
    out.bits.fill(0);
    for (size_t k = 0; k < s.sources.size(); ++k)
        if (s.sources[k].cell.bits != 0)
            each_lane(sources, out, [&](const Lane& l) { return out.bits[l.lane] | l.bits(k); });
}

void carry_poison(const PoisonStep& s, const PoisonRow* sources, PoisonRow& out) {
    const bool multiplies = s.in->op == ptx::Op::mul || s.in->op == ptx::Op::mad;
    const uint64_t width = ones(s.width);
    out.bits.fill(0);
    for (size_t k = 0; k < s.sources.size(); ++k) {
        if (s.sources[k].cell.bits == 0) continue;
        if (multiplies && k < 2)
            each_lane(sources, out, [&](const Lane& l) {
                const bool by_zero = l.bits(1 - k) == 0 && (l.values(1 - k) & width) == 0;
                return out.bits[l.lane] | (by_zero ? 0 : l.bits(k) & width);
            });
        else
            each_lane(sources, out, [&](const Lane& l) { return out.bits[l.lane] | (l.bits(k) & width); });
    }
    each_lane(sources, out, [&](const Lane& l) { return out.bits[l.lane] | (~out.bits[l.lane] + 1); });
}

}  // namespace

void poison_of_result(const PoisonStep& s, size_t k, const PoisonRow* sources, PoisonRow& out) {
    const auto each = [&](auto poison) { each_lane(sources, out, poison); };
    switch (s.way) {
        case Way::copy:
            if (s.in->modifiers.vector > 1) return each([&](const Lane& l) { return l.bits(k); });
            if (s.sources.size() == 1 && s.results.size() == 1)
                return each([&](const Lane& l) { return l.bits(0) & ones(s.width); });
            return each([&](const Lane& l) { return copy_poison(s, k, l); });
        case Way::bit_and: return each(and_poison);
        case Way::bit_or: return each(or_poison);
        case Way::bit_xor: return unite(s, sources, out);
        case Way::table: return each([&](const Lane& l) { return table_poison(s.table, l); });
        case Way::shift_left:
        case Way::shift_right: return each([&](const Lane& l) { return shift_poison(s, l); });
        case Way::funnel: return each([&](const Lane& l) { return funnel_poison(s, l); });
        case Way::permute: return each(permute_poison);
        case Way::select: return each(select_poison);
        case Way::carry: return carry_poison(s, sources, out);
        case Way::halves:
            unite(s, sources, out);
            return each([&](const Lane& l) { return halves_poison(out.bits[l.lane]); });
        case Way::pack:
            return each([](const Lane& l) {
                return (l.bits(0) != 0 ? 0xffff0000u : 0u) | (l.bits(1) != 0 ? 0xffffu : 0u);
            });
        case Way::extend: return each([&](const Lane& l) { return extend_poison(s, l); });
        case Way::field: return each([&](const Lane& l) { return field_poison(s, l); });
        case Way::insert: return each([&](const Lane& l) { return insert_poison(s, l); });
        case Way::compare: return each([&](const Lane& l) { return compare_poison(s, l); });
        default:
            unite(s, sources, out);
            return each([&](const Lane& l) { return out.bits[l.lane] != 0 ? ~uint64_t{0} : 0; });
    }
}

}  // namespace wl::emulator
