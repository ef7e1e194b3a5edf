// #if, #ifdef, #elif, #else: conditions of what is defined, evaluated as far as it is known.
#include "instrumentation/diagnosis/rewrite/branches.h"

#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

namespace wl::diagnosis::rewrite {

namespace {

using Value = std::optional<int64_t>;  // nothing: not known

struct Known {
    std::map<std::string, std::string, std::less<>> macros;
};

struct Expression {
    const Source& s;
    const Known& known;
    int at = 0, end = 0;

    bool take(std::string_view w) {
        if (at >= end || !s.is(at, w)) return false;
        ++at;
        return true;
    }
    Value defined() {
        const bool bracket = take("(");
        const Value out = known.macros.contains(s.word(at)) ? Value(1) : std::nullopt;
        // Faults are switched by whoever runs the kernel, and by nobody else.
        const bool fault = s.word(at).starts_with("WL_FAULT");
        ++at;
        if (bracket) take(")");
        return fault && !out ? Value(0) : out;
    }
    Value primary() {
        if (at >= end) return std::nullopt;
        if (take("!")) {
            const Value v = primary();
            return v ? Value(*v == 0 ? 1 : 0) : v;
        }
        if (take("(")) {
            const Value v = whole();
            take(")");
            return v;
        }
        if (take("defined")) return defined();
        const Token& t = s.at(at);
        const auto macro = known.macros.find(s.word(at++));
        const std::string text(
            t.kind == Token::Kind::number     ? s.word(at - 1)
                : macro != known.macros.end() ? std::string_view(macro->second)
                                              : std::string_view()
        );
        char* behind = nullptr;
        const int64_t v = std::strtoll(text.c_str(), &behind, 0);
        return text.empty() || behind == text.c_str() ? std::nullopt : Value(v);
    }
    Value comparison() {
        const Value a = primary();
        for (const std::string_view w : {"==", "!=", "<=", ">=", "<", ">"}) {
            if (!take(w)) continue;
            const Value b = primary();
            if (!a || !b) return std::nullopt;
            return w == "==" ? *a == *b
                : w == "!="  ? *a != *b
                : w == "<="  ? *a <= *b
                : w == ">="  ? *a >= *b
                : w == "<"   ? *a < *b
                             : *a > *b;
        }
        return a;
    }
    Value conjunction() {
        Value a = comparison();
        while (take("&&")) {
            const Value b = comparison();
            const bool no = (a && *a == 0) || (b && *b == 0);
            a = no ? Value(0) : a && b ? Value(1) : std::nullopt;
        }
        return a;
    }
    Value whole() {
        Value a = conjunction();
        while (take("||")) {
            const Value b = conjunction();
            const bool yes = (a && *a != 0) || (b && *b != 0);
            a = yes ? Value(1) : a && b ? Value(0) : std::nullopt;
        }
        return a;
    }
};

struct Branch {
    int from = 0, to = 0;  // lines, without the directives'
    Value taken;
};

Value condition(const Source& s, int directive, const Known& known) {
    int end = directive;
    while (end < s.count() && s.at(end).line == s.at(directive).line) ++end;
    const std::string_view w = s.word(directive + 1);
    Expression e{s, known, directive + 2, end};
    if (w == "else") return 1;
    if (w == "ifdef") return e.defined();
    if (w != "ifndef") return e.whole();
    const Value v = e.defined();
    return v ? Value(1 - *v) : v;
}

// Which of a chain's branches is compiled; -1: none.
int chosen(const std::vector<Branch>& chain, const std::set<int>& located) {
    const auto has_code = [&](const Branch& b) {
        const auto first = located.lower_bound(b.from);
        return first != located.end() && *first < b.to;
    };
    int otherwise = -1;
    for (int k = 0; k < static_cast<int>(chain.size()); ++k) {
        const Branch& b = chain[static_cast<size_t>(k)];
        if (b.taken && *b.taken == 0) continue;
        if (!b.taken && !has_code(b)) continue;
        if (b.taken && otherwise < 0) otherwise = k;
        if (!b.taken || otherwise == k) return k;
    }
    return otherwise;
}

void close(const std::vector<Branch>& chain, const std::set<int>& located, std::vector<bool>& active) {
    const int taken = chosen(chain, located);
    for (int k = 0; k < static_cast<int>(chain.size()); ++k)
        if (const Branch& b = chain[static_cast<size_t>(k)]; k != taken)
            std::fill(active.begin() + b.from, active.begin() + b.to, false);
}

}  // namespace

std::vector<bool> active_lines(const Source& s, const std::set<int>& located, const Defines& defines) {
    std::vector<bool> active(static_cast<size_t>(compile::line_at(s.text, s.text.size())) + 2, true);
    Known known;
    for (const auto& [name, value] : defines) known.macros[name] = value;
    std::vector<std::vector<Branch>> open;
    for (int k = 0; k + 1 < s.count(); ++k) {
        if (!s.is(k, "#") || !s.at(k).directive) continue;
        const std::string_view w = s.word(k + 1);
        const int line = s.at(k).line;
        if (w == "define" && k + 2 < s.count()) {
            const bool valued = k + 3 < s.count() && s.at(k + 3).line == line;
            known.macros[std::string(s.word(k + 2))] = valued ? s.word(k + 3) : "1";
        }
        if (w.starts_with("if"))
            open.push_back({
                {line + 1, 0, condition(s, k, known)}
            });
        if (open.empty()) continue;
        if (w.starts_with("el")) {
            open.back().back().to = line;
            open.back().push_back({line + 1, 0, condition(s, k, known)});
        } else if (w == "endif") {
            open.back().back().to = line;
            close(open.back(), located, active);
            open.pop_back();
        }
    }
    return active;
}

}  // namespace wl::diagnosis::rewrite
