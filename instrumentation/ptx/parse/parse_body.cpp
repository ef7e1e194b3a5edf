// Function bodies: scopes, declarations, labels and target lists (PTX ISA 9.0, 4.2, 11.3).
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/parser.h"
#include "instrumentation/ptx/write.h"

namespace wl::ptx {
namespace {

constexpr size_t kDeepestScope = 100;

void add_name(Parser& p, const Token& where, std::string_view name, Entry entry) {
    Scope& scope = p.scopes.back();
    const std::string key(name);
    if (scope.names.count(key) != 0 || scope.ranges.count(key) != 0)
        fail_at(where, "the name " + key + " is declared twice in one scope");
    scope.names.emplace(key, entry);
}

Type take_type(Parser& p) {
    const Token where = p.lexer.token;
    const std::string_view word = take_word(p.lexer, "a type");
    const Type type = word.starts_with('.') ? type_from_name(word.substr(1)) : Type::none;
    if (type == Type::none) fail_at(where, "expected a type");
    return type;
}

void add_vector(Parser& p, const Token& where, std::string_view name, Entry vector) {
    add_name(p, where, name, vector);
    for (int32_t i = 0; i < vector.index; ++i)
        add_name(p, where, std::string(name) + "." + "xyzw" [i], { Entry::Kind::reg, -1, vector.type });
}

// Behind `name<`. Scalars are made at their first use; vectors, which nobody declares by the thousand, here.
void declare_range(Parser& p, const Token& name, int32_t lanes, Type type) {
    constexpr uint64_t kMostVectors = 4096;
    const Constant count = parse_number(p.lexer.token);
    advance(p.lexer);
    expect(p.lexer, ">");
    if (count.floating) fail_at(name, "a count of registers that is no integer");
    if (lanes == 1) {
        if (!p.scopes.back().ranges.try_emplace(std::string(name.text), Range{count.bits, type}).second)
            fail_at(name, "these registers are declared twice in one scope");
        return;
    }
    if (count.bits > kMostVectors) fail_at(name, "more than 4096 vectors of registers");
    for (uint64_t i = 0; i < count.bits; ++i)
        add_vector(p, name, std::string(name.text) + std::to_string(i), {Entry::Kind::vector, lanes, type});
}

void parse_local_variables(Parser& p, const std::string& linkage) {
    const Token where = p.lexer.token;
    for (Variable& v : parse_variables(p, linkage)) {
        add_name(
            p, where, v.name, {Entry::Kind::local, static_cast<int32_t>(p.function.variables.size()), v.type}
        );
        v.name = unique_name(p, v.name);
        p.function.variables.push_back(std::move(v));
    }
}

void parse_inner_parameters(Parser& p) {
    const Token where = p.lexer.token;
    for (Variable& v : parse_variables(p, "")) {
        const auto index = static_cast<int32_t>(p.function.params.size());
        add_name(p, where, v.name, {Entry::Kind::param, index, v.type});
        v.name = unique_name(p, v.name);
        p.function.params.push_back(std::move(v));
    }
}

void define_label(Parser& p, const Token& name) {
    const auto place = static_cast<int32_t>(p.function.code.size());
    if (!p.scopes.back().labels.try_emplace(std::string(name.text), place).second)
        fail_at(name, "this label is defined twice in one scope");
    p.function.labels[unique_name(p, name.text)] = place;
}

void parse_branch_targets(Parser& p, const Token& name) {
    const auto list = static_cast<int32_t>(p.function.branch_targets.size());
    std::vector<int32_t>& targets = p.function.branch_targets.emplace_back();
    do {
        const uint32_t line = p.lexer.token.line;
        const std::string label(take_word(p.lexer, "a label"));
        p.scopes.back().uses.push_back({label, line, -1, list, static_cast<int32_t>(targets.size())});
        targets.push_back(-1);
    } while (accept(p.lexer, ","));
    add_name(p, name, name.text, {Entry::Kind::branch_targets, list, Type::none});
}

void parse_call_targets(Parser& p, const Token& name) {
    const auto list = static_cast<int32_t>(p.function.call_targets.size());
    std::vector<int32_t>& targets = p.function.call_targets.emplace_back();
    do {
        const Token where = p.lexer.token;
        const auto entry = p.names.find(std::string(take_word(p.lexer, "a function")));
        if (entry == p.names.end() || entry->second.kind != Entry::Kind::function)
            fail_at(where, "no function declared so far");
        targets.push_back(entry->second.index);
    } while (accept(p.lexer, ","));
    add_name(p, name, name.text, {Entry::Kind::call_targets, list, Type::none});
}

// (.param .b32 _) _ (.param .b64 _, .param .b32 _) [.noreturn]
void parse_prototype(Parser& p, const Token& name) {
    Prototype prototype;
    prototype.name = unique_name(p, name.text);
    if (is(p.lexer.token, "(")) prototype.results = parse_parameters(p);
    take_word(p.lexer, "`_`");
    if (is(p.lexer.token, "(")) prototype.params = parse_parameters(p);
    while (p.lexer.token.kind == Token::Kind::word) {
        prototype.noreturn = prototype.noreturn || p.lexer.token.text == ".noreturn";
        advance(p.lexer);
        if (p.lexer.token.kind == Token::Kind::number) advance(p.lexer);
    }
    add_name(
        p,
        name,
        name.text,
        {Entry::Kind::prototype, static_cast<int32_t>(p.function.prototypes.size()), Type::none}
    );
    p.function.prototypes.push_back(std::move(prototype));
}

// Behind `name:`; what follows decides what the name stands for.
void parse_label(Parser& p, const Token& name) {
    advance(p.lexer);
    const Token word = p.lexer.token;
    const bool listed =
        is_word(word, ".branchtargets") || is_word(word, ".calltargets") || is_word(word, ".callprototype");
    if (!listed) return define_label(p, name);
    advance(p.lexer);
    if (word.text == ".branchtargets")
        parse_branch_targets(p, name);
    else if (word.text == ".calltargets")
        parse_call_targets(p, name);
    else
        parse_prototype(p, name);
    expect(p.lexer, ";");
}

void parse_directive_in_body(Parser& p) {
    const std::string_view word = p.lexer.token.text;
    if (word == ".reg") return parse_registers(p, true);
    if (word == ".loc") return parse_location(p);
    if (word == ".file") return parse_file(p);
    if (word == ".extern") {
        advance(p.lexer);
        if (!is_word(p.lexer.token, ".shared"))
            fail_at(p.lexer.token, "expected .shared after .extern in a body");
        return parse_local_variables(p, ".extern");
    }
    constexpr int kParameterLists = 14;  // PTX 1.4 brought them; an entry declared its parameters inside
    if (word == ".param" && p.function.is_entry && p.decoder.dialect.version < kParameterLists)
        return parse_inner_parameters(p);
    if (is_space(word) || word == ".param") return parse_local_variables(p, "");
    if (word != ".pragma") fail_at(p.lexer.token, "no directive of a function body");
    advance(p.lexer);
    parse_pragma(p, p.function.pragmas);
}

Guard parse_guard(Parser& p) {
    advance(p.lexer);
    Guard guard;
    guard.negated = accept(p.lexer, "!");
    const Token where = p.lexer.token;
    guard.reg = use_register(p, take_word(p.lexer, "a predicate"));
    if (guard.reg < 0) fail_at(where, "no predicate register of this name");
    if (p.function.registers[guard.reg].type != Type::pred)
        fail_at(where, "a guard that is no .pred register");
    return guard;
}

void settle(Parser& p, const LabelUse& use, int32_t place) {
    if (use.list >= 0)
        p.function.branch_targets[use.list][use.position] = place;
    else
        Writer::of(p.function)[use.instruction].operands[0].index = place;
}

// Labels of this scope meet their uses; what stays open may be a label of the scope around.
void close_scope(Parser& p) {
    Scope scope = std::move(p.scopes.back());
    p.scopes.pop_back();
    for (LabelUse& use : scope.uses) {
        const auto label = scope.labels.find(use.name);
        if (label != scope.labels.end())
            settle(p, use, label->second);
        else if (p.scopes.empty())
            fail(use.line, "no label `" + use.name + "` in this function");
        else
            p.scopes.back().uses.push_back(std::move(use));
    }
}

void parse_statement(Parser& p) {
    const Token token = p.lexer.token;
    if (token.kind == Token::Kind::mark) return parse_mark(p);
    if (accept(p.lexer, ";")) return;
    if (is(token, "@")) return parse_instruction(p, parse_guard(p));
    if (token.kind != Token::Kind::word) fail_at(token, "expected a statement");
    if (token.text.starts_with('.')) return parse_directive_in_body(p);
    if (peek(p.lexer) != ':') return parse_instruction(p, {});
    advance(p.lexer);
    if (!is(p.lexer.token, ":")) fail_at(p.lexer.token, "expected `:`");
    parse_label(p, token);
}

}  // namespace

// .reg .b32 %r<12>, t;   .reg .v4 .f32 colour;
void parse_registers(Parser& p, bool in_body) {
    advance(p.lexer);
    int32_t lanes = 1;
    if (is_word(p.lexer.token, ".v2") || is_word(p.lexer.token, ".v4")) {
        lanes = p.lexer.token.text[2] - '0';
        advance(p.lexer);
    }
    const Type type = take_type(p);
    do {
        const Token where = p.lexer.token;
        const std::string_view name = take_word(p.lexer, "a register's name");
        if (accept(p.lexer, "<")) {
            declare_range(p, where, lanes, type);
        } else if (lanes > 1) {
            add_vector(p, where, name, {Entry::Kind::vector, lanes, type});
        } else {
            add_name(p, where, name, {Entry::Kind::reg, -1, type});
            if (in_body) use_register(p, name);
        }
    } while (accept(p.lexer, ","));
    expect(p.lexer, ";");
}

const Entry* find_local(const Parser& p, std::string_view name) {
    const std::string key(name);
    for (size_t i = p.scopes.size(); i-- > 0;)
        if (const auto entry = p.scopes[i].names.find(key); entry != p.scopes[i].names.end())
            return &entry->second;
    return nullptr;
}

void parse_body(Parser& p) {
    const size_t outside = p.scopes.size() - 1;
    expect(p.lexer, "{");
    for (;;) {
        if (p.lexer.token.kind == Token::Kind::end) fail(p.scopes.back().line, "this `{` has no closing `}`");
        if (is(p.lexer.token, "{")) {
            if (p.scopes.size() == kDeepestScope) fail_at(p.lexer.token, "blocks nested deeper than 100");
            p.scopes.emplace_back();
            p.scopes.back().line = p.lexer.token.line;
            advance(p.lexer);
        } else if (accept(p.lexer, "}")) {
            close_scope(p);
            if (p.scopes.size() == outside) return;
        } else {
            parse_statement(p);
        }
    }
}

}  // namespace wl::ptx
