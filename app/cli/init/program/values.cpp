// What a launch passes by value. A value that an expression cannot say exactly (NaN, beyond 2^53) is written
// as its bytes.
#include "app/cli/init/names.h"
#include "app/cli/init/pointers.h"
#include "app/cli/init/program/described.h"
#include "app/cli/init/write.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/manifest/expression.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace wl::app {
namespace {

using manifest::Argument;

// The shortest text that gives the same bytes again; nothing: there is none.
std::optional<std::string> text_of(DType type, const std::byte* bytes) {
    const double value = to_double(type, bytes);
    if (!std::isfinite(value)) return std::nullopt;
    std::vector<std::string> texts;
    if (type == DType::f32) texts.push_back(fmt::format("{}", static_cast<float>(value)));
    texts.push_back(is_float(type) ? fmt::format("{}", value) : fmt::format("{:.0f}", value));
    for (const std::string& text : texts) {
        std::vector<std::byte> again(size_of(type));
        from_double(type, std::strtod(text.c_str(), nullptr), again.data());
        constexpr double kExact = 9007199254740992.0;  // 2^53
        if (std::memcmp(again.data(), bytes, again.size()) == 0 &&
            (is_float(type) || std::fabs(value) < kExact))
            return text;
    }
    return std::nullopt;
}

Argument as_bytes(const ParamView& p) {
    Argument a;
    a.name = p.name, a.align = p.align;
    set_bytes(a, p.bytes);
    return a;
}

DType type_of_ptx(const ParamView& p) {
    if (p.ptx_type == ptx::Type::f32) return DType::f32;
    if (p.ptx_type == ptx::Type::f64) return DType::f64;
    return p.bytes.size() == 8 ? DType::s64
        : p.bytes.size() == 4  ? DType::s32
        : p.bytes.size() == 2  ? DType::s16
                               : DType::u8;
}

}  // namespace

bool is_pointer_type(const std::string& type) {
    std::string t = type;
    for (const char* word : {" const", " volatile", " __restrict__", " __restrict", " "})
        while (t.ends_with(word)) t.resize(t.size() - std::strlen(word));
    return t.ends_with('*') && t.find("(*)") == t.npos;
}

Argument value_argument(const ParamView& p) {
    const auto named = type_from_name(p.type);
    const size_t size = p.bytes.size();
    const bool basic = size == 1 || size == 2 || size == 4 || size == 8;
    Argument a;
    a.name = p.name;
    if (named && named->lanes > 1 && size_of(named->dtype) * static_cast<size_t>(named->lanes) == size) {
        a.align = named->align();
        for (int k = 0; k < named->lanes; ++k) {
            Argument& field = a.fields.emplace_back();
            field.name = std::string(1, "xyzw"[k]), field.dtype = named->dtype;
            const auto text =
                text_of(named->dtype, p.bytes.data() + static_cast<size_t>(k) * size_of(named->dtype));
            if (!text) return as_bytes(p);
            field.value = *text;
        }
        return a;
    }
    const bool number = named ? named->lanes == 1 && size_of(named->dtype) == size
                              : basic && (p.type.empty() || is_pointer_type(p.type));
    if (!number) return as_bytes(p);
    a.dtype = named ? named->dtype : type_of_ptx(p);
    const auto text = text_of(a.dtype, p.bytes.data());
    if (!text) return as_bytes(p);
    a.value = *text;
    return a;
}

std::vector<ParamView> param_views(
    const SeenLaunch& seen, const ptx::Module& module, const SourceText& source
) {
    const ptx::Function& entry = ptx::entry_of(module, seen.launch.entry);
    const KernelText* text = find_kernel(source, plain_name(entry.name));
    if (text != nullptr && text->params.size() != entry.params.size()) text = nullptr;
    std::vector<std::string> types = mangled_types(entry.name);
    if (types.size() != entry.params.size()) types.clear();
    const std::vector<Pointer> pointers = pointer_params(entry);
    std::vector<ParamView> out;
    uint64_t at = 0;
    for (size_t i = 0; i < entry.params.size(); ++i) {
        const ptx::Variable& param = entry.params[i];
        ParamView& p = out.emplace_back();
        p.align = std::max<uint32_t>(param.align, 1);
        at = (at + p.align - 1) / p.align * p.align;
        p.name = text != nullptr && manifest::is_identifier(text->params[i].name) ? text->params[i].name
                                                                                  : fmt::format("arg{}", i);
        p.type = !types.empty() ? types[i] : text != nullptr ? text->params[i].type : "";
        const auto begin = seen.launch.params.begin() + static_cast<int64_t>(at);
        p.bytes = {begin, begin + static_cast<int64_t>(param.bytes)};
        p.ptx_type = param.type;
        p.may_be_written = !points_to_const(p.type) && (pointers[i].stored || pointers[i].escapes);
        p.is_texture = pointers[i].texture;
        p.accessed = pointers[i].element, p.followed = pointers[i].followed;
        at += param.bytes;
    }
    return out;
}

}  // namespace wl::app
