// One table an enumeration, in its order.
#include "instrumentation/ptx/table/names.h"

#include <array>
#include <charconv>

namespace wl::ptx {
namespace {

struct TypeName {
    std::string_view name;
    uint32_t bytes;
};
constexpr std::array<TypeName, static_cast<size_t>(Type::count)> kTypes = {
    {
     {"", 0}, {"pred", 1}, {"b1", 1}, {"b2", 1}, {"b4", 1}, {"b8", 1},
     {"b16", 2}, {"b32", 4}, {"b64", 8}, {"b128", 16}, {"u2", 1}, {"u4", 1},
     {"u8", 1}, {"u16", 2}, {"u32", 4}, {"u64", 8}, {"s2", 1}, {"s4", 1},
     {"s8", 1}, {"s16", 2}, {"s32", 4}, {"s64", 8}, {"f16", 2}, {"f16x2", 4},
     {"bf16", 2}, {"bf16x2", 4}, {"f32", 4}, {"f64", 8}, {"tf32", 4}, {"e4m3", 1},
     {"e5m2", 1}, {"e4m3x2", 2}, {"e5m2x2", 2}, {"u16x2", 4}, {"s16x2", 4}, {"f32x2", 8},
     {"e2m1", 1}, {"e2m3", 1}, {"e3m2", 1}, {"ue8m0", 1}, {"e2m1x2", 1}, {"e2m3x2", 2},
     {"e3m2x2", 2}, {"ue8m0x2", 2}, {"e2m1x4", 2}, {"e2m3x4", 4}, {"e3m2x4", 4}, {"e4m3x4", 4},
     {"e5m2x4", 4}, {"texref", 8}, {"samplerref", 8}, {"surfref", 8},
     }
};

constexpr std::array<std::string_view, static_cast<size_t>(SpecialRegister::count)> kSpecials = {
    "tid.x",
    "tid.y",
    "tid.z",
    "ntid.x",
    "ntid.y",
    "ntid.z",
    "ctaid.x",
    "ctaid.y",
    "ctaid.z",
    "nctaid.x",
    "nctaid.y",
    "nctaid.z",
    "laneid",
    "warpid",
    "nwarpid",
    "smid",
    "nsmid",
    "gridid",
    "lanemask_eq",
    "lanemask_le",
    "lanemask_lt",
    "lanemask_ge",
    "lanemask_gt",
    "clock",
    "clock_hi",
    "clock64",
    "globaltimer",
    "globaltimer_lo",
    "globaltimer_hi",
    "dynamic_smem_size",
    "total_smem_size",
    "aggr_smem_size",
    "current_graph_exec",
    "envreg",
    "pm",
    "warpsz",
    "clusterid.x",
    "clusterid.y",
    "clusterid.z",
    "nclusterid.x",
    "nclusterid.y",
    "nclusterid.z",
    "cluster_ctaid.x",
    "cluster_ctaid.y",
    "cluster_ctaid.z",
    "cluster_nctaid.x",
    "cluster_nctaid.y",
    "cluster_nctaid.z",
    "cluster_ctarank",
    "cluster_nctarank",
    "is_explicit_cluster",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_end",
    "reserved_smem_offset_cap",
    "reserved_smem_offset_"};

struct Numbered {
    SpecialRegister reg;
    std::string_view prefix, suffix;
    int64_t count, base;  // numbers 0 .. count-1, kept as base + number
};
constexpr std::array<Numbered, 4> kNumbered = {
    {
     {SpecialRegister::envreg, "envreg", "", 32, 0},
     {SpecialRegister::pm, "pm", "", 8, 0},
     {SpecialRegister::pm, "pm", "_64", 8, 64},
     {SpecialRegister::reserved_smem_offset, "reserved_smem_offset_", "", 2, 0},
     }
};

std::optional<Special> numbered(std::string_view name, const Numbered& n) {
    if (!name.starts_with(n.prefix) || !name.ends_with(n.suffix) ||
        name.size() <= n.prefix.size() + n.suffix.size())
        return std::nullopt;
    const std::string_view digits =
        name.substr(n.prefix.size(), name.size() - n.prefix.size() - n.suffix.size());
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || number < 0 || number >= n.count)
        return std::nullopt;
    if (std::to_string(number) != digits) return std::nullopt;
    return Special{n.reg, n.base + number};
}

}  // namespace

uint32_t bytes_of(Type t) { return kTypes[static_cast<size_t>(t)].bytes; }
std::string_view name_of(Type t) { return kTypes[static_cast<size_t>(t)].name; }
std::string_view name_of(SpecialRegister r) { return kSpecials[static_cast<size_t>(r)]; }

Type type_from_name(std::string_view name) {
    for (size_t i = 1; i < kTypes.size(); ++i)
        if (kTypes[i].name == name) return static_cast<Type>(i);
    return Type::none;
}

std::optional<Special> special_from_name(std::string_view name) {
    if (!name.starts_with('%')) return std::nullopt;
    name.remove_prefix(1);
    for (const Numbered& n : kNumbered)
        if (const auto special = numbered(name, n)) return special;
    for (size_t i = 0; i < kSpecials.size(); ++i) {
        const auto reg = static_cast<SpecialRegister>(i);
        const bool needs_number = reg == SpecialRegister::envreg || reg == SpecialRegister::pm ||
            reg == SpecialRegister::reserved_smem_offset;
        if (!needs_number && kSpecials[i] == name) return Special{reg, 0};
    }
    return std::nullopt;
}

std::string special_name(const Special& special) {
    for (const Numbered& n : kNumbered)
        if (n.reg == special.reg && special.number >= n.base && special.number < n.base + n.count)
            return "%" + std::string(n.prefix) + std::to_string(special.number - n.base) +
                std::string(n.suffix);
    return "%" + std::string(name_of(special.reg));
}

uint16_t selector_from_name(std::string_view name) {
    if (name.size() < 2 || name.size() > 5 || (name[0] != 'b' && name[0] != 'h')) return 0;
    unsigned selector = 0;
    for (char c : name.substr(1)) {
        if (c < '0' || c > '7') return 0;
        selector = selector << 3 | static_cast<unsigned>(c - '0');
    }
    return static_cast<uint16_t>(selector | (name.size() - 1) << 12 | (name[0] == 'h' ? 0x8000U : 0U));
}

std::string selector_name(uint16_t selector) {
    std::string name = (selector & 0x8000) != 0 ? "h" : "b";
    for (int digit = (selector >> 12 & 7) - 1; digit >= 0; --digit)
        name += static_cast<char>('0' + (selector >> (3 * digit) & 7));
    return name;
}

std::string_view name_of(Space space) {
    constexpr std::array<std::string_view, 7> kSpaces = {
        "", "", ".global", ".shared", ".local", ".const", ".param"};
    return kSpaces[static_cast<size_t>(space)];
}

}  // namespace wl::ptx
