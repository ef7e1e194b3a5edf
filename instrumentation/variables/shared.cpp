// Shared arrays (ptx/shared_arrays.h) as variables of their functions.
#include "instrumentation/variables/shared.h"

#include "instrumentation/ptx/shared_arrays.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::variables {
namespace {

Type type_of(DType d) {
    const auto bytes = static_cast<uint64_t>(size_of(d));
    switch (d) {
        case DType::f64: return {Type::Kind::real, "double", bytes, -1, 0, {}};
        case DType::f32: return {Type::Kind::real, "float", bytes, -1, 0, {}};
        case DType::f16: return {Type::Kind::structure, "__half", bytes, -1, 0, {}};
        case DType::bf16: return {Type::Kind::structure, "__nv_bfloat16", bytes, -1, 0, {}};
        case DType::e4m3: return {Type::Kind::structure, "__nv_fp8_e4m3", bytes, -1, 0, {}};
        case DType::e5m2: return {Type::Kind::structure, "__nv_fp8_e5m2", bytes, -1, 0, {}};
        case DType::s8:
        case DType::s16:
        case DType::s32:
        case DType::s64: return {Type::Kind::integer, std::string(name_of(d)), bytes, -1, 0, {}};
        default: return {Type::Kind::natural, std::string(name_of(d)), bytes, -1, 0, {}};
    }
}

std::string how_text(const ptx::SharedArray& array) {
    using By = ptx::SharedArray::By;
    switch (array.by) {
        case By::mark: return type_of(array.dtype).name + " by a mark at its address";
        case By::accesses: return type_of(array.dtype).name + " by its accesses";
        case By::nobody: return "bytes: it is accessed only by pointers that were passed on";
        default: return "bytes: it is accessed in several sizes";
    }
}

bool is_described(const Variables& variables, const std::string& symbol) {
    return std::any_of(variables.all.begin(), variables.all.end(), [&](const Variable& v) {
        return std::any_of(v.ranges.begin(), v.ranges.end(), [&](const Range& r) {
            return !r.places.empty() && r.places.front().reg < 0 && r.places.front().symbol == symbol;
        });
    });
}

int32_t last_instruction(const ptx::Module& module, int function) {
    size_t most = 0;
    for (size_t f = 0; f < module.functions.size(); ++f)
        if (function < 0 || function == static_cast<int>(f))
            most = std::max(most, module.functions[f].code.size());
    return static_cast<int32_t>(most) + 1;
}

void add_variable(Variables& variables, const ptx::Module& module, const ptx::SharedArray& s, Type element) {
    const auto type = static_cast<int>(variables.types.size());
    Type array;
    array.kind = Type::Kind::array;
    array.of = type;
    array.bytes = s.bytes;
    array.count = element.bytes == 0 ? 0 : s.bytes / element.bytes;
    array.name = fmt::format("{}[{}]", element.name, array.count);
    variables.types.push_back(std::move(element));
    variables.types.push_back(std::move(array));
    Variable v;
    v.name = s.name;
    v.type = type + 1;
    v.function = s.function;
    v.end = last_instruction(module, s.function);
    Place place;
    place.symbol = s.symbol;
    place.space = ptx::Space::shared;
    v.ranges.push_back({0, v.end, {place}});
    variables.all.push_back(std::move(v));
}

}  // namespace

std::map<std::string, std::string> add_shared(Variables& variables, const ptx::Module& module) {
    std::map<std::string, std::string> how;
    for (const ptx::SharedArray& array : ptx::shared_arrays(module)) {
        if (is_described(variables, array.symbol)) continue;
        how[array.symbol] = how_text(array);
        add_variable(variables, module, array, type_of(array.dtype));
    }
    return how;
}

}  // namespace wl::variables
