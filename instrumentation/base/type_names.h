// Element types as people call them: PTX's names, C's, CUDA's, NumPy's and PyTorch's; one table.
#pragma once

#include "instrumentation/base/dtype.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wl {

struct TypeNames {
    DType dtype;
    const char* names;  // "f16, fp16, half": ours first
};
std::span<const TypeNames> type_names();

struct NamedType {
    DType dtype = DType::f32;
    int lanes = 1;  // float4 has 4 of f32

    // Bytes, as vector_types.h has it: a vector of three lies like its elements.
    size_t align() const;
};

// "float", "const unsigned int", "float4", "__half2"; nothing for what is no such type.
std::optional<NamedType> type_from_name(std::string_view name);

// The table as text, a line a type, indented by `indent`.
std::string type_names_text(int indent);

}  // namespace wl
