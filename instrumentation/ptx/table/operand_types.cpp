// The rules are those of ptxas 13.0, tried out with every width of register at every form of the table.
#include "instrumentation/ptx/table/operand_types.h"

#include "instrumentation/ptx/table/names.h"

#include <algorithm>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

// What a role takes: a predicate, or a register of so many bytes.
struct Wanted {
    bool predicate = false;
    uint32_t bytes = 0;    // 0: any width
    bool wider = false;    // or more: ld, st and cvt (PTX ISA 9.0, 9.4.1)
    bool unknown = false;  // a predicate too
};

constexpr Wanted kPredicate{true, 0, false, false};
constexpr Wanted kWord{false, 4, false, false};
constexpr Wanted kDouble{false, 8, false, false};
constexpr Wanted kAnyWidth{false, 0, false, false};
constexpr Wanted kAnything{false, 0, false, true};

Wanted of(Type t) { return t == Type::pred ? kPredicate : Wanted{false, bytes_of(t), false, false}; }
Wanted at_least(Type t) { return {false, bytes_of(t), true, false}; }

Wanted exactly(uint32_t bytes) { return {false, bytes, false, false}; }

// cvt takes wider registers but for the formats that came with sm_80 and later: bf16, tf32, pairs, eight
// bits.
bool takes_wider(const Instruction& in) {
    const auto old = [](Type t) {
        return t == Type::f16 || t == Type::f32 || t == Type::f64 || (t >= Type::u8 && t <= Type::s64);
    };
    return std::all_of(in.types.begin(), in.types.end(), old);
}

// A byte has no register of its own width.
Wanted cvt_operand(const Instruction& in, Type t) {
    return takes_wider(in) || bytes_of(t) == 1 ? at_least(t) : of(t);
}

bool is_float(Type t) { return t >= Type::f16 && t <= Type::tf32; }

// Registers to registers: all of the last type but for these.
Wanted elementwise(const Instruction& in, char role) {
    const Type first = in.types.empty() ? Type::b32 : in.types.front();
    const Type last = in.types.empty() ? Type::b32 : in.types.back();
    const bool amount = role == 'b' || role == 'c';
    switch (in.op) {
        case Op::mul:
        case Op::mad:
            if (in.modifiers.mode == Mode::wide && (role == 'd' || role == 'c'))
                return exactly(2 * bytes_of(first));
            break;
        case Op::popc:
        case Op::clz:
        case Op::bfind:
            if (role == 'd') return kWord;
            break;
        case Op::bfe:
            if (amount) return kWord;
            break;
        case Op::bfi:
            if (role == 'c' || role == 'e') return kWord;
            break;
        case Op::szext:
        case Op::shl:
        case Op::shr:
            if (role == 'b') return kWord;
            break;
        case Op::fns:
        case Op::bmsk:
        case Op::dp4a:
        case Op::dp2a:
        case Op::prmt: return kWord;
        case Op::shf:
            if (role == 'c') return kWord;
            break;
        case Op::set: return role == 'd' ? of(first) : of(last);
        case Op::setp:
        case Op::testp:
            if (role == 'd') return kPredicate;
            break;
        case Op::selp:
            if (role == 'c') return kPredicate;
            break;
        case Op::slct: return role == 'c' ? of(last) : of(first);
        case Op::cvt:
            if (role == 'e') return kWord;
            return cvt_operand(in, role == 'd' ? first : last);
        case Op::cvt_pack: return role == 'd' ? kWord : at_least(Type::b32);
        default: break;
    }
    const bool mixed = in.types.size() == 2 && is_float(first);  // mixed precision: fma.f32.f16
    return of(mixed && (role == 'd' || role == 'c') ? first : last);
}

// Of what moves between memory and registers, or between lanes.
Wanted moved(const Instruction& in, char role) {
    const Type last = in.types.empty() ? Type::none : in.types.back();
    switch (in.op) {
        case Op::ld:
        case Op::ldu:
        case Op::st: return (role == 'd' || role == 'b') && last != Type::none ? at_least(last) : kAnyWidth;
        case Op::atom:
        case Op::red:
            return (role == 'd' || role == 'b' || role == 'c') && last != Type::none ? of(last) : kAnyWidth;
        case Op::cvta: return of(last);
        case Op::isspacep:
        case Op::istypep: return role == 'd' ? kPredicate : kAnyWidth;
        case Op::shfl:
        case Op::redux:
        case Op::activemask:
        case Op::elect:
        case Op::bar_warp_sync:
        case Op::nanosleep:
        case Op::movmatrix:
        case Op::ldmatrix:
        case Op::stmatrix: return kWord;
        case Op::match: return role == 'a' ? of(last) : kWord;
        case Op::vote: return role == 'd' && in.modifiers.mode != Mode::ballot ? kPredicate : kWord;
        case Op::bar: return role == 'd' && last == Type::pred ? kPredicate : kWord;
        case Op::mbarrier_test_wait:
        case Op::mbarrier_try_wait: return role == 'd' ? kPredicate : kAnyWidth;
        case Op::wmma_load:
        case Op::wmma_store:
        case Op::wmma_mma:
        case Op::mma:
        case Op::mma_sp:
            if (role == 's' || role == 'f') return kAnyWidth;
            if (role == 'e') return kWord;
            return last == Type::f64 ? kDouble : kWord;
        case Op::tex:
        case Op::tld4: return role == 'd' ? of(in.types.front()) : kAnyWidth;
        case Op::txq:
        case Op::suq: return role == 'd' ? kWord : kAnyWidth;
        case Op::suld:
        case Op::sust: return (role == 'd' || role == 'b') && last != Type::none ? at_least(last) : kAnyWidth;
        case Op::createpolicy: return role == 'd' ? kDouble : kAnyWidth;
        case Op::cp_async: return role == 'f' ? kAnything : kAnyWidth;
        case Op::clusterlaunchcontrol: return kAnything;
        default: return in.op >= Op::vadd ? kWord : kAnyWidth;
    }
}

Wanted wanted(const Instruction& in, std::string_view role) {
    if (role.starts_with('|') || role.starts_with('!') || role == "q") return kPredicate;
    const char letter = role[role.starts_with('{') ? 1 : 0];
    if (in.op >= Op::add && in.op <= Op::cvt_pack) return elementwise(in, letter);
    return moved(in, letter);
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

bool needs_wide_address(const Instruction& in) {
    const bool plain = in.op == Op::ld || in.op == Op::ldu || in.op == Op::st || in.op == Op::atom ||
        in.op == Op::red || in.op == Op::prefetch;
    return plain && (in.modifiers.space == Space::global || in.modifiers.space == Space::generic);
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

// %tid as a whole
bool is_special_vector(const Operand& o) {
    return o.kind == Kind::vector && o.elements.size() == 4 && o.elements[0].kind == Kind::special;
}

// The elements of a vector share the type's bits (PTX ISA 9.0, 9.7.9.4).
Wanted of_move(const Instruction& in, const Operand& o) {
    const Type t = in.types.back();
    if (o.kind != Kind::vector || o.elements.empty() || t == Type::pred || in.modifiers.vector > 1)
        return of(t);
    return exactly(bytes_of(t) / static_cast<uint32_t>(o.elements.size()));
}

}  // namespace

std::string misfit(
    const Instruction& in, std::span<const std::string_view> roles, std::span<const Register> registers
) {
    for (size_t k = 0; k < in.operands.size(); ++k) {
        const Operand& o = in.operands[k];
        Wanted want = kAnyWidth;
        if (in.op == Op::mov && in.modifiers.vector == 1 && is_special_vector(o))
            return in.mnemonic + " takes one element of a special register here";
        if (in.op == Op::mov && !in.types.empty())
            want = of_move(in, o);
        else if (k < roles.size() && !roles[k].empty())
            want = wanted(in, roles[k]);
        if (std::string what = misfit(in, want, o, registers); !what.empty()) return what;
    }
    return {};
}

}  // namespace wl::ptx
