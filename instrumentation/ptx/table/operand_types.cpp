// The rules are those of ptxas 13.0, tried out with every width of register at every form of the table.
#include "instrumentation/ptx/table/operand_types.h"

#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/ptx/table/names.h"

#include <algorithm>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

// What a role takes, in the types of the instruction: a predicate, or a register of so many bytes.
struct Wanted {
    bool predicate = false;
    uint32_t bytes = 0;    // 0: any width
    bool wider = false;    // or more: ld, st and cvt (PTX ISA 9.0, 9.4.1)
    bool unknown = false;  // a predicate too
};

constexpr Wanted kWord{false, 4, false, false};
constexpr Wanted kAnyWidth{false, 0, false, false};

// A byte has no register of its own width.
Wanted of(Type t, bool wider = false) {
    const uint32_t bytes = bytes_of(t);
    return t == Type::pred ? Wanted{true, 0, false, false} : Wanted{false, bytes, wider || bytes == 1, false};
}

Wanted wanted(const Instruction& in, const Width& w, const Operand& o) {
    using Of = Width::Of;
    const Type first = in.types.empty() ? Type::none : in.types.front();
    const Type last = in.types.empty() ? Type::none : in.types.back();
    const bool split =
        o.kind == Kind::vector && !o.elements.empty() && last != Type::pred && in.modifiers.vector == 1;
    switch (w.of) {
        case Of::any: return kAnyWidth;
        case Of::anything: return {false, 0, false, true};
        case Of::predicate: return of(Type::pred);
        case Of::bytes: return {false, w.bytes, w.wider, false};
        case Of::first: return of(first, w.wider);
        case Of::last: return of(last, w.wider);
        case Of::twice: return {false, 2 * bytes_of(first), false, false};
        case Of::fragment: return of(last == Type::f64 ? Type::f64 : Type::b32);
        case Of::shared:  // PTX ISA 9.0, 9.7.9.4
            return split
                ? Wanted{false, bytes_of(last) / static_cast<uint32_t>(o.elements.size()), false, false}
                : of(last);
    }
    return kAnyWidth;
}

std::string bits(uint32_t bytes) { return std::to_string(8 * bytes); }

std::string misfit(const Instruction& in, const Wanted& want, const Register& given) {
    const bool predicate = given.type == Type::pred;
    if (want.unknown) return {};
    if (want.predicate != predicate)
        return given.name + " is " + (predicate ? "a" : "no") + " predicate, " + in.mnemonic + " takes " +
            (want.predicate ? "one" : "none") + " here";
    const uint32_t bytes = bytes_of(given.type);
    if (predicate || want.bytes == 0 || bytes == want.bytes || (want.wider && bytes > want.bytes)) return {};
    return given.name + " has " + bits(bytes) + " bits, " + in.mnemonic + " takes " + bits(want.bytes) +
        (want.wider ? " or more" : "") + " here";
}

// Accesses of single lanes, and hints.
bool needs_wide_address(const Instruction& in) {
    const Traits& t = traits_of(in);
    const bool by_lane =
        t.memory == Memory::hint || (t.extent == Extent::typed && (reads(t.memory) || writes(t.memory)));
    return by_lane && (in.modifiers.space == Space::global || in.modifiers.space == Space::generic);
}

std::string misfit(
    const Instruction& in, const Wanted& want, const Operand& o, std::span<const Register> registers
) {
    if (o.kind == Kind::reg) return misfit(in, want, registers[static_cast<size_t>(o.index)]);
    if (o.kind == Kind::address && o.base_kind == Kind::reg) {
        const Register& base = registers[static_cast<size_t>(o.index)];
        const uint32_t bytes = bytes_of(base.type);
        if (base.type == Type::pred || (bytes != 4 && bytes != 8))
            return base.name + " is no address: it has neither 32 nor 64 bits";
        if (bytes == 4 && needs_wide_address(in))
            return base.name + " has 32 bits, an address of global memory has 64 (compile with -m64)";
    }
    // Behind the base of an address: a sampler, a vector of coordinates.
    for (const Operand& element : o.elements) {
        const bool coordinates = o.kind == Kind::address && element.kind == Kind::vector;
        const Wanted each = coordinates ? kWord : o.kind == Kind::address ? kAnyWidth : want;
        if (std::string what = misfit(in, each, element, registers); !what.empty()) return what;
    }
    return {};
}

// The number of a role in its row's column, which it is a piece of.
size_t place_of(std::string_view role, const Form& form) {
    return static_cast<size_t>(std::count(form.operands.data(), role.data(), ' '));
}

// %tid as a whole
bool is_special_vector(const Operand& o) {
    return o.kind == Kind::vector && o.elements.size() == 4 && o.elements[0].kind == Kind::special;
}

}  // namespace

std::string misfit(
    const Instruction& in, std::span<const std::string_view> roles, std::span<const Register> registers
) {
    const Traits& t = traits_of(in);
    for (size_t k = 0; k < in.operands.size(); ++k) {
        const Operand& o = in.operands[k];
        const bool known = k < roles.size() && !roles[k].empty();
        const auto role = known ? place_of(roles[k], *in.form) : size_t{0};
        const Width width = known ? t.widths[role] : Width{};
        if (width.of == Width::Of::shared && in.modifiers.vector == 1 && is_special_vector(o))
            return in.mnemonic + " takes one element of a special register here";
        if (std::string what = misfit(in, wanted(in, width, o), o, registers); !what.empty()) return what;
    }
    return {};
}

}  // namespace wl::ptx
