// The rules are those of ptxas 13.0, tried out statement by statement (PTX ISA 9.0, 9.4 "Operand Size and
// Type", 6.4 "Using Addresses", 10 "Special Registers").
#include "instrumentation/ptx/edit/agree.h"

#include "instrumentation/ptx/parse/dialect.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

enum class Class : uint8_t { bits, integer, floating };

Class class_of(Type t) {
    if (t == Type::f32 || t == Type::f64) return Class::floating;
    const bool integer = (t >= Type::u8 && t <= Type::u64) || (t >= Type::s8 && t <= Type::s64);
    return integer ? Class::integer : Class::bits;
}

bool is_elementwise(const Instruction& i) { return i.op >= Op::add && i.op <= Op::cvt_pack; }

// Instructions whose values have the types of the mnemonic.
bool is_typed(const Instruction& i) {
    return is_elementwise(i) || i.op == Op::ld || i.op == Op::st || i.op == Op::atom || i.op == Op::red;
}

bool is_video(Op op) { return op >= Op::vadd && op <= Op::vset4; }

// How far to shift and which bits: words, whatever the type.
bool is_amount(const Instruction& i, char role) {
    if (i.op == Op::shl || i.op == Op::shr) return role == 'b';
    if (i.op == Op::shf) return role == 'c';
    if (i.op == Op::bfe) return role == 'b' || role == 'c';
    return i.op == Op::bfi && (role == 'c' || role == 'e');
}

Type type_at(const Instruction& i, char role) {
    if (is_amount(i, role)) return Type::u32;
    if (i.types.empty()) return Type::none;
    if (i.types.size() == 1) return i.types.front();
    if (i.op == Op::cvt || i.op == Op::set) return role == 'd' ? i.types.front() : i.types.back();
    if (i.op == Op::slct) return role == 'c' ? i.types.back() : i.types.front();
    return Type::none;
}

bool is_packed(Type t) { return bytes_of(t) < 16 && name_of(t).find('x') != std::string_view::npos; }

std::string of_register(const Instruction& i, Type type, const Register& r) {
    const Class wanted = class_of(type), given = class_of(r.type);
    const bool agree = (wanted == Class::bits && !is_packed(type) && type != Type::tf32) ||
        given == Class::bits || wanted == given;
    if (!agree) return r.name + " is ." + std::string(name_of(r.type)) + ", and " + i.mnemonic + " is not";
    const bool is_float = type == Type::f16 || type == Type::bf16 || type == Type::f32;
    const bool narrow = is_float && given == Class::floating && bytes_of(type) < bytes_of(r.type);
    return narrow ? r.name + " holds a wider float than " + i.mnemonic + " has" : "";
}

std::string of_immediate(const Instruction& i, Type type, const Operand& o) {
    const bool typed = is_typed(i) && type != Type::none;
    bool fits = !o.floating && !(typed && is_packed(type));
    if (typed && class_of(type) == Class::floating) fits = o.floating;
    if (i.op == Op::cvt && (type == Type::f16 || type == Type::bf16)) fits = o.floating;
    if (typed && (type == Type::b32 || type == Type::b64))
        fits = !o.floating || o.wide == (type == Type::b64);
    return fits ? "" : "a constant of another kind than " + i.mnemonic + " has";
}

bool is_wide(const Operand& special) {
    const auto reg = static_cast<SpecialRegister>(special.index);
    return reg == SpecialRegister::clock64 || reg == SpecialRegister::globaltimer ||
        reg == SpecialRegister::current_graph_exec || (reg == SpecialRegister::pm && special.offset >= 64);
}

std::string of_special(const Instruction& i, Type type, const Operand& o) {
    const bool moves = (i.op == Op::mov || i.op == Op::cvt) && class_of(type) != Class::floating &&
        class_of(i.types.front()) != Class::floating;
    if (!moves || bytes_of(type) != (is_wide(o) ? 8U : 4U))
        return i.mnemonic + " reads no special register of this width";
    return {};
}

// Where `_` may stand for what is not kept.
bool may_sink(const Instruction& i, std::string_view role, bool element) {
    if (role.starts_with('|')) return true;
    if (role != "d" && role != "{d}") return false;
    const bool pair = i.op == Op::setp || i.op == Op::lop3 || i.op == Op::elect || i.op == Op::match;
    return element || pair || i.op == Op::atom;
}

struct Checked {
    const Module& module;
    const Function& function;
    const Instruction& i;
};

bool is_texture(const Instruction& i) { return i.op == Op::tex || i.op == Op::tld4; }

// What they give, an address or the state of a barrier, has the width that they name.
bool is_as_wide(const Instruction& i, char role) {
    const bool gives = i.op == Op::alloca || i.op == Op::stacksave || i.op == Op::mapa ||
        i.op == Op::mbarrier_arrive || i.op == Op::mbarrier_arrive_drop;
    return (gives && role == 'd') || (i.op == Op::stackrestore && role == 'a');
}

bool is_stride(const Instruction& i, std::string_view role) {
    return (i.op == Op::wmma_load || i.op == Op::wmma_store) && role == "stride";
}

std::string of_value(const Checked& c, std::string_view role, const Operand& o, bool element) {
    const char letter = role[role.starts_with('{') ? 1 : 0];
    const Type type = type_at(c.i, letter);
    switch (o.kind) {
        case Kind::reg: {
            const Register& r = c.function.registers[static_cast<size_t>(o.index)];
            if (r.type == Type::pred)
                return letter == 'd' && o.negated ? "what is written cannot be negated" : "";
            if (o.negated && !is_video(c.i.op)) return "only predicates are negated in " + c.i.mnemonic;
            if (o.selector != 0 && !is_video(c.i.op)) return "no parts of registers in " + c.i.mnemonic;
            const bool texel = is_texture(c.i) && letter == 'd';
            if (is_stride(c.i, role) && (bytes_of(r.type) != 4 || r.type == Type::f32))
                return r.name + " is no stride: no integer of 32 bits";
            if (is_as_wide(c.i, letter) && bytes_of(r.type) != bytes_of(c.i.types.front()))
                return r.name + " is not as wide as " + c.i.mnemonic;
            if (c.i.op == Op::brx_idx && bytes_of(r.type) != 4) return r.name + " is no index of 32 bits";
            if (c.i.op == Op::bar && r.type == Type::f32) return r.name + " is no number of a barrier";
            return is_typed(c.i) || texel ? of_register(c.i, texel ? c.i.types.front() : type, r) : "";
        }
        case Kind::immediate: return of_immediate(c.i, type, o);
        case Kind::special: return of_special(c.i, type, o);
        case Kind::sink:
            return may_sink(c.i, role, element) ? "" : c.i.mnemonic + " has nothing to drop here";
        case Kind::symbol:
        case Kind::param:
        case Kind::result:
        case Kind::function:
            return c.i.op == Op::mov || c.i.op == Op::cvta ? ""
                                                           : c.i.mnemonic + " takes no address of a name";
        default: return {};
    }
}

// Space of what an address starts with; none: a register, or nothing.
Space space_of(const Checked& c, const Operand& o) {
    if (o.base_kind == Kind::param || o.base_kind == Kind::result) return Space::param;
    if (o.base_kind != Kind::symbol) return Space::none;
    return (o.local ? c.function.variables : c.module.variables)[static_cast<size_t>(o.index)].space;
}

std::string of_address(const Checked& c, const Operand& o, size_t nth) {
    const Modifiers& m = c.i.modifiers;
    const Space wanted = nth == 1 && m.source_space != Space::none ? m.source_space : m.space;
    if (is_texture(c.i) && !o.elements.empty())
        for (const Operand& e : o.elements.back().elements) {
            if (e.kind != Kind::reg) continue;
            const Register& r = c.function.registers[static_cast<size_t>(e.index)];
            if (std::string why = of_register(c.i, c.i.types.back(), r); !why.empty()) return why;
        }
    if (wanted == Space::none || (nth == 1 && m.source_space == Space::none)) return {};
    if (o.base_kind == Kind::none && wanted != Space::local) return "an address that is a number";
    const bool narrow =
        o.base_kind == Kind::reg && bytes_of(c.function.registers[static_cast<size_t>(o.index)].type) != 8;
    if (narrow && (wanted == Space::generic || wanted == Space::global))
        return "an address of 32 bits in " + c.i.mnemonic;
    const Space given = space_of(c, o);
    if (given == Space::none) return {};
    if (given == Space::param && wanted == Space::param && c.i.guard.reg >= 0 && o.base_kind == Kind::symbol)
        return "an argument of a call is passed whatever holds";
    const bool fits = given == wanted || (wanted == Space::generic && given != Space::param);
    return fits ? "" : "an address of another space than " + c.i.mnemonic;
}

bool is_constant(const Instruction& i, size_t k) {
    return k < i.operands.size() && i.operands[k].kind == Kind::immediate;
}

// Constants that an instruction has by a list or a range.
std::string of_constants(const Instruction& i, std::span<const std::string_view> roles) {
    const auto value = [&i](size_t k) { return i.operands[k].bits; };
    const auto wrong = [&i] { return "a constant that " + i.mnemonic + " does not take"; };
    if (i.op == Op::bar) {
        const size_t barrier = !roles.empty() && roles[0] == "d" ? 1 : 0;
        if (is_constant(i, barrier) && value(barrier) > 15) return wrong();
        if (is_constant(i, barrier + 1) && i.modifiers.mode != Mode::red && value(barrier + 1) % 32 != 0)
            return wrong();
    }
    if (i.op == Op::pmevent && is_constant(i, 0) && value(0) > 15 && i.mnemonic == "pmevent") return wrong();
    if (i.op == Op::cp_async && is_constant(i, 2)) {
        const bool small = value(2) == 4 || value(2) == 8;
        if (value(2) != 16 && !(small && i.modifiers.cache == "ca")) return wrong();
    }
    if (i.op == Op::mma_sp && is_constant(i, i.operands.size() - 1)) {
        const std::string_view shape = i.modifiers.shape;
        const uint64_t last = shape.ends_with("k64") || shape.ends_with("k128") ? 0
            : shape == "m16n8k8"                                                ? 3
                                                                                : 1;
        if (value(i.operands.size() - 1) > last) return wrong();
    }
    if (i.op == Op::alloca && is_constant(i, 2) && !std::has_single_bit(value(2))) return wrong();
    if (i.op == Op::cp_async_bulk && is_constant(i, 2) && value(2) % 16 != 0) return wrong();
    if (i.op == Op::setmaxnreg && is_constant(i, 0) && (value(0) < 24 || value(0) > 256 || value(0) % 8 != 0))
        return wrong();
    return {};
}

// A conversion that cannot leave the range of its result has nothing to clamp.
std::string of_clamping(const Instruction& i) {
    if (i.op != Op::cvt || !i.modifiers.sat || i.types.size() != 2) return {};
    const Type d = i.types.front(), a = i.types.back();
    if (class_of(d) != Class::integer || class_of(a) != Class::integer) return {};
    const bool sign_of_d = d >= Type::s8 && d <= Type::s64, sign_of_a = a >= Type::s8 && a <= Type::s64;
    const bool holds =
        sign_of_d == sign_of_a ? bytes_of(d) >= bytes_of(a) : sign_of_d && bytes_of(d) > bytes_of(a);
    return holds ? i.mnemonic + " has nothing to clamp" : "";
}

// Hints are for global memory.
std::string of_hints(const Instruction& i) {
    const Modifiers& m = i.modifiers;
    const bool hinted = !m.eviction.empty() || m.cache_hint || !m.prefetch_size.empty();
    const bool reads_or_writes = i.op == Op::ld || i.op == Op::st;
    const bool of_second_level = reads_or_writes && i.mnemonic.find(".L2::evict_") != std::string::npos;
    if (of_second_level && m.vector * bytes_of(i.types.back()) != 32)
        return i.mnemonic + ": .L2::evict is of 32 bytes";
    if (!hinted || !reads_or_writes || m.space == Space::global || m.space == Space::generic) return {};
    return i.mnemonic + ": only global memory has such hints";
}

// A coordinate for each dimension, and the layer; three and more are a vector of four.
std::string of_geometry(const Instruction& i) {
    if (i.modifiers.geometry.empty() || i.op == Op::txq || i.op == Op::suq) return {};
    const std::string_view g = i.modifiers.geometry;
    const size_t wanted = g == "1d" ? 1 : g == "2d" || g == "a1d" ? 2 : 4;
    for (const Operand& o : i.operands) {
        if (o.kind != Kind::address || o.elements.empty()) continue;
        const Operand& place = o.elements.back();
        const size_t given = place.kind == Kind::vector ? place.elements.size() : 1;
        if (given != wanted) return i.mnemonic + " takes another number of coordinates";
    }
    return {};
}

// What came with PTX ISA 6.0, and with sm_70: the table does not say since when a row is there.
std::string of_age(const Module& module, const Instruction& i) {
    const int version = dialect_of(module.version, module.target).version;
    const bool synchronises = i.op == Op::bar_warp_sync || i.op == Op::brx_idx ||
        (i.modifiers.sync && i.op >= Op::bar && i.op <= Op::match);
    const bool orders = i.op == Op::fence || !i.modifiers.semantics.empty();
    if (version < 60 && (synchronises || orders)) return i.mnemonic + " came with PTX ISA 6.0";
    if (version < 83 && i.mnemonic.find(".param::") != std::string::npos)
        return i.mnemonic + " came with PTX ISA 8.3";
    const int device = module.target.size() > 3 ? std::atoi(module.target.c_str() + 3) : 0;
    const bool pairs = std::find(i.types.begin(), i.types.end(), Type::f32x2) != i.types.end();
    if (device < 100 && pairs) return i.mnemonic + " came with sm_100";
    if (device < 100 && i.mnemonic.find(".cta_group::") != std::string::npos)
        return i.mnemonic + " came with sm_100";
    if (device < 90 && i.modifiers.cluster) return i.mnemonic + " came with sm_90";
    if (device < 75 && !i.modifiers.prefetch_size.empty()) return i.mnemonic + " came with sm_75";
    if (version < 74 && !i.modifiers.eviction.empty()) return i.mnemonic + " came with PTX ISA 7.4";
    if (version < 78 &&
        (i.modifiers.cluster || i.mnemonic.starts_with("bar.cta") || i.mnemonic.starts_with("barrier.cta")))
        return i.mnemonic + " came with PTX ISA 7.8";
    return orders && device < 70 ? i.mnemonic + " came with sm_70" : "";
}

}  // namespace

std::string disagreement(
    const Module& module,
    const Function& function,
    const Instruction& i,
    std::span<const std::string_view> roles
) {
    const Checked c{module, function, i};
    size_t addresses = 0;
    for (size_t k = 0; k < roles.size(); ++k) {
        const std::string_view role = roles[k];
        const Operand& o = i.operands[k];
        std::string why;
        const bool moved = i.op == Op::ld || i.op == Op::st;
        if (moved && o.kind == Kind::vector && i.modifiers.vector == 1)
            why = i.mnemonic + " moves one value";
        else if (o.kind == Kind::address)
            why = of_address(c, o, addresses++);
        else if (o.kind == Kind::vector)
            for (const Operand& e : o.elements) why = why.empty() ? of_value(c, role, e, true) : why;
        else if (role.starts_with('{') && !i.modifiers.shape.empty())
            why = i.mnemonic + " takes a list of registers";
        else
            why = of_value(c, role, o, false);
        if (!why.empty()) return why;
    }
    const bool nothing =
        i.modifiers.pair && i.operands[0].kind == Kind::sink && i.operands[1].kind == Kind::sink;
    if (nothing) return i.mnemonic + " has nothing left to do";
    for (const std::string& why :
         {of_constants(i, roles), of_clamping(i), of_hints(i), of_geometry(i), of_age(module, i)})
        if (!why.empty()) return why;
    return {};
}

}  // namespace wl::ptx
