// Element formats: one table of facts, and one rounding routine that serves every small float.
#include "instrumentation/base/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace wl {
namespace {

// What a value above the largest finite one becomes.
enum class Overflow : uint8_t { to_infinity, saturates };

// A binary float of sign, exponent and mantissa, smallest normal 2^(1-bias).
struct FloatFormat {
    int exponent_bits, mantissa_bits, bias;
    uint64_t largest_finite;  // its bits, sign clear
    Overflow overflow;
    bool has_infinity;    // the pattern after largest_finite
    int unused_low_bits;  // of the element in memory, below the mantissa
};

struct Row {
    DType type;
    std::string_view name, numpy;
    size_t size;
    FloatFormat format;  // all zero for integers
};

// e4m3 and e5m2: OCP 8-bit Floating Point Specification 1.0; conversion saturates as cvt.rn.satfinite does
// (PTX ISA, cvt). e4m3 has no infinity and one NaN pattern a sign: 448 = 0x7e is its largest value.
constexpr std::array<Row, 15> kRows = {
    {
     {DType::u8, "u8", "|u1", 1, {}},
     {DType::s8, "s8", "|i1", 1, {}},
     {DType::u16, "u16", "<u2", 2, {}},
     {DType::s16, "s16", "<i2", 2, {}},
     {DType::u32, "u32", "<u4", 4, {}},
     {DType::s32, "s32", "<i4", 4, {}},
     {DType::u64, "u64", "<u8", 8, {}},
     {DType::s64, "s64", "<i8", 8, {}},
     {DType::f16, "f16", "<f2", 2, {5, 10, 15, 0x7bff, Overflow::to_infinity, true, 0}},
     {DType::bf16, "bf16", "<u2", 2, {8, 7, 127, 0x7f7f, Overflow::to_infinity, true, 0}},
     {DType::f32, "f32", "<f4", 4, {8, 23, 127, 0x7f7f'ffff, Overflow::to_infinity, true, 0}},
     {DType::f64, "f64", "<f8", 8, {11, 52, 1023, 0x7fef'ffff'ffff'ffff, Overflow::to_infinity, true, 0}},
     {DType::e4m3, "e4m3", "|u1", 1, {4, 3, 7, 0x7e, Overflow::saturates, false, 0}},
     {DType::e5m2, "e5m2", "|u1", 1, {5, 2, 15, 0x7b, Overflow::saturates, true, 0}},
     {DType::tf32, "tf32", "<f4", 4, {8, 10, 127, 0x3fbff, Overflow::to_infinity, true, 13}},
     }
};

const Row& row_of(DType t) {
    const auto i = static_cast<size_t>(t);
    assert(i < kRows.size() && kRows[i].type == t);
    return kRows[i];
}

const FloatFormat& format_of(DType t) { return row_of(t).format; }

uint64_t sign_bit(const FloatFormat& f) { return uint64_t{1} << (f.exponent_bits + f.mantissa_bits); }

// Exact for every normal double's exponent.
double power_of_two(int exponent) {
    assert(exponent >= -1022 && exponent <= 1023);
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// For formats of at most 32 bits; f32 and f64 are what the machine has.
double decode(const FloatFormat& f, uint64_t bits) {
    const uint64_t magnitude = bits & (sign_bit(f) - 1);
    const uint64_t sign = (bits & sign_bit(f)) << (63 - f.exponent_bits - f.mantissa_bits);
    const auto with_sign = [sign](double value) {
        return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | sign);
    };
    if (magnitude > f.largest_finite) {
        const bool infinite = f.has_infinity && magnitude == f.largest_finite + 1;
        return infinite ? with_sign(std::numeric_limits<double>::infinity())
                        : std::numeric_limits<double>::quiet_NaN();
    }
    if (magnitude >> f.mantissa_bits == 0)
        return with_sign(static_cast<double>(magnitude) * power_of_two(1 - f.bias - f.mantissa_bits));
    const uint64_t rebias = static_cast<uint64_t>(1023 - f.bias) << 52;
    return with_sign(std::bit_cast<double>((magnitude << (52 - f.mantissa_bits)) + rebias));
}

// Scaling by a power of two puts the format's last place at 1, where nearbyint rounds half to even; a carry
// out of the mantissa walks into the exponent field by itself.
uint64_t encode(const FloatFormat& f, double value) {
    if (std::isnan(value)) return sign_bit(f) - 1;  // the hardware's NaN: positive, all ones
    if (f.mantissa_bits == 52) return std::bit_cast<uint64_t>(value);
    if (f.mantissa_bits == 23) return std::bit_cast<uint32_t>(static_cast<float>(value));
    const uint64_t sign = std::signbit(value) ? sign_bit(f) : 0;
    const uint64_t above = f.overflow == Overflow::saturates ? f.largest_finite : f.largest_finite + 1;
    if (std::isinf(value)) return sign | above;
    const int exponent = value == 0 ? -1074 : std::ilogb(value);
    const int least = 1 - f.bias;
    const int power = std::max(exponent, least);
    const double places = std::nearbyint(std::fabs(value) * power_of_two(f.mantissa_bits - power));
    const auto binade = static_cast<uint64_t>(power - least);  // 0: subnormals and the first normal binade
    const uint64_t magnitude = (binade << f.mantissa_bits) + static_cast<uint64_t>(places);
    return sign | std::min(magnitude, above);
}

template <class Integer>
uint64_t clamp_to(double value) {
    if (std::isnan(value)) return 0;  // as cvt to an integer does (PTX ISA, cvt)
    const double rounded = std::nearbyint(value);
    using Limits = std::numeric_limits<Integer>;
    if (rounded <= static_cast<double>(Limits::min())) return static_cast<uint64_t>(Limits::min());
    if (rounded >= static_cast<double>(Limits::max())) return static_cast<uint64_t>(Limits::max());
    return static_cast<uint64_t>(static_cast<Integer>(rounded));
}

uint64_t encode_integer(DType t, double value) {
    switch (t) {
        case DType::u8: return clamp_to<uint8_t>(value);
        case DType::s8: return clamp_to<int8_t>(value);
        case DType::u16: return clamp_to<uint16_t>(value);
        case DType::s16: return clamp_to<int16_t>(value);
        case DType::u32: return clamp_to<uint32_t>(value);
        case DType::s32: return clamp_to<int32_t>(value);
        case DType::u64: return clamp_to<uint64_t>(value);
        default: assert(t == DType::s64); return clamp_to<int64_t>(value);
    }
}

static_assert(std::endian::native == std::endian::little);

template <class T>
T load(const void* element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return value;
}

double decode_integer(DType t, uint64_t bits) {
    switch (t) {
        case DType::s8: return static_cast<int8_t>(bits);
        case DType::s16: return static_cast<int16_t>(bits);
        case DType::s32: return static_cast<int32_t>(bits);
        case DType::s64: return static_cast<double>(static_cast<int64_t>(bits));
        default: return static_cast<double>(bits);
    }
}

uint64_t encode_any(DType t, double value) {
    return is_float(t) ? encode(format_of(t), value) << format_of(t).unused_low_bits
                       : encode_integer(t, value);
}

// Integers that are ordered as the values are, so that neighbours differ by 1; both zeros are 0. Offset to
// unsigned so that the distance of any two keys fits.
uint64_t ordered_key(DType t, double value) {
    constexpr uint64_t kMiddle = uint64_t{1} << 63;
    if (!is_float(t)) {
        const uint64_t bits = encode_integer(t, value);
        const bool is_signed = t == DType::s8 || t == DType::s16 || t == DType::s32 || t == DType::s64;
        return is_signed ? bits + kMiddle : bits;
    }
    const FloatFormat& f = format_of(t);
    const uint64_t bits = encode(f, value);
    const uint64_t magnitude = bits & (sign_bit(f) - 1);
    return bits & sign_bit(f) ? kMiddle - magnitude : kMiddle + magnitude;
}

}  // namespace

size_t size_of(DType t) { return row_of(t).size; }
std::string_view name_of(DType t) { return row_of(t).name; }
std::string_view numpy_of(DType t) { return row_of(t).numpy; }
bool is_float(DType t) { return format_of(t).mantissa_bits != 0; }

std::optional<DType> dtype_from_name(std::string_view name) {
    for (const Row& row : kRows)
        if (row.name == name) return row.type;
    return std::nullopt;
}

uint64_t bits_of(DType t, const void* element) {
    switch (size_of(t)) {
        case 1: return load<uint8_t>(element);
        case 2: return load<uint16_t>(element);
        case 4: return load<uint32_t>(element);
        default: return load<uint64_t>(element);
    }
}

double to_double(DType t, const void* element) {
    if (t == DType::f32) return load<float>(element);
    if (t == DType::f64) return load<double>(element);
    const uint64_t bits = bits_of(t, element);
    return is_float(t) ? decode(format_of(t), bits >> format_of(t).unused_low_bits) : decode_integer(t, bits);
}

void from_double(DType t, double value, void* element) {
    const uint64_t bits = encode_any(t, value);
    switch (size_of(t)) {  // little-endian: the low bytes come first
        case 1: std::memcpy(element, &bits, 1); break;
        case 2: std::memcpy(element, &bits, 2); break;
        case 4: std::memcpy(element, &bits, 4); break;
        default: std::memcpy(element, &bits, 8);
    }
}

double unit_roundoff(DType t) { return is_float(t) ? std::ldexp(1.0, -1 - format_of(t).mantissa_bits) : 0.0; }

double smallest_subnormal(DType t) {
    const FloatFormat& f = format_of(t);
    return is_float(t) ? std::ldexp(1.0, 1 - f.bias - f.mantissa_bits) : 0.0;
}

std::optional<uint64_t> ulp_distance(DType t, double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::nullopt;
    const uint64_t x = ordered_key(t, a), y = ordered_key(t, b);
    return x > y ? x - y : y - x;
}

}  // namespace wl
