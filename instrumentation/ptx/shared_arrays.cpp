// Following the address of each shared variable through the registers that are computed from it.
#include "instrumentation/ptx/shared_arrays.h"

#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;
using By = SharedArray::By;

// A .shared variable: of a function, or (function < 0) of the module.
struct Symbol {
    const Variable* variable = nullptr;
    int function = -1;
    int32_t index = 0;
};

// What the code does at the variable's address.
struct Uses {
    std::set<DType> marks;
    std::set<Type> accesses;
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
bool moves_elements(const Instruction& in) {
    const Traits& t = traits_of(in);
    const bool elements = t.extent == Extent::typed || t.extent == Extent::fragment;
    return elements && (reads(t.memory) || writes(t.memory)) && !in.types.empty();
}

bool reaches(const Symbol& s, const std::set<int32_t>& registers, const Operand& o) {
    if (o.kind == Kind::address)
        return names(s, o, o.base_kind) || (o.base_kind == Kind::reg && registers.contains(o.index));
    return names(s, o, o.kind) || (o.kind == Kind::reg && registers.contains(o.index));
}

// Registers that may hold an address in the variable, wherever they are set.
std::set<int32_t> pointers(const Function& f, const Symbol& s) {
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

void add_uses(const Function& f, const Symbol& s, Uses& uses) {
    const std::set<int32_t> registers = pointers(f, s);
    for (const Instruction& in : f.code) {
        if (in.op == Op::mark && in.mark >= 0 && !in.operands.empty()) {
            const Mark& m = f.marks[static_cast<size_t>(in.mark)];
            const bool matrix =
                m.kind == Mark::Kind::tile || m.kind == Mark::Kind::warp_tile || m.kind == Mark::Kind::layout;
            if (matrix && reaches(s, registers, in.operands[0])) uses.marks.insert(m.dtype);
        }
        if (!moves_elements(in)) continue;
        const bool here = std::any_of(in.operands.begin(), in.operands.end(), [&](const Operand& o) {
            return o.kind == Kind::address && reaches(s, registers, o);
        });
        if (here) uses.accesses.insert(in.types.back());
    }
}

std::optional<DType> number_of(Type t) {
    switch (t) {
        case Type::f64: return DType::f64;
        case Type::f32: return DType::f32;
        case Type::f16: return DType::f16;
        case Type::bf16: return DType::bf16;
        case Type::s8: return DType::s8;
        case Type::s16: return DType::s16;
        case Type::s32: return DType::s32;
        case Type::s64: return DType::s64;
        default: break;
    }
    switch (bytes_of(t)) {
        case 1: return DType::u8;
        case 2: return DType::u16;
        case 4: return DType::u32;
        case 8: return DType::u64;
        default: return std::nullopt;
    }
}

void find_elements(const Uses& uses, SharedArray& out) {
    if (uses.marks.size() == 1) {
        out.dtype = *uses.marks.begin(), out.by = By::mark;
        return;
    }
    std::set<DType> types;
    std::set<size_t> sizes;
    for (const Type t : uses.accesses) {
        const auto number = number_of(t);
        if (!number) continue;
        types.insert(*number);
        sizes.insert(size_of(*number));
    }
    out.by = sizes.empty() ? By::nobody : sizes.size() == 1 ? By::accesses : By::several;
    if (out.by != By::accesses) return;
    // Of types of one size the numbers decide: bits are moved as integers, too.
    const auto real = std::find_if(types.begin(), types.end(), [](DType d) {
        return d == DType::f64 || d == DType::f32 || d == DType::f16 || d == DType::bf16;
    });
    out.dtype = real != types.end() ? *real : *types.begin();
}

std::vector<Symbol> shared_symbols(const Module& module) {
    std::vector<Symbol> out;
    const auto add = [&](const std::vector<Variable>& all, int function) {
        for (size_t k = 0; k < all.size(); ++k)
            if (all[k].space == Space::shared) out.push_back({&all[k], function, static_cast<int32_t>(k)});
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

std::vector<SharedArray> shared_arrays(const Module& module) {
    std::vector<SharedArray> out;
    for (const Symbol& s : shared_symbols(module)) {
        Uses uses;
        for (size_t f = 0; f < module.functions.size(); ++f)
            if (s.function < 0 || s.function == static_cast<int>(f)) add_uses(module.functions[f], s, uses);
        SharedArray& array = out.emplace_back();
        array.symbol = s.variable->name, array.name = local_name(s.variable->name);
        array.function = s.function, array.variable = s.index, array.bytes = s.variable->bytes;
        find_elements(uses, array);
    }
    return out;
}

}  // namespace wl::ptx
