// The bits of an immediate in the type that an instruction reads it in.
#include "instrumentation/ptx/module.h"

#include <bit>

namespace wl::ptx {
namespace {

double number_of(const Operand& o) {
    if (!o.floating) return static_cast<double>(static_cast<int64_t>(o.bits));
    if (o.wide) return std::bit_cast<double>(o.bits);
    return std::bit_cast<float>(static_cast<uint32_t>(o.bits));
}

uint64_t float_bits(const Operand& o) {
    if (o.floating && !o.wide) return o.bits;  // keeps a NaN's payload
    return std::bit_cast<uint32_t>(static_cast<float>(number_of(o)));
}

uint64_t double_bits(const Operand& o) {
    if (o.floating && o.wide) return o.bits;
    return std::bit_cast<uint64_t>(number_of(o));
}

uint64_t truncated(uint64_t bits, uint32_t bytes) {
    return bytes >= 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace

uint64_t value_of(const Operand& immediate, Type type) {
    const uint32_t bytes = bytes_of(type);
    if (type == Type::f64) return double_bits(immediate);
    if (type == Type::f32 || type == Type::tf32) return float_bits(immediate);
    if (immediate.floating && (type == Type::f16 || type == Type::bf16)) {
        uint16_t half = 0;
        from_double(type == Type::f16 ? DType::f16 : DType::bf16, number_of(immediate), &half);
        return half;
    }
    if (immediate.floating && bytes == 4) return float_bits(immediate);
    if (immediate.floating && bytes == 8) return double_bits(immediate);
    return truncated(immediate.bits, bytes);
}

}  // namespace wl::ptx
