// A parser is set up as it stands in the function's body, with every name that it has.
#include "instrumentation/ptx/parse/parse_snippet.h"

#include "instrumentation/base/error.h"
#include "instrumentation/ptx/parse/parser.h"
#include "instrumentation/ptx/table/names.h"
#include "instrumentation/ptx/write.h"

#include <utility>

namespace wl::ptx {
namespace {

template <class Add>
void each_name(const Module& module, const Function& f, Add add) {
    for (const Register& r : f.registers) add(r.name);
    for (const std::vector<Variable>* variables : {&f.variables, &f.params, &f.results, &module.variables})
        for (const Variable& v : *variables) add(v.name);
    for (const Prototype& prototype : f.prototypes) add(prototype.name);
    for (const auto& [name, place] : f.labels) add(name);
    for (const Function& other : module.functions) add(other.name);
}

template <class List>
void declare(Scope& scope, const List& list, Entry::Kind kind) {
    for (size_t i = 0; i < list.size(); ++i)
        scope.names[list[i].name] = {kind, static_cast<int32_t>(i), Type::none};
}

Parser parser_in(const Module& module, Function&& declarations) {
    Parser p;
    p.module.version = module.version;
    p.module.target = module.target;
    p.module.address_size = module.address_size;
    p.decoder.dialect = dialect_of(module.version, module.target);
    const auto add = [&p](const auto& list, Entry::Kind kind) {
        for (size_t i = 0; i < list.size(); ++i)
            p.names[list[i].name] = {kind, static_cast<int32_t>(i), Type::none};
    };
    add(module.variables, Entry::Kind::variable);
    add(module.functions, Entry::Kind::function);
    each_name(module, declarations, [&p](const std::string& name) { p.taken.insert(name); });
    p.function = std::move(declarations);
    Scope& scope = p.scopes.emplace_back();
    declare(scope, p.function.results, Entry::Kind::result);
    declare(scope, p.function.params, Entry::Kind::param);
    declare(scope, p.function.variables, Entry::Kind::local);
    declare(scope, p.function.prototypes, Entry::Kind::prototype);
    for (size_t i = 0; i < p.function.registers.size(); ++i) {
        const Register& r = p.function.registers[i];
        scope.names[r.name] = {Entry::Kind::reg, static_cast<int32_t>(i), r.type};
    }
    return p;
}

// How much there was of what a snippet may not add to.
struct Before {
    size_t registers, params, pragmas, lists;
};

void refuse_foreign(const Parser& p, const Before& before) {
    if (!p.lines.marks.empty() || !p.module.files.empty())
        throw Error("inserted code takes the line of its place");
    if (!p.module.variables.empty()) throw Error("inserted code declares no variable of the module");
    if (p.function.params.size() != before.params || p.function.pragmas.size() != before.pragmas)
        throw Error("inserted code declares no parameter and no pragma of the function");
    for (size_t i = before.registers; i < p.function.registers.size(); ++i)
        if (special_from_name(p.function.registers[i].name))
            throw Error(p.function.registers[i].name + " is a special register");
    for (const Instruction& i : p.function.code)
        if (i.op == Op::unsupported) throw Error(why_unsupported(i));
}

// Uses that the snippet's own labels left open are of the function's.
void settle_labels(Parser& p, const std::map<std::string, int32_t>& labels, size_t first_list) {
    std::vector<Instruction>& code = Writer::of(p.function);
    const auto own = [](int32_t& index) { index = index < 0 ? index : own_label(index); };
    for (Instruction& i : code)
        if (i.op == Op::bra) own(i.operands.front().index);
    for (size_t list = first_list; list < p.function.branch_targets.size(); ++list)
        for (int32_t& target : p.function.branch_targets[list]) own(target);
    for (const LabelUse& use : p.scopes.front().uses) {
        const auto label = labels.find(use.name);
        if (label == labels.end()) throw Error("no label `" + use.name + "` in this function");
        if (use.list >= 0)
            p.function.branch_targets[use.list][use.position] = label->second;
        else
            code[use.instruction].operands[0].index = label->second;
    }
    p.scopes.front().uses.clear();
}

Snippet parse_one(Parser& p, const std::map<std::string, int32_t>& labels, std::string_view text) {
    const std::string body = "{" + std::string(text) + "\n}";
    const Before before{
        p.function.registers.size(),
        p.function.params.size(),
        p.function.pragmas.size(),
        p.function.branch_targets.size()};
    p.lexer = start(body);
    p.scopes.emplace_back();
    parse_body(p);
    if (p.lexer.token.kind != Token::Kind::end) throw Error("inserted code with a `}` too many");
    refuse_foreign(p, before);
    settle_labels(p, labels, before.lists);
    Snippet snippet{std::move(Writer::of(p.function)), std::move(p.function.labels), before.lists, 0};
    snippet.lists = p.function.branch_targets.size() - before.lists;
    Writer::of(p.function).clear();
    p.function.labels.clear();
    return snippet;
}

}  // namespace

std::vector<Snippet> parse_snippets(
    const Module& module, Function& declarations, const std::vector<std::string_view>& texts
) {
    Parser p = parser_in(module, std::move(declarations));
    const std::map<std::string, int32_t> labels = std::exchange(p.function.labels, {});
    std::vector<Snippet> snippets;
    for (const std::string_view text : texts) snippets.push_back(parse_one(p, labels, text));
    declarations = std::move(p.function);
    declarations.labels = labels;
    return snippets;
}

std::string fresh_name(const Module& module, const Function& function, std::string_view name) {
    std::unordered_set<std::string> taken;
    each_name(module, function, [&taken](const std::string& known) { taken.insert(known); });
    std::string fresh(name);
    for (size_t k = 1; taken.count(fresh) != 0 || special_from_name(fresh); ++k)
        fresh = std::string(name) + "$" + std::to_string(k);
    return fresh;
}

}  // namespace wl::ptx
