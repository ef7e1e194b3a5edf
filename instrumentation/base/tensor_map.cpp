#include "instrumentation/base/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl {
namespace {

constexpr size_t kEnd = kTensorMapBytes - sizeof(kTensorMapEnd);

struct TypeRow {
    std::string_view name;
    uint32_t bytes;
};
// By CUtensorMapDataType; those that change values on their way, and packed ones, are not here.
constexpr TypeRow kTypes[] = {
    {"u8",   1},
    {"u16",  2},
    {"u32",  4},
    {"s32",  4},
    {"u64",  8},
    {"s64",  8},
    {"f16",  2},
    {"f32",  4},
    {"f64",  8},
    {"bf16", 2}
};

template <class T, class From>
void put(std::span<std::byte> bytes, size_t at, From from) {
    const auto value = static_cast<T>(from);
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}
template <class T>
T get(std::span<const std::byte> bytes, size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

}  // namespace

uint32_t bytes_of_tensor_type(uint8_t type) { return type < std::size(kTypes) ? kTypes[type].bytes : 0; }
std::string_view name_of_tensor_type(uint8_t type) {
    return type < std::size(kTypes) ? kTypes[type].name : std::string_view();
}
std::optional<uint8_t> tensor_type_named(std::string_view name) {
    for (size_t k = 0; k < std::size(kTypes); ++k)
        if (kTypes[k].name == name) return static_cast<uint8_t>(k);
    return {};
}

uint32_t box_count(const TensorMap& map, size_t axis) {
    if (axis >= map.rank) return 1;
    return (map.box[axis] + map.steps[axis] - 1) / map.steps[axis];
}
uint64_t box_bytes(const TensorMap& map) {
    uint64_t bytes = bytes_of_tensor_type(map.type);
    for (size_t axis = 0; axis < map.rank; ++axis) bytes *= box_count(map, axis);
    return bytes;
}

std::string fault_of(const TensorMap& map) {
    const uint64_t element = bytes_of_tensor_type(map.type);
    if (element == 0) return fmt::format("its type is {}, which is not executed", map.type);
    if (map.rank < 1 || map.rank > kMostTensorAxes)
        return fmt::format("it has {} dimensions; 1 to 5 are possible", map.rank);
    if (map.swizzle > 3) return fmt::format("its swizzle is {}, which is not executed", map.swizzle);
    if (map.address % 16 != 0) return fmt::format("its address {:#x} is no multiple of 16", map.address);
    for (size_t axis = 0; axis < map.rank; ++axis) {
        if (map.extents[axis] == 0 || map.extents[axis] > uint64_t{1} << 32)
            return fmt::format(
                "dimension {} has {} elements; 1 to 2^32 are possible", axis, map.extents[axis]
            );
        if (map.box[axis] == 0 || map.box[axis] > 256)
            return fmt::format(
                "its box has {} elements along dimension {}; 1 to 256 are possible", map.box[axis], axis
            );
        if (map.steps[axis] == 0 || map.steps[axis] > 8)
            return fmt::format(
                "its step along dimension {} is {}; 1 to 8 are possible", axis, map.steps[axis]
            );
        if (axis > 0 && (map.strides[axis] % 16 != 0 || map.strides[axis] >= uint64_t{1} << 40))
            return fmt::format(
                "its stride along dimension {} is {} bytes; multiples of 16 below 2^40 are possible",
                axis,
                map.strides[axis]
            );
    }
    const uint64_t line = box_count(map, 0) * element,
                   most = map.swizzle == 0 ? line : uint64_t{16} << map.swizzle;
    if (line % 16 != 0)
        return fmt::format("a line of its box has {} bytes; multiples of 16 are possible", line);
    if (line > most)
        return fmt::format("a line of its box has {} bytes; its swizzle takes at most {}", line, most);
    return {};
}

std::array<std::byte, kTensorMapBytes> encoded(const TensorMap& map) {
    std::array<std::byte, kTensorMapBytes> bytes{};
    put<uint32_t>(bytes, 0, kTensorMapBegin), put<uint32_t>(bytes, kEnd, kTensorMapEnd);
    put<uint8_t>(bytes, 4, map.type), put<uint8_t>(bytes, 5, map.rank), put<uint8_t>(bytes, 6, map.swizzle);
    put<uint8_t>(bytes, 7, map.nan_fill ? 1 : 0);
    put<uint64_t>(bytes, 8, map.address);
    for (size_t axis = 0; axis < kMostTensorAxes; ++axis) {
        put<uint32_t>(bytes, 16 + 4 * axis, map.extents[axis] - 1);
        if (axis > 0) put<uint64_t>(bytes, 40 + 8 * (axis - 1), map.strides[axis]);
        put<uint16_t>(bytes, 72 + 2 * axis, map.box[axis]);
        put<uint8_t>(bytes, 82 + axis, map.steps[axis]);
    }
    return bytes;
}

std::optional<TensorMap> decoded(std::span<const std::byte> bytes) {
    if (bytes.size() != kTensorMapBytes || get<uint32_t>(bytes, 0) != kTensorMapBegin ||
        get<uint32_t>(bytes, kEnd) != kTensorMapEnd)
        return {};
    TensorMap map;
    map.type = get<uint8_t>(bytes, 4), map.rank = get<uint8_t>(bytes, 5),
    map.swizzle = get<uint8_t>(bytes, 6);
    map.nan_fill = get<uint8_t>(bytes, 7) == 1;
    map.address = get<uint64_t>(bytes, 8);
    for (size_t axis = 0; axis < kMostTensorAxes; ++axis) {
        if (axis < map.rank) map.extents[axis] = uint64_t{get<uint32_t>(bytes, 16 + 4 * axis)} + 1;
        map.strides[axis] =
            axis == 0 ? bytes_of_tensor_type(map.type) : get<uint64_t>(bytes, 40 + 8 * (axis - 1));
        map.box[axis] = get<uint16_t>(bytes, 72 + 2 * axis);
        map.steps[axis] = get<uint8_t>(bytes, 82 + axis);
    }
    return fault_of(map).empty() ? std::optional(map) : std::nullopt;
}

}  // namespace wl
