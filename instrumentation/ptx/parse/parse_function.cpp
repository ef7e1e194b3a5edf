// Functions: signatures, directives and where the body goes (PTX ISA 9.0, 11.2, 11.4).
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/parser.h"

#include <algorithm>
#include <array>

namespace wl::ptx {
namespace {

void parse_dimensions(Parser& p, uint32_t (&dimensions)[3]) {
    advance(p.lexer);
    dimensions[0] = dimensions[1] = dimensions[2] = 1;
    for (size_t i = 0;; ++i) {
        const Token where = p.lexer.token;
        const int64_t size = parse_integer(p.lexer, "a number of threads");
        if (i > 2 || size < 0 || size > UINT32_MAX)
            fail_at(where, "up to three numbers of threads stand here");
        dimensions[i] = static_cast<uint32_t>(size);
        if (!accept(p.lexer, ",")) return;
    }
}

// A directive that is only kept: its word and its numbers.
void keep_directive(Parser& p) {
    std::string text(p.lexer.token.text);
    advance(p.lexer);
    while (p.lexer.token.kind == Token::Kind::number || is(p.lexer.token, ",") || is(p.lexer.token, "-")) {
        const bool joined = is(p.lexer.token, ",");
        text += (joined ? "" : " ") + std::string(p.lexer.token.text);
        advance(p.lexer);
    }
    p.function.directives.push_back(std::move(text));
}

// Before PTX ISA 2.3 compilers wrote declarations without a semicolon: the next directive ends them.
bool starts_anew(std::string_view word) {
    constexpr std::array<std::string_view, 14> kWords = {
        ".visible",
        ".extern",
        ".weak",
        ".common",
        ".func",
        ".entry",
        ".file",
        ".section",
        ".global",
        ".const",
        ".shared",
        ".local",
        ".reg",
        ".tex"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

void parse_function_directives(Parser& p) {
    while (p.lexer.token.kind == Token::Kind::word) {
        const std::string_view word = p.lexer.token.text;
        if (!word.starts_with('.')) fail_at(p.lexer.token, "expected a directive, `;` or the body");
        if (word == ".maxntid") {
            parse_dimensions(p, p.function.max_threads);
        } else if (word == ".reqntid") {
            parse_dimensions(p, p.function.required_threads);
        } else if (word == ".noreturn") {
            p.function.noreturn = true;
            advance(p.lexer);
        } else if (word == ".pragma") {
            advance(p.lexer);
            parse_pragma(p, p.function.pragmas);
        } else if (starts_anew(word)) {
            return;
        } else {
            keep_directive(p);
        }
    }
}

// .attribute(.unified(1, 2)) before the name: only kept
void keep_attribute(Parser& p) {
    std::string text;
    int depth = 0;
    Token::Kind last = Token::Kind::punct;
    do {
        const Token::Kind kind = p.lexer.token.kind;
        if (kind == Token::Kind::end) fail_at(p.lexer.token, "an attribute without its `)`");
        if (kind == Token::Kind::string || kind == Token::Kind::mark)
            fail_at(p.lexer.token, "an attribute holds words and numbers");
        if (kind != Token::Kind::punct && last != Token::Kind::punct) text += ' ';
        last = kind;
        depth += is(p.lexer.token, "(") ? 1 : is(p.lexer.token, ")") ? -1 : 0;
        text += p.lexer.token.text;
        advance(p.lexer);
    } while (depth > 0 || is(p.lexer.token, "("));
    p.function.attributes.push_back(std::move(text));
}

void declare_parameters(Parser& p, const std::vector<Variable>& parameters, Entry::Kind kind) {
    for (size_t i = 0; i < parameters.size(); ++i) {
        const Variable& v = parameters[i];
        if (v.name == "_") continue;
        if (!p.taken.insert(v.name).second) fail_at(p.lexer.token, "two parameters of the name " + v.name);
        Entry entry{kind, static_cast<int32_t>(i), v.type};
        if (v.is_register) {  // a register of the body, of the same name
            entry = {Entry::Kind::reg, static_cast<int32_t>(p.function.registers.size()), v.type};
            p.function.registers.push_back({v.name, v.type});
        }
        p.scopes.front().names[v.name] = entry;
    }
}

int32_t place_of(Parser& p, const Token& name) {
    const auto next = static_cast<int32_t>(p.module.functions.size());
    const auto [entry, is_new] =
        p.names.try_emplace(std::string(name.text), Entry{Entry::Kind::function, next, Type::none});
    if (entry->second.kind != Entry::Kind::function) fail_at(name, "this name is a variable's");
    if (is_new) {
        Function& declared = p.module.functions.emplace_back();
        declared.name = std::string(name.text);
        declared.is_declaration = true;
    }
    return entry->second.index;
}

// A name of the function's own that is the module's elsewhere in the body (before its declaration, outside
// its scope) gives way: printed, declarations stand first.
void part_from_outer(Parser& p) {
    const auto part = [&p](std::string& name) {
        if (p.outer.count(name) != 0) name = unique_name(p, name);
    };
    for (Register& r : p.function.registers) part(r.name);
    for (Variable& v : p.function.variables) part(v.name);
    for (Variable& v : p.function.params) part(v.name);
    for (Prototype& prototype : p.function.prototypes) part(prototype.name);
}

// The header of the definition rules; a later declaration changes nothing.
void finish_declaration(Parser& p, int32_t index) {
    accept(p.lexer, ";");
    p.function.is_declaration = true;
    Function& known = p.module.functions[index];
    if (known.is_declaration && known.alias_of < 0) known = std::move(p.function);
}

}  // namespace

std::string unique_name(Parser& p, std::string_view name) {
    std::string unique(name);
    while (!p.taken.insert(unique).second || p.outer.count(unique) != 0)
        unique = std::string(name) + "$" + std::to_string(++p.suffixes[std::string(name)]);
    return unique;
}

void parse_function(Parser& p, const std::string& linkage) {
    if (p.module.version.empty() || p.module.target.empty())
        fail_at(p.lexer.token, "expected .version and .target before the first function");
    p.function = {};
    p.taken.clear();
    p.outer.clear();
    p.suffixes.clear();
    p.line_mark = -1;
    p.function.linkage = linkage;
    p.function.is_entry = p.lexer.token.text == ".entry";
    advance(p.lexer);
    while (is_word(p.lexer.token, ".attribute")) keep_attribute(p);
    if (is(p.lexer.token, "(")) p.function.results = parse_parameters(p);
    const Token name = p.lexer.token;
    p.function.name = std::string(take_word(p.lexer, "the function's name"));
    const int32_t index = place_of(p, name);
    if (is(p.lexer.token, "(")) p.function.params = parse_parameters(p);
    parse_function_directives(p);
    const bool bare = p.lexer.token.kind == Token::Kind::word && !p.function.is_entry;
    if (is(p.lexer.token, ";") || bare) return finish_declaration(p, index);
    if (!p.module.functions[index].is_declaration || p.module.functions[index].alias_of >= 0)
        fail_at(name, "this function is defined twice");
    p.scopes.push_back(p.registers);
    p.scopes.front().line = p.lexer.token.line;
    declare_parameters(p, p.function.results, Entry::Kind::result);
    declare_parameters(p, p.function.params, Entry::Kind::param);
    parse_body(p);
    part_from_outer(p);
    p.module.functions[index] = std::move(p.function);
}

}  // namespace wl::ptx
