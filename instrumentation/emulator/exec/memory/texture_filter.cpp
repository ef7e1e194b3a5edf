// Models weights of eight bits that are rounded one axis after the other, and sums in the precision of the
// texture's format: fixed point of 16 bits for integers that are read as numbers; for f16 and f32 alignment
// to the largest texel of a slice with four bits more.
#include "instrumentation/emulator/exec/memory/texture_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace wl::emulator {
namespace {

struct Format {
    int fraction_bits, lowest_exponent, highest_exponent;
    bool has_subnormals;  // those of the other count as zeros
    uint32_t nan;         // what comes of one, as an f32
};
constexpr Format kFloat{23, -126, 127, false, 0x7fffffff}, kHalf{10, -14, 15, true, 0x7fffe000};

constexpr int kGuardBits = 4;   // of a texel beside a larger one; the rest is cut off
constexpr int kWeightBits = 8;  // fraction of a weight

// value * 2^exponent
struct Scaled {
    int64_t value = 0;
    int exponent = 0;
};

float texel_of(const Blend& b, size_t k, const Format& f) {
    const float x = std::bit_cast<float>(b.values[k]);
    return !f.has_subnormals && std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}
// 2^e, of the exponents of normal doubles.
double power(int e) { return std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52); }

// Of a finite number that is not 0. What lies below the format's lowest exponent counts as being of that.
int own_exponent(float x) { return static_cast<int>(std::bit_cast<uint32_t>(x) >> 23 & 0xff) - 127; }
int exponent_of(float x, const Format& f) { return std::max(own_exponent(x), f.lowest_exponent); }

// |x| in units of the last place of numbers of exponent e, cut off.
int64_t whole_of(float x, int e, const Format& f) {
    const uint32_t fraction = std::bit_cast<uint32_t>(x) & 0x7fffff;
    const int own = own_exponent(x);
    const int64_t mantissa = own == -127 ? int64_t{fraction} << 1 : int64_t{fraction} | 1 << 23;
    return mantissa >> std::min(23 - f.fraction_bits + e - own, 63);
}

// Of the four texels of a slice: each is aligned to the largest, cut off, and weighed.
Scaled slice_sum(const Blend& b, size_t first, const Format& f) {
    int top = f.lowest_exponent;
    bool any = false;
    for (size_t k = first; k < first + 4; ++k) {
        const float x = texel_of(b, k, f);
        if (b.weights[k] == 0 || x == 0) continue;
        top = any ? std::max(top, exponent_of(x, f)) : exponent_of(x, f);
        any = true;
    }
    Scaled sum{0, top - f.fraction_bits - kGuardBits - kWeightBits};
    for (size_t k = first; any && k < first + 4; ++k) {
        const float x = texel_of(b, k, f);
        if (b.weights[k] == 0 || x == 0) continue;
        const int e = exponent_of(x, f);
        const int64_t aligned = (whole_of(x, e, f) << kGuardBits) >> std::min(top - e, 63);
        sum.value += b.weights[k] * (x < 0 ? -aligned : aligned);
    }
    return sum;
}

// The smaller loses the bits below the other's last, towards minus infinity.
Scaled added(const Scaled& a, const Scaled& b) {
    if (a.value == 0 || b.value == 0) return a.value == 0 ? b : a;
    const int e = std::max(a.exponent, b.exponent);
    return {(a.value >> std::min(e - a.exponent, 63)) + (b.value >> std::min(e - b.exponent, 63)), e};
}

// To nearest, a tie away from zero.
float rounded(const Scaled& sum, const Format& f) {
    auto magnitude = static_cast<uint64_t>(std::abs(sum.value));
    int leading = static_cast<int>(std::bit_width(magnitude)) - 1 + sum.exponent, e = sum.exponent;
    if (f.has_subnormals) leading = std::max(leading, f.lowest_exponent);
    if (const int drop = leading - f.fraction_bits - e; drop > 0) {
        magnitude = drop > 62 ? 0 : (magnitude + (uint64_t{1} << (drop - 1))) >> drop;
        e += drop;
    }
    double x = static_cast<double>(magnitude) * power(e);
    if (x >= power(f.highest_exponent + 1)) x = std::numeric_limits<double>::infinity();
    if (x < power(f.lowest_exponent) && !f.has_subnormals) x = 0;
    return static_cast<float>(std::copysign(x, static_cast<double>(sum.value)));
}

// A number of the format that is no subnormal one: alone it is its own sum.
bool is_exact(float x, const Format& f) {
    const int e = own_exponent(x);
    const uint32_t beyond = (1u << (23 - f.fraction_bits)) - 1;  // bits that the format lacks
    return e >= f.lowest_exponent && e <= f.highest_exponent && (std::bit_cast<uint32_t>(x) & beyond) == 0;
}

uint32_t float_sum(const Blend& b, const Format& f) {
    const bool alone = b.weights[0] == 1 << kWeightBits;
    if (alone && is_exact(std::bit_cast<float>(b.values[0]), f)) return b.values[0];
    bool nan = false, negative_zeros = true;
    float infinity = 0;
    for (size_t k = 0; k < b.values.size(); ++k) {
        if (b.weights[k] == 0) continue;
        const float x = texel_of(b, k, f);
        nan = nan || std::isnan(x) || (std::isinf(x) && infinity == -x);
        if (std::isinf(x)) infinity = x;
        negative_zeros = negative_zeros && x == 0 && std::signbit(x);
    }
    if (nan) return f.nan;
    if (infinity != 0) return std::bit_cast<uint32_t>(infinity);
    if (negative_zeros) return std::bit_cast<uint32_t>(-0.0f);
    const Scaled sum = added(slice_sum(b, 0, f), slice_sum(b, 4, f));
    return sum.value == 0 ? 0 : std::bit_cast<uint32_t>(rounded(sum, f));
}

// In 256ths.
int32_t integer_sum(const Blend& b) {
    int32_t sum = 0;
    for (size_t k = 0; k < b.values.size(); ++k) sum += b.weights[k] * static_cast<int32_t>(b.values[k]);
    return sum;
}

}  // namespace

// Each slice's share is split in two along x, each part in two along y: of two nearest weights the upper x
// takes the larger one of both splits, and the lower row the larger one where x is lower.
std::array<int, 8> corner_weights(const std::array<Footprint, 3>& axes) {
    std::array<int, 8> all{};
    for (size_t z = 0; z < 2; ++z) {
        const int slice = z == 1 ? axes[2].weight : 256 - axes[2].weight;
        const int right = (slice * axes[0].weight + 128) >> 8, left = slice - right;
        const int right_up = (right * axes[1].weight + 128) >> 8,
                  left_up = (left * axes[1].weight + 127) >> 8;
        all[4 * z] = left - left_up;
        all[4 * z + 1] = right - right_up;
        all[4 * z + 2] = left_up;
        all[4 * z + 3] = right_up;
    }
    return all;
}

// Bytes become 16 bits: an unsigned one exactly, of a signed sum the factor 32767/127 = 258 + 1/127 is taken
// for 258 + 257/32768, the fraction of a sum without its last four bits.
uint32_t blended(DType dtype, const Blend& b) {
    const auto number = [](int32_t value, int32_t one) {
        return std::bit_cast<uint32_t>(std::max(static_cast<float>(value) / static_cast<float>(one), -1.0f));
    };
    switch (dtype) {
        case DType::u8: return number((integer_sum(b) * 257 + 128) >> 8, 65535);
        case DType::u16: return number((integer_sum(b) + 128) >> 8, 65535);
        case DType::s16: return number((integer_sum(b) + 128) >> 8, 32767);
        case DType::s8: {
            const int32_t sum = integer_sum(b);
            return number(sum + (((sum >> 4) * 257 + 1024) >> 11), 32767);
        }
        case DType::f16: return float_sum(b, kHalf);
        default: return float_sum(b, kFloat);
    }
}

}  // namespace wl::emulator
