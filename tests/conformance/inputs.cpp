// Edge values by type, and random values that reach them often.
#include "tests/conformance/inputs.h"

#include "instrumentation/base/dtype.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace wl::conformance {
namespace {

using ptx::Type;

// A type as equal parts of one element format: f16x2 is two f16.
struct Parts {
    DType element = DType::u32;
    int count = 1, bits = 32;
    bool floating = false;
};

Parts parts_of(Type t) {
    switch (t) {
        case Type::f16: return {DType::f16, 1, 16, true};
        case Type::f16x2: return {DType::f16, 2, 16, true};
        case Type::bf16: return {DType::bf16, 1, 16, true};
        case Type::bf16x2: return {DType::bf16, 2, 16, true};
        case Type::f32: return {DType::f32, 1, 32, true};
        case Type::f32x2: return {DType::f32, 2, 32, true};
        case Type::f64: return {DType::f64, 1, 64, true};
        case Type::tf32: return {DType::f32, 1, 32, true};
        case Type::e4m3: return {DType::e4m3, 1, 8, true};
        case Type::e5m2: return {DType::e5m2, 1, 8, true};
        case Type::e4m3x2: return {DType::e4m3, 2, 8, true};
        case Type::e5m2x2: return {DType::e5m2, 2, 8, true};
        case Type::u16x2: return {DType::u16, 2, 16, false};
        case Type::s16x2: return {DType::s16, 2, 16, false};
        case Type::s8: return {DType::s8, 1, 8, false};
        case Type::s16: return {DType::s16, 1, 16, false};
        case Type::s32: return {DType::s32, 1, 32, false};
        case Type::s64: return {DType::s64, 1, 64, false};
        default: break;
    }
    const int bits = static_cast<int>(8 * bytes_of(t));
    const DType element = bits == 8 ? DType::u8
        : bits == 16                ? DType::u16
        : bits == 32                ? DType::u32
                                    : DType::u64;
    return {element, 1, bits, false};
}

uint64_t low_bits(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

uint64_t repeated(const Parts& p, uint64_t part) {
    uint64_t all = 0;
    for (int i = 0; i < p.count; ++i) all |= (part & low_bits(p.bits)) << (i * p.bits);
    return all;
}

uint64_t encode_part(const Parts& p, double value) {
    uint64_t bits = 0;
    from_double(p.element, value, &bits);
    return bits;
}

// Exponent and mantissa widths of a float of `bits`.
int mantissa_bits(DType t) {
    switch (t) {
        case DType::f16: return 10;
        case DType::bf16: return 7;
        case DType::f32: return 23;
        case DType::f64: return 52;
        case DType::e4m3: return 3;
        default: return 2;
    }
}

std::vector<uint64_t> float_edges(const Parts& p) {
    const int m = mantissa_bits(p.element);
    const uint64_t sign = uint64_t{1} << (p.bits - 1);
    const uint64_t infinity = (sign - 1) & ~low_bits(m);
    const uint64_t one = encode_part(p, 1.0);
    return {
        0,
        infinity | (uint64_t{1} << (m - 1)) | 1,  // quiet NaN with a payload
        infinity,
        one,
        sign | (infinity - 1),  // least finite value
        1,                      // least subnormal
        sign,                   // -0
        sign | one,
        sign | infinity,
        infinity | 1,  // signalling NaN
        infinity - 1,
        sign | low_bits(m),  // largest subnormal, negative
        uint64_t{1} << m,    // least normal
        encode_part(p, 1.5),
        one + 1,
        encode_part(p, -2.5),
        sign | infinity | low_bits(m),  // negative NaN, all payload bits
        low_bits(m),
        encode_part(p, 0.5),
        one - 1,
        sign | (uint64_t{1} << m) | 1,
        encode_part(p, 3.0),
        encode_part(p, 0.1),
        (infinity >> 1) & ~low_bits(m),  // about the square root of the least normal, and inverse
        infinity - (uint64_t{1} << m),
        sign | 2,
    };
}

std::vector<uint64_t> convert_edges(const Parts& p) {
    std::vector<uint64_t> all = float_edges(p);
    for (const double limit :
         {0.0,     127.0,   128.0,   255.0,   256.0,        32767.0,      32768.0,      65535.0,
          65504.0, 65520.0, 448.0,   57344.0, 2147483647.0, 2147483648.0, 4294967295.0, 4294967296.0,
          0x1p63,  0x1p64,  0x1p-14, 0x1p-24, 0x1p-25,      0x1.8p-25,    0x1p-126,     0x1p-133})
        for (const double step : {0.0, 0.5, -0.5, -1.0}) {
            all.push_back(encode_part(p, limit + step));
            all.push_back(encode_part(p, -limit - step));
        }
    return all;
}

std::vector<uint64_t> integer_edges(const Parts& p) {
    const uint64_t sign = uint64_t{1} << (p.bits - 1), all = low_bits(p.bits);
    const uint64_t alternating = 0x5555'5555'5555'5555 & all;
    return {
        0,
        all,
        sign,
        1,
        sign - 1,
        alternating,
        2,
        all - 1,
        sign + 1,
        sign - 2,
        ~alternating & all,
        7,
        0x80 & all,
        0xff & all,
        all - 0x7f,
        low_bits(p.bits / 2),
        all & ~low_bits(p.bits / 2),
        3,
        10,
        0x7f,
        0x123456789abcdef0 & all,
        sign >> 1};
}

std::vector<uint64_t> position_edges(const Parts& p) {
    std::vector<uint64_t> all = {0,  32,  1,   31, 33, 8, 64,  16,         63,         7,  15,
                                 17, 255, 256, 65, 24, 4, 128, 0x80000000, 0xffffffff, 288};
    for (uint64_t& v : all) v &= low_bits(p.bits);
    return all;
}

double moderate(Random& random, int exponents) {
    const bool few_bits = next(random) & 1;  // ties and exact results are frequent among short mantissas
    const double mantissa =
        1 + static_cast<double>(below(random, few_bits ? 16 : 1u << 24)) / (few_bits ? 16 : 1u << 24);
    const double value = std::ldexp(
        mantissa, static_cast<int>(below(random, static_cast<uint64_t>(2 * exponents + 1))) - exponents
    );
    return next(random) & 1 ? -value : value;
}

uint64_t draw_part(const Parts& p, Flavour flavour, Random& random) {
    switch (flavour) {
        case Flavour::predicate: return below(random, 2);
        case Flavour::lane: return below(random, 32);
        case Flavour::small: {
            const double v = static_cast<double>(below(random, 17)) - 8;
            if (p.floating) return encode_part(p, v);
            return static_cast<uint64_t>(static_cast<int64_t>(v)) & low_bits(p.bits);
        }
        case Flavour::unit: return encode_part(p, moderate(random, 8) / 512);
        case Flavour::finite:
            return p.floating ? encode_part(p, moderate(random, 4)) : next(random) & low_bits(p.bits);
        case Flavour::angle: return encode_part(p, moderate(random, next(random) & 3 ? 3 : 12));
        default: break;
    }
    const uint64_t choice = below(random, 8);
    if (choice < 2) return next(random) & low_bits(p.bits);
    if (p.floating)
        return encode_part(p, moderate(random, choice < 6 ? 6 : flavour == Flavour::convert ? 40 : 12));
    if (flavour == Flavour::position) return below(random, 66) & low_bits(p.bits);
    return choice < 5 ? (next(random) >> below(random, 64)) & low_bits(p.bits)
                      : (next(random) & 0xff) * (next(random) & 1 ? 1 : ~uint64_t{0}) & low_bits(p.bits);
}

std::vector<uint64_t> part_edges(const Parts& p, Flavour flavour) {
    switch (flavour) {
        case Flavour::position: return position_edges(p);
        case Flavour::predicate: return {0, 1};
        case Flavour::lane: return {0, 31, 1, 16};
        case Flavour::small: return {0, encode_part(p, 1), encode_part(p, -1), encode_part(p, 8)};
        case Flavour::finite: return {0, encode_part(p, 1), encode_part(p, -1), encode_part(p, 0.5)};
        case Flavour::convert: return p.floating ? convert_edges(p) : integer_edges(p);
        default: return p.floating ? float_edges(p) : integer_edges(p);
    }
}

}  // namespace

uint64_t next(Random& random) {
    uint64_t z = random.state += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
}

uint64_t below(Random& random, uint64_t limit) { return next(random) % limit; }

uint64_t encode(Type type, double value) {
    const Parts p = parts_of(type);
    return repeated(p, encode_part(p, value));
}

std::vector<uint64_t> edges(Operand operand) {
    const Parts p = parts_of(operand.type);
    std::vector<uint64_t> all = part_edges(p, operand.flavour);
    for (uint64_t& v : all) v = repeated(p, v);
    return all;
}

uint64_t draw(Operand operand, Random& random) {
    const Parts p = parts_of(operand.type);
    const std::vector<uint64_t> choices = part_edges(p, operand.flavour);
    uint64_t all = 0;
    for (int i = 0; i < p.count; ++i) {
        const uint64_t part = below(random, 5) == 0 ? choices[below(random, choices.size())]
                                                    : draw_part(p, operand.flavour, random);
        all |= (part & low_bits(p.bits)) << (i * p.bits);
    }
    return all;
}

std::vector<std::vector<uint64_t>> operand_values(
    const std::vector<Operand>& operands, uint32_t lanes, uint64_t seed
) {
    std::vector<std::vector<uint64_t>> values(operands.size(), std::vector<uint64_t>(lanes));
    std::vector<std::vector<uint64_t>> choices;
    // The crossed part takes at most half of the lanes, but a lone operand shows every edge.
    const double crossed = operands.size() == 1 ? lanes : lanes / 2.0;
    const double root = std::pow(crossed, 1.0 / static_cast<double>(std::max<size_t>(1, operands.size())));
    size_t combinations = 1;
    for (const Operand& o : operands) {
        choices.push_back(edges(o));
        choices.back().resize(std::min(choices.back().size(), static_cast<size_t>(root + 1e-9)));
        combinations *= choices.back().size();
    }
    Random random{seed};
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        size_t combination = lane;
        for (size_t o = 0; o < operands.size(); ++o) {
            const bool cross = lane < combinations;
            values[o][lane] = cross ? choices[o][combination % choices[o].size()] : draw(operands[o], random);
            if (cross) combination /= choices[o].size();
        }
    }
    return values;
}

}  // namespace wl::conformance
