// Element formats of tensors and tiles: size, names, conversion, and the arithmetic facts that bounds are
// made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wl {

enum class DType : uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64, e4m3, e5m2, tf32 };

constexpr int kDTypes = static_cast<int>(DType::tf32) + 1;  // numbered from 0

size_t size_of(DType t);                                 // bytes of one element (tf32 lies in 4)
std::string_view name_of(DType t);                       // "f16", as in a manifest
std::optional<DType> dtype_from_name(std::string_view);  // inverse of name_of
std::string_view numpy_of(DType t);  // "<f2"; the carrier where numpy has no such type ("<u2" for bf16)
bool is_float(DType t);

double to_double(
    DType t, const void* element
);  // exact: every format here fits in a double (64-bit integers round)
void from_double(DType t, double value, void* element);  // round to nearest even; integers clamp
uint64_t bits_of(DType t, const void* element);

// Half the distance from 1 to the next value: 2^-11 for f16, 2^-8 for bf16, 2^-24 for f32. 0 for integers.
double unit_roundoff(DType t);
double smallest_subnormal(DType t);

// How many representable values of t lie between a and b (both first rounded to t); NaN on either side: no
// answer.
std::optional<uint64_t> ulp_distance(DType t, double a, double b);

}  // namespace wl
