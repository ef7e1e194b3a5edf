// Variables and parameters: types, alignment, extents and initialisers (PTX ISA 9.0, 5.4).
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/parser.h"

#include <algorithm>
#include <bit>

namespace wl::ptx {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 40;  // bytes of one variable: beyond any GPU's memory
constexpr int kDeepestBraces = 16;

struct Declarator {
    Space space = Space::none;
    Type type = Type::none;
    uint32_t align = 0;  // 0: the type's own
    uint32_t lanes = 1;  // .v2, .v4
    bool managed = false;
    bool is_register = false;
};

Space space_of(std::string_view word) {
    if (word == ".global" || word == ".tex") return Space::global;
    if (word == ".shared") return Space::shared;
    if (word == ".const") return Space::constant;
    if (word == ".local") return Space::local;
    if (word == ".param" || word == ".reg") return Space::param;
    return Space::none;
}

uint32_t parse_align(Parser& p) {
    advance(p.lexer);
    const Token where = p.lexer.token;
    const int64_t align = parse_integer(p.lexer, "an alignment");
    if (align < 1 || align > (1 << 20) || !std::has_single_bit(static_cast<uint64_t>(align)))
        fail_at(where, "an alignment that is no power of two");
    return static_cast<uint32_t>(align);
}

// .attribute(.managed) or .attribute(.unified(1, 2))
bool parse_attribute(Parser& p) {
    advance(p.lexer);
    bool managed = false;
    expect(p.lexer, "(");
    for (int depth = 1; depth > 0; advance(p.lexer)) {
        if (p.lexer.token.kind == Token::Kind::end) fail_at(p.lexer.token, "an attribute without its `)`");
        managed = managed || is_word(p.lexer.token, ".managed");
        depth += is(p.lexer.token, "(") ? 1 : is(p.lexer.token, ")") ? -1 : 0;
    }
    return managed;
}

// Whatever stands between the space and the name, in any order.
Declarator parse_declarator(Parser& p) {
    Declarator d;
    d.space = space_of(p.lexer.token.text);
    d.is_register = p.lexer.token.text == ".reg";
    advance(p.lexer);
    if (d.space == Space::constant) skip_bank(p);
    while (p.lexer.token.kind == Token::Kind::word && p.lexer.token.text.starts_with('.')) {
        const std::string_view word = p.lexer.token.text;
        if (word == ".align") {
            d.align = parse_align(p);
        } else if (word == ".attribute") {
            d.managed = parse_attribute(p) || d.managed;
        } else if (word == ".v2" || word == ".v4" || word == ".v8") {
            d.lanes = static_cast<uint32_t>(word[2] - '0');
            advance(p.lexer);
        } else if (word == ".ptr") {  // .ptr[.space][.align n] tells what a pointer points to
            advance(p.lexer);
            if (p.lexer.token.kind == Token::Kind::word && space_of(p.lexer.token.text) != Space::none)
                advance(p.lexer);
            if (is_word(p.lexer.token, ".align")) parse_align(p);
        } else {
            d.type = type_from_name(word.substr(1));
            if (d.type == Type::none) fail_at(p.lexer.token, "no type");
            advance(p.lexer);
        }
    }
    if (d.type == Type::none) fail_at(p.lexer.token, "a declaration without a type");
    return d;
}

// Bytes of one variable, with room above what GPUs have: shared 228 KiB a block, constants 64 KiB, local 512
// KiB a thread, parameters 32,764 bytes (CUDA C++ Programming Guide 13.0, 20.2; PTX ISA 9.0, 5.1.6).
uint64_t largest(Space space) {
    if (space == Space::shared || space == Space::constant) return uint64_t{1} << 20;
    if (space == Space::local) return uint64_t{1} << 22;
    return space == Space::param ? uint64_t{1} << 16 : kLargest;
}

uint64_t times(uint64_t a, uint64_t b, const Token& where) {
    if (b != 0 && a > kLargest / b) fail_at(where, "a variable of more than 2^40 bytes");
    return a * b;
}

struct Extents {
    std::vector<uint64_t> sizes;  // 0: []
};

Extents parse_extents(Parser& p) {
    Extents extents;
    while (is(p.lexer.token, "[")) {
        const Token where = p.lexer.token;
        if (extents.sizes.size() == kDeepestBraces) fail_at(where, "more than 16 dimensions");
        advance(p.lexer);
        const int64_t size = is(p.lexer.token, "]") ? 0 : parse_integer(p.lexer, "an extent");
        if (size < 0) fail_at(where, "a negative extent");
        extents.sizes.push_back(static_cast<uint64_t>(size));
        expect(p.lexer, "]");
    }
    return extents;
}

// Where the next element of an initialiser goes.
struct Filler {
    Variable& variable;
    uint32_t element;  // bytes
    std::vector<AddressUse>& uses;
    uint64_t at = 0, end = 0;  // bytes
};

uint64_t end_of_last(const Filler& f) {
    if (f.variable.init.empty()) return 0;
    const Initialiser& last = f.variable.init.back();
    return last.offset + (last.bytes.empty() ? uint64_t{f.element} : last.bytes.size());
}

// The run of bytes that ends at `at`, new if an address or nothing stands there.
std::vector<std::byte>& run_at(Filler& f, uint64_t at) {
    std::vector<Initialiser>& init = f.variable.init;
    if (init.empty() || init.back().bytes.empty() || end_of_last(f) != at)
        init.emplace_back().offset = static_cast<uint32_t>(at);
    return init.back().bytes;
}

// What braces leave open is zero: spelt out where it is short, so that it reads the same when printed flat.
void fill_gap(Filler& f) {
    constexpr uint64_t kShort = 64;
    const uint64_t begin = end_of_last(f);
    if (begin >= f.at || f.at - begin > kShort) return;
    std::vector<std::byte>& run = run_at(f, begin);
    run.resize(run.size() + (f.at - begin));
}

void put_bytes(Filler& f, uint64_t bits) {
    fill_gap(f);
    std::vector<std::byte>& run = run_at(f, f.at);
    for (uint32_t i = 0; i < f.element; ++i)
        run.push_back(i < 8 ? static_cast<std::byte>(bits >> (8 * i)) : std::byte{0});
}

void take_mask(Parser& p, Initialiser& init, const Token& where) {
    const Constant mask = parse_number(p.lexer.token);
    advance(p.lexer);
    if (mask.floating || mask.bits == 0) fail_at(where, "a mask that is no byte of an address");
    const auto low = static_cast<uint8_t>(std::countr_zero(mask.bits));
    if (low % 8 != 0 || mask.bits >> low != 0xff) fail_at(where, "a mask that is no byte of an address");
    init.shift = low;
    init.width = 1;
}

// sym, sym+8, generic(sym)+8, 0xff00(sym)
void put_address(Parser& p, Filler& f) {
    fill_gap(f);
    const Token where = p.lexer.token;
    Initialiser init;
    init.offset = static_cast<uint32_t>(f.at);
    init.width = static_cast<uint8_t>(std::min<uint32_t>(f.element, 8));
    const bool masked = where.kind == Token::Kind::number;
    if (masked && f.element != 1) fail_at(where, "a byte of an address in a variable of wider elements");
    if (masked) take_mask(p, init, where);
    init.generic = !masked && where.text == "generic" && peek(p.lexer) == '(';
    if (init.generic) advance(p.lexer);
    const bool wrapped = masked || init.generic;
    if (wrapped) expect(p.lexer, "(");
    const bool inner_generic = masked && is_word(p.lexer.token, "generic") && peek(p.lexer) == '(';
    if (inner_generic) {
        init.generic = true;
        advance(p.lexer);
        expect(p.lexer, "(");
    }
    const std::string name(take_word(p.lexer, "a variable or function"));
    for (int closing = wrapped + inner_generic; closing >= 0; --closing) {
        if (is(p.lexer.token, "+") || is(p.lexer.token, "-"))
            init.addend = static_cast<int64_t>(
                static_cast<uint64_t>(init.addend) +
                static_cast<uint64_t>(parse_integer(p.lexer, "an offset"))
            );
        if (closing > 0) expect(p.lexer, ")");
    }
    f.uses.push_back({-1, static_cast<int32_t>(f.variable.init.size()), name, where.line});
    f.variable.init.push_back(std::move(init));
}

void put_element(Parser& p, Filler& f) {
    if (f.at > UINT32_MAX) fail_at(p.lexer.token, "an initialiser beyond 4 GiB");
    if (f.end != 0 && f.at + f.element > f.end)
        fail_at(p.lexer.token, "more initial values than the variable holds");
    const bool symbol = p.lexer.token.kind == Token::Kind::word && p.lexer.token.text != "WARP_SZ";
    const bool masked = p.lexer.token.kind == Token::Kind::number && peek(p.lexer) == '(';
    if (symbol || masked) {
        put_address(p, f);
    } else {
        Operand value;
        const Constant c = parse_expression(p.lexer);
        value.bits = c.bits;
        value.floating = c.floating;
        value.wide = c.wide;
        put_bytes(f, value_of(value, f.variable.type));
    }
    f.at += f.element;
}

// Braces of a dimension: what they leave open is zero, so the cursor moves to the dimension's end.
void put_braces(Parser& p, Filler& f, const Extents& extents, size_t depth) {
    expect(p.lexer, "{");
    if (depth >= kDeepestBraces) fail_at(p.lexer.token, "braces nested deeper than 16");
    uint64_t inner = f.element;
    for (size_t i = depth + 1; i < extents.sizes.size(); ++i)
        inner = times(inner, extents.sizes[i], p.lexer.token);
    while (!is(p.lexer.token, "}")) {
        if (is(p.lexer.token, "{")) {
            const uint64_t begin = f.at;
            put_braces(p, f, extents, depth + 1);
            if (depth + 1 < extents.sizes.size()) f.at = std::max(f.at, begin + inner);
            if (f.at > kLargest) fail_at(p.lexer.token, "more initial values than the variable holds");
        } else {
            put_element(p, f);
        }
        if (!accept(p.lexer, ",")) break;
    }
    expect(p.lexer, "}");
}

void skip_braces(Parser& p) {  // a sampler's settings: { addr_mode_0 = wrap, ... }
    while (!is(p.lexer.token, "}")) {
        if (p.lexer.token.kind == Token::Kind::end) fail_at(p.lexer.token, "an initialiser without its `}`");
        advance(p.lexer);
    }
    advance(p.lexer);
}

void parse_initialiser(
    Parser& p, Variable& v, const Declarator& d, const Extents& extents, std::vector<AddressUse>& uses
) {
    const bool opaque = v.type == Type::texref || v.type == Type::samplerref || v.type == Type::surfref;
    if (opaque && is(p.lexer.token, "{")) return skip_braces(p);
    Filler f{v, bytes_of(v.type), uses, 0, v.bytes};
    if (is(p.lexer.token, "{"))
        put_braces(p, f, extents, 0);
    else
        put_element(p, f);
    if (v.bytes == 0) {  // name[] = {...}
        uint64_t row = times(f.element, d.lanes, p.lexer.token);
        for (size_t i = 1; i < extents.sizes.size(); ++i) row = times(row, extents.sizes[i], p.lexer.token);
        v.bytes = row == 0 ? f.at : (f.at + row - 1) / row * row;
    }
}

Variable parse_one(Parser& p, const Declarator& d, std::vector<AddressUse>& uses) {
    Variable v;
    v.space = d.space;
    v.type = d.type;
    v.is_managed = d.managed;
    v.is_register = d.is_register;
    const Token where = p.lexer.token;
    v.name = std::string(take_word(p.lexer, "a name"));
    const Extents extents = parse_extents(p);
    v.bytes = times(bytes_of(d.type), d.lanes, where);
    v.align = d.align != 0 ? d.align : static_cast<uint32_t>(v.bytes);
    for (uint64_t size : extents.sizes) v.bytes = times(v.bytes, size, where);
    if (accept(p.lexer, "=")) parse_initialiser(p, v, d, extents, uses);
    if (v.bytes > largest(v.space))
        fail_at(where, "a variable of " + std::to_string(v.bytes) + " bytes, more than this memory has");
    return v;
}

// The module knows the name from here on. A definition takes the place of an earlier .extern declaration;
// false when a definition is there already and this is only its declaration.
bool declare(Parser& p, const Variable& v, uint32_t line) {
    const auto [entry, is_new] = p.names.try_emplace(
        v.name, Entry{Entry::Kind::variable, static_cast<int32_t>(p.module.variables.size()), v.type}
    );
    if (is_new) {
        p.module.variables.emplace_back().is_extern = v.is_extern;
        return true;
    }
    if (entry->second.kind != Entry::Kind::variable) fail(line, "the name " + v.name + " is a function's");
    const bool defined = !p.module.variables[entry->second.index].is_extern;
    if (defined && !v.is_extern) fail(line, "the variable " + v.name + " is defined twice");
    return !defined;
}

void add_to_module(Parser& p, Variable&& v, std::vector<AddressUse>& uses, uint32_t line) {
    if (!declare(p, v, line)) return;
    const int32_t index = p.names.at(v.name).index;
    for (AddressUse& use : uses) {
        use.variable = index;
        p.address_uses.push_back(std::move(use));
    }
    p.module.variables[index] = std::move(v);
}

}  // namespace

bool is_space(std::string_view word) {
    return word == ".global" || word == ".shared" || word == ".const" || word == ".local" || word == ".tex";
}

void skip_bank(Parser& p) {
    if (!accept(p.lexer, "[")) return;
    parse_integer(p.lexer, "a constant bank");
    expect(p.lexer, "]");
}

std::vector<Variable> parse_variables(Parser& p, const std::string& linkage) {
    const Declarator d = parse_declarator(p);
    std::vector<Variable> variables;
    do {
        const uint32_t line = p.lexer.token.line;
        std::vector<AddressUse> uses;
        Variable v = parse_one(p, d, uses);
        v.linkage = linkage;
        v.is_extern = linkage == ".extern";
        if (p.scopes.empty() || d.space == Space::global || d.space == Space::constant) {
            add_to_module(p, std::move(v), uses, line);
        } else {
            if (!v.init.empty()) fail(line, "a variable of a function with initial values");
            variables.push_back(std::move(v));
        }
    } while (accept(p.lexer, ","));
    expect(p.lexer, ";");
    return variables;
}

std::vector<Variable> parse_parameters(Parser& p) {
    std::vector<Variable> parameters;
    expect(p.lexer, "(");
    while (!is(p.lexer.token, ")")) {
        if (!is_word(p.lexer.token, ".param") && !is_word(p.lexer.token, ".reg"))
            fail_at(p.lexer.token, "expected .param or .reg");
        const Declarator d = parse_declarator(p);
        std::vector<AddressUse> uses;
        parameters.push_back(parse_one(p, d, uses));
        if (!parameters.back().init.empty()) fail_at(p.lexer.token, "a parameter with initial values");
        if (!accept(p.lexer, ",")) break;
    }
    expect(p.lexer, ")");
    return parameters;
}

void resolve_addresses(Parser& p) {
    for (const AddressUse& use : p.address_uses) {
        const auto entry = p.names.find(use.name);
        if (entry == p.names.end())
            fail(use.line, "the initial value `" + use.name + "` is the name of nothing");
        Initialiser& init = p.module.variables[use.variable].init[use.initialiser];
        init.address_of = entry->second.index;
        init.is_function = entry->second.kind == Entry::Kind::function;
    }
}

}  // namespace wl::ptx
