// A tensor map of our own: what cuTensorMapEncodeTiled is given, in the 128 bytes that a kernel hands to
// cp.async.bulk.tensor. NVIDIA's bytes are opaque; these are ours:
//   0  "WLTM"       4  type, rank, swizzle, fill (a byte each)    8  address
//   16 extents - 1, 5 x u32     40 strides of dimensions 1 to 4 in bytes, 4 x u64    72 box, 5 x u16
//   82 steps, 5 x u8            124 "MTLW", all else 0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wl {

constexpr size_t kTensorMapBytes = 128;
constexpr size_t kMostTensorAxes = 5;
constexpr uint32_t kTensorMapBegin = 0x4d544c57, kTensorMapEnd = 0x574c544d;  // "WLTM", "MTLW"

// Dimension 0 is the innermost, whose elements lie side by side.
struct TensorMap {
    uint8_t type = 0;  // CUtensorMapDataType
    uint8_t rank = 1;
    uint8_t swizzle = 0;  // CUtensorMapSwizzle: none, 32, 64, 128 bytes
    bool nan_fill = false;
    uint64_t address = 0;
    std::array<uint64_t, kMostTensorAxes> extents{};
    std::array<uint64_t, kMostTensorAxes> strides{};  // bytes; [0]: of an element
    std::array<uint32_t, kMostTensorAxes> box{};
    std::array<uint32_t, kMostTensorAxes> steps{1, 1, 1, 1, 1};  // from one element of the box to the next
    friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

// Of CUtensorMapDataType: "f16", "u32", ...; 0 or empty: not one that is executed.
uint32_t bytes_of_tensor_type(uint8_t type);
std::string_view name_of_tensor_type(uint8_t type);
std::optional<uint8_t> tensor_type_named(std::string_view name);

// Elements of the box along an axis, and bytes of all of it.
uint32_t box_count(const TensorMap& map, size_t axis);
uint64_t box_bytes(const TensorMap& map);

// What CUDA refuses, in one sentence; empty: nothing (CUDA Driver API, cuTensorMapEncodeTiled).
std::string fault_of(const TensorMap& map);

std::array<std::byte, kTensorMapBytes> encoded(const TensorMap& map);
// Nothing: these are not 128 bytes that `encoded` made, or not of a map that CUDA takes.
std::optional<TensorMap> decoded(std::span<const std::byte> bytes);

}  // namespace wl
