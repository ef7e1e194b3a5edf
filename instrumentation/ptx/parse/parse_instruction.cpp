// Instructions and their operands (PTX ISA 9.0, 4.3, 6).
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/parser.h"
#include "instrumentation/ptx/table/names.h"
#include "instrumentation/ptx/table/operand_types.h"
#include "instrumentation/ptx/write.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr int kDeepestVector = 4;
using Kind = Operand::Kind;

Operand constant(Parser& p) {
    const Constant c = parse_expression(p.lexer);
    Operand o;
    o.kind = Kind::immediate;
    o.bits = c.bits;
    o.floating = c.floating;
    o.wide = c.wide;
    return o;
}

// `%r<count>`: the register that a name with a number at its end stands for, in the innermost scope that has
// it.
const Range* find_range(const Parser& p, std::string_view name, size_t scope) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == 0 || digits == name.size() || name.size() - digits > 18) return nullptr;
    if (name[digits] == '0' && name.size() - digits > 1) return nullptr;
    uint64_t number = 0;
    for (char c : name.substr(digits)) number = number * 10 + static_cast<uint64_t>(c - '0');
    const auto range = p.scopes[scope].ranges.find(std::string(name.substr(0, digits)));
    return range != p.scopes[scope].ranges.end() && number < range->second.count ? &range->second : nullptr;
}

int32_t make_register(Parser& p, std::string_view name, Type type) {
    std::string plain(name);
    for (char& c : plain)
        if (c == '.') c = '$';
    p.function.registers.push_back({unique_name(p, plain), type});
    return static_cast<int32_t>(p.function.registers.size()) - 1;
}

Operand of_entry(Parser& p, const Entry& entry, std::string_view name) {
    Operand o;
    o.index = entry.index;
    switch (entry.kind) {
        case Entry::Kind::local:
            o.kind = Kind::symbol;
            o.local = true;
            break;
        case Entry::Kind::param: o.kind = Kind::param; break;
        case Entry::Kind::result: o.kind = Kind::result; break;
        case Entry::Kind::prototype: o.kind = Kind::prototype; break;
        case Entry::Kind::branch_targets: o.kind = Kind::branch_targets; break;
        case Entry::Kind::call_targets: o.kind = Kind::call_targets; break;
        case Entry::Kind::variable: o.kind = Kind::symbol; break;
        case Entry::Kind::function: o.kind = Kind::function; break;
        case Entry::Kind::reg: o.kind = Kind::reg; break;
        case Entry::Kind::vector:
            o.kind = Kind::vector;
            o.index = -1;
            for (int32_t i = 0; i < entry.index; ++i) {
                Operand& lane = o.elements.emplace_back();
                lane.kind = Kind::reg;
                lane.index = use_register(p, std::string(name) + "." + "xyzw"[i]);
            }
            break;
    }
    return o;
}

// %tid and its like as vectors; the fourth element is 0 (PTX ISA 9.0, 10.1).
constexpr std::array<std::string_view, 4> kSpecialVectors = {"%tid", "%ntid", "%ctaid", "%nctaid"};

Operand special_element(std::string_view vector, size_t element) {
    Operand o;
    o.kind = Kind::immediate;
    if (element == 3) return o;
    const auto special = special_from_name(std::string(vector) + "." + "xyz"[element]);
    o.kind = Kind::special;
    o.index = static_cast<int32_t>(special->reg);
    return o;
}

// `%tid`, `%tid.w` or `%tid.r`; of no kind when it is none of them.
Operand special_vector(std::string_view name) {
    constexpr std::string_view kElements = "xyzwrgba";
    Operand o;
    for (const std::string_view vector : kSpecialVectors) {
        if (!name.starts_with(vector)) continue;
        const std::string_view rest = name.substr(vector.size());
        const bool element =
            rest.size() == 2 && rest[0] == '.' && kElements.find(rest[1]) != std::string_view::npos;
        if (element) return special_element(vector, kElements.find(rest[1]) % 4);
        if (!rest.empty()) continue;
        o.kind = Kind::vector;
        for (size_t i = 0; i < 4; ++i) o.elements.push_back(special_element(vector, i));
    }
    return o;
}

Operand named(Parser& p, const Token& where) {
    Operand o;
    const std::string_view name = where.text;
    if (name == "_") {
        o.kind = Kind::sink;
        return o;
    }
    if (const int32_t reg = use_register(p, name); reg >= 0) {
        o.kind = Kind::reg;
        o.index = reg;
        return o;
    }
    if (const Entry* entry = find_local(p, name)) return of_entry(p, Entry(*entry), name);
    p.outer.emplace(name);
    if (Operand vector = special_vector(name); vector.kind != Kind::none) return vector;
    if (const auto special = special_from_name(name)) {
        o.kind = Kind::special;
        o.index = static_cast<int32_t>(special->reg);
        o.offset = special->number;
        return o;
    }
    if (const auto entry = p.names.find(std::string(name)); entry != p.names.end())
        return of_entry(p, entry->second, name);
    fail_at(where, "a name that is declared nowhere");
}

// %r1.b0: the register's name and the selector behind it; colour.r is colour.x.
Operand selected(Parser& p, const Token& where) {
    const size_t dot = where.text.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || find_local(p, where.text)) return named(p, where);
    const std::string_view base = where.text.substr(0, dot), suffix = where.text.substr(dot + 1);
    constexpr std::string_view kColours = "rgba";
    if (suffix.size() == 1 && kColours.find(suffix) != std::string_view::npos) {
        const std::string lane = std::string(base) + "." + "xyzw"[kColours.find(suffix)];
        if (find_local(p, lane)) return named(p, {Token::Kind::word, lane, where.line});
    }
    const uint16_t selector = selector_from_name(suffix);
    const int32_t reg = selector == 0 ? -1 : use_register(p, base);
    if (reg < 0) return named(p, where);
    Operand o;
    o.kind = Kind::reg;
    o.index = reg;
    o.selector = selector;
    return o;
}

bool at_offset(const Parser& p) { return is(p.lexer.token, "+") || is(p.lexer.token, "-"); }

// [base + offset], [base + offset, {x, y}], [offset]
Operand address(Parser& p, int depth) {
    Operand o;
    if (p.lexer.token.kind == Token::Kind::word && p.lexer.token.text != "WARP_SZ") {
        const Token where = p.lexer.token;
        advance(p.lexer);
        const Operand base = selected(p, where);
        const bool fits = base.kind == Kind::reg || base.kind == Kind::symbol || base.kind == Kind::param ||
            base.kind == Kind::result;
        if (!fits || base.selector != 0)
            fail_at(where, "an address starts with a register, a variable or a number");
        o = base;
        o.base_kind = base.kind;
        if (at_offset(p)) o.offset = parse_integer(p.lexer, "an offset");
    } else {
        o.offset = parse_integer(p.lexer, "an address");
    }
    o.kind = Kind::address;
    while (accept(p.lexer, ",")) o.elements.push_back(parse_operand(p, depth + 1));
    expect(p.lexer, "]");
    return o;
}

Operand list(Parser& p, std::string_view close, int depth) {
    Operand o;
    o.kind = Kind::vector;
    while (!is(p.lexer.token, close)) {
        o.elements.push_back(parse_operand(p, depth + 1));
        if (!accept(p.lexer, ",")) break;
    }
    expect(p.lexer, close);
    return o;
}

bool name_follows(const Parser& p) {
    Lexer ahead = p.lexer;
    advance(ahead);
    return ahead.token.kind == Token::Kind::word && ahead.token.text != "WARP_SZ";
}

Operand negated(Parser& p, int depth) {
    const Token sign = p.lexer.token;
    advance(p.lexer);
    Operand o = parse_operand(p, depth + 1);
    if (o.kind != Kind::reg && o.kind != Kind::special) fail_at(sign, "only a register can be negated");
    o.negated = !o.negated;
    return o;
}

Operand label(Parser& p) {
    const uint32_t line = p.lexer.token.line;
    const std::string name(take_word(p.lexer, "a label"));
    p.scopes.back().uses.push_back({name, line, static_cast<int32_t>(p.function.code.size()), -1, -1});
    Operand o;
    o.kind = Kind::label;
    return o;
}

// [(results),] target [, (arguments)] [, prototype or targets]
void parse_call(Parser& p, std::vector<Operand>& operands) {
    Operand none;
    none.kind = Kind::vector;
    operands.push_back(none);
    if (accept(p.lexer, "(")) {
        operands[0] = list(p, ")", 0);
        expect(p.lexer, ",");
    }
    operands.push_back(parse_operand(p));
    operands.push_back(none);
    if (!accept(p.lexer, ",")) return;
    if (accept(p.lexer, "(")) {
        operands[2] = list(p, ")", 0);
        if (!accept(p.lexer, ",")) return;
    }
    operands.push_back(parse_operand(p));
}

void parse_operands(Parser& p, Instruction& instruction) {
    if (is(p.lexer.token, ";")) return;
    do {
        Operand& o = instruction.operands.emplace_back(parse_operand(p));
        if (o.kind == Kind::reg && at_offset(p)) o.offset = parse_integer(p.lexer, "an offset");
        if (is(p.lexer.token, "|")) {
            if (instruction.modifiers.pair || instruction.operands.size() != 1)
                fail_at(p.lexer.token, "a misplaced `|`");
            advance(p.lexer);
            instruction.operands.push_back(parse_operand(p));
            instruction.modifiers.pair = true;
        }
    } while (accept(p.lexer, ","));
}

}  // namespace

int32_t use_register(Parser& p, std::string_view name) {
    const std::string key(name);
    for (size_t i = p.scopes.size(); i-- > 0;) {
        const auto entry = p.scopes[i].names.find(key);
        if (entry != p.scopes[i].names.end()) {
            if (entry->second.kind != Entry::Kind::reg) return -1;
            if (entry->second.index < 0) entry->second.index = make_register(p, name, entry->second.type);
            return entry->second.index;
        }
        if (const Range* range = find_range(p, name, i)) {
            const int32_t reg = make_register(p, name, range->type);
            p.scopes[i].names[key] = {Entry::Kind::reg, reg, range->type};
            return reg;
        }
    }
    return -1;
}

Operand parse_operand(Parser& p, int depth) {
    const Token token = p.lexer.token;
    if (depth > kDeepestVector) fail_at(token, "an operand nested deeper than 4");
    if (accept(p.lexer, "{")) return list(p, "}", depth);
    if (accept(p.lexer, "[")) return address(p, depth);
    if ((is(token, "!") || is(token, "-")) && name_follows(p)) return negated(p, depth);
    if (token.kind != Token::Kind::word || token.text == "WARP_SZ") return constant(p);
    advance(p.lexer);
    Operand o = selected(p, token);
    if (o.kind == Kind::symbol && at_offset(p)) o.offset = parse_integer(p.lexer, "an offset");
    return o;
}

void emit(Parser& p, Instruction&& instruction) {
    instruction.location = current_location(p);
    Writer::of(p.function).push_back(std::move(instruction));
}

void parse_instruction(Parser& p, Guard guard) {
    Instruction instruction;
    instruction.guard = guard;
    instruction.text_line = p.lexer.token.line;
    instruction.mnemonic = std::string(take_word(p.lexer, "an instruction"));
    if (instruction.mnemonic == "ld.const") skip_bank(p);
    while (p.lexer.token.kind == Token::Kind::word && p.lexer.token.text.starts_with('.')) {
        instruction.mnemonic += p.lexer.token.text;
        advance(p.lexer);
    }
    const std::string_view name =
        std::string_view(instruction.mnemonic).substr(0, instruction.mnemonic.find('.'));
    if (name == "bra")
        instruction.operands.push_back(label(p));
    else if (name == "call")
        parse_call(p, instruction.operands);
    else
        parse_operands(p, instruction);
    expect(p.lexer, ";");
    const std::vector<std::string_view> roles = decode(p.decoder, instruction);
    if (!roles.empty())
        if (const std::string what = misfit(instruction, roles, p.function.registers); !what.empty())
            fail(instruction.text_line, what);
    emit(p, std::move(instruction));
}

}  // namespace wl::ptx
