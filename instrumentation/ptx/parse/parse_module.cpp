// Module scope: headers, files, sections, variables and functions (PTX ISA 9.0, 11.1, 11.5, 11.6).
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/parser.h"

#include <algorithm>

namespace wl::ptx {
namespace {

void parse_target(Parser& p) {
    const Token where = p.lexer.token;
    const std::string_view target = take_word(p.lexer, "a target such as sm_90");
    if (!p.module.target.empty() && p.module.target != target) fail_at(where, "a second, different .target");
    p.module.target = std::string(target);
    p.decoder.dialect = dialect_of(p.module.version, p.module.target);
    while (accept(p.lexer, ","))
        p.module.target_options.emplace_back(take_word(p.lexer, "a target option such as debug"));
}

void parse_version(Parser& p) {
    if (p.lexer.token.kind != Token::Kind::number) fail_at(p.lexer.token, "expected a version such as 9.0");
    if (!p.module.version.empty()) fail_at(p.lexer.token, "a second .version");
    p.module.version = std::string(p.lexer.token.text);
    p.decoder.dialect = dialect_of(p.module.version, p.module.target);
    advance(p.lexer);
}

void parse_address_size(Parser& p) {
    const Token where = p.lexer.token;
    const int64_t bits = parse_integer(p.lexer, "the address size");
    if (bits != 32 && bits != 64) fail_at(where, "an address size that is neither 32 nor 64");
    p.module.address_size = static_cast<int>(bits);
}

void parse_alias(Parser& p) {
    const Token where = p.lexer.token;
    const std::string name(take_word(p.lexer, "the alias"));
    expect(p.lexer, ",");
    const std::string aliasee(take_word(p.lexer, "the function that it stands for"));
    accept(p.lexer, ";");
    const auto alias = p.names.find(name), target = p.names.find(aliasee);
    if (alias == p.names.end() || alias->second.kind != Entry::Kind::function || target == p.names.end() ||
        target->second.kind != Entry::Kind::function)
        fail_at(where, "an .alias needs two functions declared before it");
    const Function& standing = p.module.functions[alias->second.index];
    const auto own = alias->second.index;
    const bool stood_for =
        std::any_of(p.module.functions.begin(), p.module.functions.end(), [own](const Function& f) {
            return f.alias_of == own;
        });
    if (standing.is_entry || !standing.is_declaration || standing.alias_of >= 0 || stood_for ||
        alias->second.index == target->second.index || p.module.functions[target->second.index].alias_of >= 0)
        fail_at(where, "an .alias is a function declared without a body, of one that is no alias itself");
    p.module.functions[alias->second.index].alias_of = target->second.index;
}

void parse_module_registers(Parser& p) {
    p.scopes.push_back(std::move(p.registers));
    parse_registers(p, false);
    p.registers = std::move(p.scopes.back());
    p.scopes.pop_back();
}

void parse_directive(Parser& p) {
    const Token word = p.lexer.token;
    std::string linkage;
    if (word.text == ".visible" || word.text == ".extern" || word.text == ".weak" || word.text == ".common") {
        linkage = std::string(word.text);
        advance(p.lexer);
    }
    const std::string_view next = p.lexer.token.kind == Token::Kind::word ? p.lexer.token.text : "";
    if (next == ".func" || next == ".entry") return parse_function(p, linkage);
    if (is_space(next)) {
        parse_variables(p, linkage);
        return;
    }
    if (!linkage.empty()) fail_at(p.lexer.token, "expected a function or a state space after " + linkage);
    if (word.text == ".reg") return parse_module_registers(p);
    if (word.text == ".section") return parse_section(p);
    if (word.text == ".file") return parse_file(p);
    advance(p.lexer);
    if (word.text == ".version")
        parse_version(p);
    else if (word.text == ".target")
        parse_target(p);
    else if (word.text == ".address_size")
        parse_address_size(p);
    else if (word.text == ".alias")
        parse_alias(p);
    else if (word.text == ".pragma")
        parse_pragma(p, p.module.pragmas);
    else
        fail_at(word, "no directive of a module");
}

}  // namespace

void parse_pragma(Parser& p, std::vector<std::string>& pragmas) {
    do {
        if (p.lexer.token.kind != Token::Kind::string)
            fail_at(p.lexer.token, "expected a string after .pragma");
        pragmas.push_back(unescape(p.lexer.token));
        advance(p.lexer);
    } while (accept(p.lexer, ","));
    expect(p.lexer, ";");
}

// .file 1 "path"[, timestamp, size]
void parse_file(Parser& p) {
    advance(p.lexer);
    const Token where = p.lexer.token;
    const int64_t number = parse_integer(p.lexer, "the file's number");
    if (number < 0 || number > INT32_MAX) fail_at(where, "a file number out of range");
    if (p.lexer.token.kind != Token::Kind::string) fail_at(p.lexer.token, "expected the file's path");
    const auto [at, is_new] =
        p.lines.files.try_emplace(static_cast<int>(number), static_cast<int32_t>(p.module.files.size()));
    if (is_new)
        p.module.files.push_back(unescape(p.lexer.token));
    else
        p.module.files[at->second] = unescape(p.lexer.token);
    advance(p.lexer);
    while (accept(p.lexer, ",")) parse_integer(p.lexer, "the file's time or size");
}

void parse_section(Parser& p) {
    advance(p.lexer);
    const std::string name(take_word(p.lexer, "the section's name"));
    std::string& text = p.module.sections[name];
    const std::string_view more = take_raw_block(p.lexer);
    if (!text.empty() && !more.empty()) text += '\n';
    text += more;
}

Module parse(std::string_view text) {
    Parser p;
    p.module.text = std::string(text);
    p.lexer = start(p.module.text);
    while (p.lexer.token.kind != Token::Kind::end) {
        if (p.lexer.token.kind == Token::Kind::mark || is(p.lexer.token, ";"))
            advance(p.lexer);
        else if (p.lexer.token.kind == Token::Kind::word)
            parse_directive(p);
        else
            fail_at(p.lexer.token, "expected a directive");
    }
    if (p.module.version.empty() || p.module.target.empty())
        throw Error("This is no PTX module: it has no .version or no .target.");
    resolve_addresses(p);
    finish_locations(p);
    return std::move(p.module);
}

const Function* find_entry(const Module& module, std::string_view name) {
    const Function* found = nullptr;
    for (const Function& f : module.functions) {
        if (!f.is_entry || f.is_declaration) continue;
        if (!name.empty() && f.name == name) return &f;
        if (name.empty() && found) return nullptr;
        if (name.empty()) found = &f;
    }
    return found;
}

const Function& entry_of(const Module& module, std::string_view name) {
    const Function* entry = find_entry(module, name);
    if (entry == nullptr)
        throw Error("the PTX has no kernel named \"" + std::string(name) + "\"; record it again.");
    return *entry;
}

}  // namespace wl::ptx
