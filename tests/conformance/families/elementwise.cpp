// Instructions from registers to registers: the operand types of each opcode, then one template for all.
#include "tests/conformance/families/families.h"

#include <algorithm>
#include <numeric>

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Type;

bool extended_precision(const ptx::Form& form) {
    return form.op == Op::addc || form.op == Op::subc || form.op == Op::madc ||
        form.modifiers.ends_with("cc");
}

// The chapters of arithmetic, comparison and logic; of movement prmt and cvt.
bool served(const ptx::Form& form) {
    if (extended_precision(form)) return false;
    return is_arithmetic(form) || form.name == "prmt" || form.name.starts_with("cvt.") || form.name == "cvt";
}

Type twice(Type t) {
    switch (t) {
        case Type::u16: return Type::u32;
        case Type::s16: return Type::s32;
        case Type::u32: return Type::u64;
        default: return Type::s64;
    }
}

Operand position(Type t = Type::u32) { return {t, Flavour::position}; }

Operand plain_of(const ptx::Form& form, Type type) {
    switch (form.op) {
        case Op::sin:
        case Op::cos:
        case Op::lg2:
        case Op::ex2: return {type, Flavour::angle};
        case Op::tanh: return {type, Flavour::unit};
        case Op::cvt: return {type, Flavour::convert};
        default: return {type, Flavour::plain};
    }
}

ptx::Width width_of(const ptx::Form& form, std::string_view role) {
    const auto number = std::count(form.operands.data(), role.data(), ' ');
    return form.traits.widths[static_cast<size_t>(number)];
}

// The operand that a role, a piece of the row's column, stands for: of the row's width, and with values that
// show mistakes.
Operand operand_of(const ptx::Form& form, const Variant& v, std::string_view role) {
    using Of = ptx::Width::Of;
    const Type first = v.types.empty() ? Type::b32 : v.types.front();
    const Type last = v.types.empty() ? Type::b32 : v.types.back();
    const char r = role[0];
    switch (form.op) {
        case Op::fns:
            if (role == "base") return {Type::b32, Flavour::lane};
            if (role == "offset") return {Type::s32, Flavour::small};
            break;
        case Op::bmsk:
            if (r != 'd') return position();
            break;
        case Op::shf:
            if (r == 'c') return position();
            break;
        case Op::dp4a:
        case Op::dp2a:
            if (r == 'a') return {first};
            if (r == 'b') return {last};
            return {Type::s32};
        case Op::cvt:
            if (r == 'e') return {Type::b32};
            break;
        case Op::cvt_pack:
            if (r == 'd' || r == 'c') return {Type::b32};
            return {Type::s32};
        default: break;
    }
    switch (width_of(form, role).of) {
        case Of::predicate: return {Type::pred, Flavour::predicate};
        case Of::twice: return {twice(first)};
        case Of::first: return {first};
        case Of::bytes: return position();
        default: return plain_of(form, last);
    }
}

// Which optional roles a mnemonic has: `!c?` with a Boolean operation, `|p?` in a case of its own.
std::vector<std::string_view> roles_of(const ptx::Form& form, const Variant& v, bool pair) {
    std::vector<std::string_view> roles;
    const bool boolean = has(v, "and") || has(v, "or") || has(v, "xor");
    for (std::string_view role : split(form.operands, ' ')) {
        if (role == "|p?") {
            if (pair) roles.push_back(role.substr(0, 2));
        } else if (role == "!c?") {
            if (boolean) roles.push_back(role.substr(0, 2));
        } else {
            roles.push_back(role);
        }
    }
    return roles;
}

// lop3's table is an immediate: a few that no input can confuse.
std::vector<std::string> immediates_of(const ptx::Form& form) {
    if (form.op == Op::lop3) return {"0x96", "0xe8", "0xca", "0x1b", "0x80", "0xfe", "0x00", "0xff", "0x2d"};
    return {""};
}

// A byte is loaded into 32 bits; a conversion to bf16 takes none wider than 16.
std::string source_register(Kernel& k, const Variant& v, const std::string& loaded) {
    if (v.types.size() != 2 || v.types[0] != Type::bf16 || bytes_of(v.types[1]) != 1) return loaded;
    const std::string narrow = new_register(k, Type::b16);
    line(k, "cvt.u16.u32 " + narrow + ", " + loaded);
    return narrow;
}

struct Shape {
    bool pair = false, negated = false;
    std::string immediate;
};

Case elementwise(const ptx::Form& form, const Variant& v, const Shape& shape) {
    Kernel k;
    const std::vector<std::string_view> roles = roles_of(form, v, shape.pair);
    std::vector<Operand> sources;
    for (std::string_view role : roles)
        if (role[0] != 'd' && role != "|p" && role != "lut") sources.push_back(operand_of(form, v, role));
    k.grid.x = sources.size() == 1 ? 4 : sources.size() == 2 ? 6 : 8;
    std::string identity;
    for (const Operand& o : sources)
        identity += std::to_string(int(o.type)) + ":" + std::to_string(int(o.flavour)) + " ";
    const std::vector<std::string> loaded = inputs(k, sources, seed_of(identity));
    const std::string words = mnemonic(form, v);
    std::string text = words + " ";
    size_t source = 0;
    std::vector<std::pair<Type, std::string>> results;
    for (size_t i = 0; i < roles.size(); ++i) {
        const std::string_view role = roles[i];
        if (role == "|p")
            text += "|";
        else if (i > 0)
            text += ", ";
        if (role[0] == 'd' || role == "|p") {
            const Operand d = operand_of(form, v, role);
            // A byte result lies in a wider register, whose other bits are defined too; bf16 takes none wider
            // than b16.
            const bool byte = bytes_of(d.type) == 1 && d.type != Type::pred;
            const Type type = byte ? (v.types.back() == Type::bf16 ? Type::b16 : Type::b32) : d.type;
            results.emplace_back(type, new_register(k, type));
            text += results.back().second;
        } else if (role == "lut") {
            text += shape.immediate;
        } else {
            text += (role == "!c" && shape.negated ? "!" : "") + source_register(k, v, loaded[source++]);
        }
    }
    line(k, text);
    for (const auto& [type, reg] : results) output(k, type, reg);
    std::string name = words;
    if (shape.pair) name += " |p";
    if (shape.negated) name += " !c";
    if (!shape.immediate.empty()) name += " #" + shape.immediate;
    return finish(k, form, name);
}

// fma.oob of every bit pattern with 1 and 1: 0 comes out where the pattern is the NaN of what a tensor copy
// read out of bounds, which the ISA does not spell.
Case every_factor(const ptx::Form& form, const Variant& v) {
    Kernel k;
    k.grid.x = 1024;
    std::vector<uint64_t> patterns(threads(k));
    std::iota(patterns.begin(), patterns.end(), 0);
    const std::string factor = input(k, Type::b16, patterns), one = new_register(k, Type::b16),
                      d = new_register(k, Type::b16);
    line(k, "mov.b16 " + one + ", " + std::to_string(encode(v.types[0], 1)));
    line(k, mnemonic(form, v) + " " + d + ", " + factor + ", " + one + ", " + one);
    output(k, Type::b16, d);
    return finish(k, form, mnemonic(form, v) + " every factor");
}

// The many comparisons of set: neighbouring pairs of types share the combinations between them.
bool worthwhile(const ptx::Form& form, const Variant& v) {
    if (form.op != Op::set) return true;
    uint64_t which = 0;
    for (std::string_view word : v.words) which = which * 31 + seed_of(word) % 97;
    const auto types = static_cast<uint64_t>(v.types[0]) + static_cast<uint64_t>(v.types[1]);
    return (which + types) % 3 == 0;
}

}  // namespace

std::vector<Case> elementwise_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (!served(form)) return cases;
    const bool optional_pair = form.operands.find("|p?") != std::string_view::npos;
    const bool required_pair = !optional_pair && form.operands.find("|p") != std::string_view::npos;
    size_t number = 0;
    for (const Variant& v : variants_of(form, form.op == Op::cvt ? 4096 : 64)) {
        if (!worthwhile(form, v)) continue;
        for (const std::string& immediate : immediates_of(form)) {
            // Every second case of the many comparisons shows the pair, every third a negated predicate.
            const bool boolean = form.operands.find("!c") != std::string_view::npos &&
                (has(v, "and") || has(v, "or") || has(v, "xor"));
            const Shape shape{
                required_pair || (optional_pair && number % 2 == 1), boolean && number % 3 == 1, immediate};
            cases.push_back(elementwise(form, v, shape));
            ++number;
        }
        if (has(v, "oob") && !has(v, "relu") && bytes_of(v.types[0]) == 2)
            cases.push_back(every_factor(form, v));
    }
    return cases;
}

}  // namespace wl::conformance
