#include "instrumentation/manifest/tensor_map.h"

#include "instrumentation/base/tensor_map.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::manifest {
namespace {

using Expressions = std::vector<std::string>;

[[noreturn]] void refuse(const Section& section, const std::string& key, const std::string& what) {
    fail(*section.document, line_of(section, key), full_name(section, key) + " " + what + ".");
}

const Argument& array_of(const Section& map, const std::vector<Argument>& arguments) {
    const std::string name = required(map, "of", text(map, "of"), "the array that the map is of");
    Expressions known;
    for (const Argument& a : arguments) {
        if (!a.shape.empty() && a.name == name) return a;
        if (!a.shape.empty()) known.push_back(a.name);
    }
    fail(*map.document, line_of(map, "of"), unknown(name, "array", known));
}

// As they are written, outermost first, to dimension 0 first.
Expressions innermost_first(const Section& map, const std::string& key, Expressions given, size_t rank) {
    if (given.size() != rank)
        refuse(map, key, fmt::format("has {} numbers for {} dimensions", given.size(), rank));
    std::reverse(given.begin(), given.end());
    return given;
}

uint8_t swizzle_of(const Section& map) {
    const int bytes = whole(map, "swizzle").value_or(0);
    constexpr int kBytes[] = {0, 32, 64, 128};
    const auto* const found = std::find(std::begin(kBytes), std::end(kBytes), bytes);
    if (found == std::end(kBytes)) refuse(map, "swizzle", "is 0, 32, 64 or 128 bytes");
    return static_cast<uint8_t>(found - std::begin(kBytes));
}

bool nan_fill(const Section& map) {
    const std::string fill = text(map, "fill").value_or("zero");
    if (fill != "zero" && fill != "nan") refuse(map, "fill", R"(is "zero" or "nan")");
    return fill == "nan";
}

struct Fields {
    Argument& argument;

    void add(DType dtype, const std::string& value) {
        Argument& field = argument.fields.emplace_back();
        field.name = fmt::format("f{}", argument.fields.size()), field.dtype = dtype, field.value = value;
        field.line = argument.line;
    }
    void add(DType dtype, uint64_t value) { add(dtype, std::to_string(value)); }
    // Dimensions that the map does not have are `rest`.
    void add_axes(DType dtype, const Expressions& values, size_t count, const std::string& rest) {
        for (size_t axis = 0; axis < count; ++axis) add(dtype, axis < values.size() ? values[axis] : rest);
    }
};

}  // namespace

Argument read_tensor_map(const Section& section, const std::vector<Argument>& arguments) {
    check_keys(section, {"name", "tensor_map"});
    const Section map = *subsection(section, "tensor_map");
    check_keys(map, {"of", "at", "box", "extents", "strides", "steps", "swizzle", "fill"});
    const Argument& array = array_of(map, arguments);
    const auto type = tensor_type_named(name_of(array.dtype));
    if (!type)
        refuse(
            map,
            "of",
            fmt::format("names an array of {}, which tensor maps do not have", name_of(array.dtype))
        );
    const auto box =
        required(map, "box", expressions(map, "box"), "the elements of a tile along each dimension");
    const size_t rank = box.size();
    if (rank < 1 || rank > kMostTensorAxes) refuse(map, "box", "has one to five numbers");
    const Expressions extents =
        innermost_first(map, "extents", expressions(map, "extents").value_or(array.shape), rank);
    Expressions strides;  // bytes, of dimension 1 and above
    if (const auto given = expressions(map, "strides"))
        strides = innermost_first(map, "strides", *given, rank - 1);
    else
        for (std::string bytes = std::to_string(size_of(array.dtype)); strides.size() + 1 < rank;)
            strides.push_back(bytes = fmt::format("{} * ({})", bytes, extents[strides.size()]));
    Expressions last;
    for (const std::string& extent : extents) last.push_back(fmt::format("({}) - 1", extent));
    Argument argument;
    argument.line = line_of(section);
    argument.name = required(section, "name", text(section, "name"), "every argument has one");
    argument.align = 64;
    Fields f{argument};
    f.add(DType::u32, kTensorMapBegin);
    f.add(DType::u8, *type), f.add(DType::u8, rank), f.add(DType::u8, swizzle_of(map)),
        f.add(DType::u8, nan_fill(map) ? 1 : 0);
    Argument& address = argument.fields.emplace_back();
    address.name = "address", address.pointers = {array.name},
    address.value = expression(map, "at").value_or("0");
    address.line = argument.line;
    f.add_axes(DType::u32, last, kMostTensorAxes, "0");
    f.add_axes(DType::u64, strides, kMostTensorAxes - 1, "0");
    f.add_axes(DType::u16, innermost_first(map, "box", box, rank), kMostTensorAxes, "0");
    const auto steps = expressions(map, "steps");
    f.add_axes(
        DType::u8, steps ? innermost_first(map, "steps", *steps, rank) : Expressions(), kMostTensorAxes, "1"
    );
    for (size_t at = 87; at < 88; ++at) f.add(DType::u8, uint64_t{0});
    for (size_t at = 88; at < 120; at += 8) f.add(DType::u64, uint64_t{0});
    f.add(DType::u32, uint64_t{0}), f.add(DType::u32, kTensorMapEnd);
    return argument;
}

}  // namespace wl::manifest
