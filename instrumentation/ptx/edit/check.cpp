// Operands that name what is there, a row of the table, registers of the right widths.
#include "instrumentation/ptx/edit/check.h"

#include "instrumentation/ptx/edit/agree.h"
#include "instrumentation/ptx/table/operand_types.h"

#include <algorithm>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

constexpr size_t kDeepest = 4;  // vectors in addresses in vectors, as parsed

struct Checked {
    const Module& module;
    const Function& function;
};

bool is_within(int32_t index, size_t count) { return index >= 0 && static_cast<size_t>(index) < count; }

bool has_label(const Function& f, int32_t place) {
    return std::any_of(f.labels.begin(), f.labels.end(), [place](const auto& l) {
        return l.second == place;
    });
}

// What `o` says by the fields that its kind has; every other field as it is by default.
Operand plain(const Operand& o) {
    Operand p;
    p.kind = o.kind;
    const bool unnamed = o.kind == Kind::immediate || o.kind == Kind::vector || o.kind == Kind::sink ||
        (o.kind == Kind::address && o.base_kind == Kind::none);
    if (!unnamed) p.index = o.index;
    if (o.kind == Kind::address) p.base_kind = o.base_kind;
    if (o.kind == Kind::symbol || (o.kind == Kind::address && o.base_kind == Kind::symbol)) p.local = o.local;
    if (o.kind == Kind::reg || o.kind == Kind::special) p.negated = o.negated;
    if (o.kind == Kind::reg) p.selector = o.selector;
    if (o.kind == Kind::address || o.kind == Kind::symbol || o.kind == Kind::special) p.offset = o.offset;
    if (o.kind == Kind::immediate) {
        p.bits = o.floating && !o.wide ? o.bits & 0xffffffff : o.bits;
        p.floating = o.floating;
        p.wide = o.floating && o.wide;
    }
    if (o.kind == Kind::address || o.kind == Kind::vector) p.elements = o.elements;
    return p;
}

// What the index of an operand, or of an address's base, counts.
bool names_something(const Checked& c, Kind kind, const Operand& o) {
    const Function& f = c.function;
    switch (kind) {
        case Kind::reg: return is_within(o.index, f.registers.size());
        case Kind::symbol: return is_within(o.index, (o.local ? f.variables : c.module.variables).size());
        case Kind::param: return is_within(o.index, f.params.size());
        case Kind::result: return is_within(o.index, f.results.size());
        case Kind::function: return is_within(o.index, c.module.functions.size());
        case Kind::label: return o.index < -1 || has_label(f, o.index);  // -2 and less: of the inserted code
        case Kind::special: return is_within(o.index, static_cast<size_t>(SpecialRegister::count));
        case Kind::branch_targets: return is_within(o.index, f.branch_targets.size());
        case Kind::call_targets: return is_within(o.index, f.call_targets.size());
        case Kind::prototype: return is_within(o.index, f.prototypes.size());
        default: return true;
    }
}

std::string misfit(const Checked& c, const Operand& o, size_t depth) {
    if (o.kind == Kind::none) return "an operand that is nothing";
    if (!(plain(o) == o)) return "an operand that says more than its kind has";
    const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
    const bool base = kind == Kind::reg || kind == Kind::symbol || kind == Kind::param ||
        kind == Kind::result || kind == Kind::none;
    if (o.kind == Kind::address && !base) return "an address starts with a register, a variable or a number";
    if (!names_something(c, kind, o)) return "an operand that names nothing in this function";
    if (depth == kDeepest && !o.elements.empty()) return "an operand nested deeper than 4";
    for (const Operand& e : o.elements) {
        const bool list = e.kind == Kind::label || e.kind == Kind::address || e.kind >= Kind::branch_targets;
        if (list) return "a list of what is no value";
        if (std::string what = misfit(c, e, depth + 1); !what.empty()) return what;
    }
    return {};
}

// {results}, target, {arguments} and, where the target is a register, a prototype or a list of targets.
std::string misfit_of_call(const Checked& c, const std::vector<Operand>& o) {
    const bool lists =
        (o.size() == 3 || o.size() == 4) && o[0].kind == Kind::vector && o[2].kind == Kind::vector;
    if (!lists) return "a call has results, a target and arguments";
    const bool indirect = o[1].kind == Kind::reg && !o[1].negated && o[1].selector == 0 &&
        bytes_of(c.function.registers[static_cast<size_t>(o[1].index)].type) == 8;
    if (indirect != (o.size() == 4) || (!indirect && o[1].kind != Kind::function))
        return "a call names a function, or has an address and a prototype or list of targets";
    if (indirect && o[3].kind != Kind::prototype && o[3].kind != Kind::call_targets)
        return "a call by address has a prototype or a list of targets";
    return {};
}

std::string misfit(const Checked& c, const Instruction& i) {
    const Guard& g = i.guard;
    if (g.reg < 0 && (g.reg != -1 || g.negated)) return "no guard, and yet negated";
    if (g.reg >= 0 && !is_within(g.reg, c.function.registers.size())) return "a guard that names no register";
    if (g.reg >= 0 && c.function.registers[static_cast<size_t>(g.reg)].type != Type::pred)
        return "a guard that is no predicate";
    if (i.modifiers.pair && i.operands.size() < 2) return "a pair of destinations that is none";
    for (const Operand& o : i.operands)
        if (std::string what = misfit(c, o, 0); !what.empty()) return what;
    return {};
}

}  // namespace

std::string settle(Decoder& decoder, const Module& module, const Function& function, Instruction& i) {
    const Checked c{module, function};
    if (i.mark >= 0) return "a mark is not changed";
    if (std::string what = misfit(c, i); !what.empty()) return i.mnemonic + ": " + what;
    const std::vector<std::string_view> roles = decode(decoder, i);
    if (i.op == Op::unsupported) return why_unsupported(i);
    if (i.op == Op::call) return misfit_of_call(c, i.operands);
    if (std::string what = ptx::misfit(i, roles, function.registers); !what.empty()) return what;
    return disagreement(module, function, i, roles);
}

bool ends_flow(const Instruction& i) {
    const bool leaves =
        i.op == Op::bra || i.op == Op::brx_idx || i.op == Op::ret || i.op == Op::exit || i.op == Op::trap;
    return leaves && i.guard.reg < 0;
}

}  // namespace wl::ptx
