// Following the address of each shared variable through the registers that are computed from it.
#include "instrumentation/variables/shared.h"

#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <string_view>

namespace wl::variables {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

// A .shared variable: of a function, or (function < 0) of the module.
struct Symbol {
    const ptx::Variable* variable = nullptr;
    int function = -1;
    int32_t index = 0;
};

// What the code does at the variable's address.
struct Uses {
    std::set<DType> marks;
    std::set<ptx::Type> accesses;
};

struct Element {
    Type type;
    std::string how;
};

bool names(const Symbol& s, const Operand& o, Kind kind) {
    return kind == Kind::symbol && o.index == s.index && o.local == (s.function >= 0);
}

// Computes addresses from addresses.
bool passes_on(Op op) {
    switch (op) {
        case Op::mov:
        case Op::cvta:
        case Op::add:
        case Op::sub:
        case Op::mad:
        case Op::cvt:
        case Op::selp:
        case Op::or_: return true;
        default: return false;
    }
}

// Accesses of the elements that the mnemonic names; rows of a matrix are bytes.
bool moves_elements(const ptx::Instruction& in) {
    const ptx::Traits& t = traits_of(in);
    const bool elements = t.extent == ptx::Extent::typed || t.extent == ptx::Extent::fragment;
    return elements && (reads(t.memory) || writes(t.memory)) && !in.types.empty();
}

bool reaches(const Symbol& s, const std::set<int32_t>& registers, const Operand& o) {
    if (o.kind == Kind::address)
        return names(s, o, o.base_kind) || (o.base_kind == Kind::reg && registers.contains(o.index));
    return names(s, o, o.kind) || (o.kind == Kind::reg && registers.contains(o.index));
}

// Registers that may hold an address in the variable, wherever they are set.
std::set<int32_t> pointers(const ptx::Function& f, const Symbol& s) {
    std::set<int32_t> found;
    for (size_t before = SIZE_MAX; before != found.size();) {
        before = found.size();
        for (const Instruction& in : f.code) {
            if (!passes_on(in.op) || in.operands.empty() || in.operands[0].kind != Kind::reg) continue;
            const bool from = std::any_of(in.operands.begin() + 1, in.operands.end(), [&](const Operand& o) {
                return reaches(s, found, o);
            });
            if (from) found.insert(in.operands[0].index);
        }
    }
    return found;
}

void add_uses(const ptx::Function& f, const Symbol& s, Uses& uses) {
    const std::set<int32_t> registers = pointers(f, s);
    for (const Instruction& in : f.code) {
        if (in.op == Op::mark && in.mark >= 0 && !in.operands.empty()) {
            const ptx::Mark& m = f.marks[static_cast<size_t>(in.mark)];
            const bool matrix = m.kind == ptx::Mark::Kind::tile || m.kind == ptx::Mark::Kind::warp_tile ||
                m.kind == ptx::Mark::Kind::layout;
            if (matrix && reaches(s, registers, in.operands[0])) uses.marks.insert(m.dtype);
        }
        if (!moves_elements(in)) continue;
        const bool here = std::any_of(in.operands.begin(), in.operands.end(), [&](const Operand& o) {
            return o.kind == Kind::address && reaches(s, registers, o);
        });
        if (here) uses.accesses.insert(in.types.back());
    }
}

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

std::optional<DType> number_of(ptx::Type t) {
    switch (t) {
        case ptx::Type::f64: return DType::f64;
        case ptx::Type::f32: return DType::f32;
        case ptx::Type::f16: return DType::f16;
        case ptx::Type::bf16: return DType::bf16;
        case ptx::Type::s8: return DType::s8;
        case ptx::Type::s16: return DType::s16;
        case ptx::Type::s32: return DType::s32;
        case ptx::Type::s64: return DType::s64;
        default: break;
    }
    switch (ptx::bytes_of(t)) {
        case 1: return DType::u8;
        case 2: return DType::u16;
        case 4: return DType::u32;
        case 8: return DType::u64;
        default: return std::nullopt;
    }
}

Element element_of(const Uses& uses) {
    if (uses.marks.size() == 1) {
        const Type t = type_of(*uses.marks.begin());
        return {t, t.name + " by a mark at its address"};
    }
    std::set<DType> types;
    std::set<size_t> sizes;
    for (const ptx::Type t : uses.accesses) {
        const auto number = number_of(t);
        if (!number) continue;
        types.insert(*number);
        sizes.insert(size_of(*number));
    }
    // Of types of one size the numbers decide: bits are moved as integers, too.
    const auto real = std::find_if(types.begin(), types.end(), [](DType d) {
        return d == DType::f64 || d == DType::f32 || d == DType::f16 || d == DType::bf16;
    });
    if (sizes.size() == 1) {
        const Type t = type_of(real != types.end() ? *real : *types.begin());
        return {t, t.name + " by its accesses"};
    }
    return {
        type_of(DType::u8),
        sizes.empty() ? "bytes: it is accessed only by pointers that were passed on"
                      : "bytes: it is accessed in several sizes"};
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

void add_variable(Variables& variables, const ptx::Module& module, const Symbol& s, Type element) {
    const auto type = static_cast<int>(variables.types.size());
    Type array;
    array.kind = Type::Kind::array;
    array.of = type;
    array.bytes = s.variable->bytes;
    array.count = element.bytes == 0 ? 0 : s.variable->bytes / element.bytes;
    array.name = fmt::format("{}[{}]", element.name, array.count);
    variables.types.push_back(std::move(element));
    variables.types.push_back(std::move(array));
    Variable v;
    v.name = local_name(s.variable->name);
    v.type = type + 1;
    v.function = s.function;
    v.end = last_instruction(module, s.function);
    Place place;
    place.symbol = s.variable->name;
    place.space = ptx::Space::shared;
    v.ranges.push_back({0, v.end, {place}});
    variables.all.push_back(std::move(v));
}

std::vector<Symbol> shared_symbols(const ptx::Module& module) {
    std::vector<Symbol> out;
    const auto add = [&](const std::vector<ptx::Variable>& all, int function) {
        for (size_t k = 0; k < all.size(); ++k)
            if (all[k].space == ptx::Space::shared)
                out.push_back({&all[k], function, static_cast<int32_t>(k)});
    };
    add(module.variables, -1);
    for (size_t f = 0; f < module.functions.size(); ++f)
        add(module.functions[f].variables, static_cast<int>(f));
    return out;
}

}  // namespace

std::string local_name(const std::string& symbol) {
    if (!symbol.starts_with("_ZZ")) return symbol;
    // _ZZ <function> E <length> <name> [_ <number>]
    for (size_t e = symbol.rfind('E'); e != std::string::npos && e > 0; e = symbol.rfind('E', e - 1)) {
        const char *begin = symbol.data() + e + 1, *end = symbol.data() + symbol.size();
        size_t length = 0;
        const auto [name, error] = std::from_chars(begin, end, length);
        if (error != std::errc() || length == 0 || length > static_cast<size_t>(end - name)) continue;
        const std::string_view behind(name + length, static_cast<size_t>(end - name) - length);
        const bool numbered = behind.size() > 1 && behind[0] == '_' &&
            behind.find_first_not_of("0123456789", 1) == std::string_view::npos;
        if (behind.empty() || numbered) return {name, end};
    }
    return symbol;
}

std::map<std::string, std::string> add_shared(Variables& variables, const ptx::Module& module) {
    std::map<std::string, std::string> how;
    for (const Symbol& s : shared_symbols(module)) {
        if (is_described(variables, s.variable->name)) continue;
        Uses uses;
        for (size_t f = 0; f < module.functions.size(); ++f)
            if (s.function < 0 || s.function == static_cast<int>(f)) add_uses(module.functions[f], s, uses);
        const Element element = element_of(uses);
        how[s.variable->name] = element.how;
        add_variable(variables, module, s, element.type);
    }
    return how;
}

}  // namespace wl::variables
