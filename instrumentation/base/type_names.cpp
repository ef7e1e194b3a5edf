// The table of names, and the vectors made of them.
#include "instrumentation/base/type_names.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

namespace wl {
namespace {

constexpr std::array kNames = {
    TypeNames{DType::f32,  "f32, fp32, float32, float"                                                       },
    TypeNames{DType::f16,  "f16, fp16, float16, half, __half"                                                },
    TypeNames{DType::bf16, "bf16, bfloat16, __nv_bfloat16, nv_bfloat16"                                      },
    TypeNames{DType::f64,  "f64, fp64, float64, double"                                                      },
    TypeNames{DType::tf32, "tf32, tfloat32"                                                                  },
    TypeNames{DType::e4m3, "e4m3, fp8_e4m3, float8_e4m3fn, __nv_fp8_e4m3"                                    },
    TypeNames{DType::e5m2, "e5m2, fp8_e5m2, float8_e5m2, __nv_fp8_e5m2"                                      },
    TypeNames{DType::s32,  "s32, i32, int32, int32_t, int"                                                   },
    TypeNames{DType::u32,  "u32, uint32, uint32_t, uint, unsigned, unsigned int"                             },
    TypeNames{DType::s64,  "s64, i64, int64, int64_t, long, long long, longlong, ptrdiff_t"                  },
    TypeNames{
              DType::u64,
              "u64, uint64, uint64_t, size_t, unsigned long, unsigned long long, ulong, ulonglong, uintptr_t"},
    TypeNames{DType::s16,  "s16, i16, int16, int16_t, short"                                                 },
    TypeNames{DType::u16,  "u16, uint16, uint16_t, unsigned short, ushort"                                   },
    TypeNames{DType::s8,   "s8, i8, int8, int8_t, char, signed char"                                         },
    TypeNames{DType::u8,   "u8, uint8, uint8_t, unsigned char, uchar, bool"                                  },
};

// Whose vectors of two, three and four CUDA has, and those of two that it names otherwise.
constexpr std::array kVectors = {
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "float",
    "double"};
constexpr std::array kPairs = {"half", "__half", "bfloat16", "__nv_bfloat16", "nv_bfloat16"};

// Its words but const, volatile and a last int that says nothing, with single spaces.
std::string plain(std::string_view name) {
    std::istringstream words{std::string(name)};
    std::vector<std::string> kept;
    for (std::string word; words >> word;)
        if (word != "const" && word != "volatile" && word != "__restrict__" && word != "struct")
            kept.push_back(word);
    if (kept.size() > 1 && kept.back() == "int" && kept[kept.size() - 2] != "unsigned") kept.pop_back();
    std::string out;
    for (const std::string& word : kept) out += (out.empty() ? "" : " ") + word;
    if (out.starts_with("std::")) out.erase(0, 5);
    return out;
}

std::optional<DType> scalar(std::string_view name) {
    for (const TypeNames& row : kNames) {
        const std::string_view names = row.names;
        for (size_t begin = 0; begin < names.size();) {
            const size_t end = std::min(names.find(", ", begin), names.size());
            if (names.substr(begin, end - begin) == name) return row.dtype;
            begin = end + 2;
        }
    }
    return std::nullopt;
}

}  // namespace

std::span<const TypeNames> type_names() { return kNames; }

size_t NamedType::align() const {
    constexpr size_t kMost = 16;
    return lanes == 3 ? size_of(dtype) : std::min(kMost, size_of(dtype) * static_cast<size_t>(lanes));
}

std::optional<NamedType> type_from_name(std::string_view name) {
    const std::string word = plain(name);
    if (const auto dtype = scalar(word)) return NamedType{*dtype, 1};
    if (word.empty() || word.back() < '1' || word.back() > '4') return std::nullopt;
    const std::string stem = word.substr(0, word.size() - 1);
    const int lanes = word.back() - '0';
    const bool vector = std::ranges::find(kVectors, stem) != kVectors.end(),
               pair = lanes == 2 && std::ranges::find(kPairs, stem) != kPairs.end();
    if (!vector && !pair) return std::nullopt;
    return NamedType{*scalar(stem), lanes};
}

std::string type_names_text(int indent) {
    std::string out;
    for (const TypeNames& row : kNames)
        out += std::string(static_cast<size_t>(indent), ' ') + row.names + "\n";
    return out + std::string(static_cast<size_t>(indent), ' ') +
        "and CUDA's vectors of them: float2, float4, int3, uchar4, __half2, ...\n";
}

}  // namespace wl
