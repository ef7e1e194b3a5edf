// Tokens, brackets, branches of the preprocessor, operators.
#include "instrumentation/diagnosis/rewrite/source.h"

#include "instrumentation/compile/cpp_text.h"
#include "instrumentation/diagnosis/rewrite/branches.h"
#include "instrumentation/diagnosis/rewrite/declarations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace wl::diagnosis::rewrite {

namespace {

using compile::is_word_char;

constexpr std::array<std::string_view, 27> kLong = {
    "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=",
    "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "->", "::", "##", ".*", "[[", "]]"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

size_t past_number(std::string_view code, size_t at) {
    const bool hex = code[at] == '0' && at + 1 < code.size() && (code[at + 1] == 'x' || code[at + 1] == 'X');
    while (at < code.size()) {
        const char c = code[at], before = at > 0 ? code[at - 1] : ' ';
        const bool sign = (c == '+' || c == '-') && !hex && (before == 'e' || before == 'E');
        if (!is_word_char(c) && c != '.' && c != '\'' && !sign) break;
        ++at;
    }
    return at;
}

Token next_token(std::string_view code, size_t at) {
    Token t{.begin = at};
    if (is_digit(code[at]) || (code[at] == '.' && at + 1 < code.size() && is_digit(code[at + 1]))) {
        t.kind = Token::Kind::number, t.end = past_number(code, at);
        return t;
    }
    if (is_word_char(code[at])) {
        t.kind = Token::Kind::word, t.end = at;
        while (t.end < code.size() && is_word_char(code[t.end])) ++t.end;
        return t;
    }
    t.end = at + 1;
    for (const std::string_view w : kLong)
        if (w != "[[" && w != "]]" && code.compare(at, w.size(), w) == 0) {
            t.end = at + w.size();
            break;
        }
    return t;
}

void tokenise(Source& s) {
    int line = 1;
    bool first = true, directive = false;  // of a line
    for (size_t at = 0; at < s.code.size();) {
        const char c = s.code[at];
        if (c == '\n') {
            const bool goes_on = at > 0 && s.code[at - 1] == '\\';
            ++line, ++at, first = !goes_on, directive = directive && goes_on;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
            ++at;
            continue;
        }
        if (first && c == '#') directive = true;
        first = false;
        Token t = next_token(s.code, at);
        t.line = line, t.directive = directive;
        at = t.end;
        s.tokens.push_back(t);
    }
}

void match_brackets(Source& s) {
    std::vector<int> open;
    for (int k = 0; k < s.count(); ++k) {
        if (s.at(k).directive) continue;
        if (is_opening(s.word(k))) open.push_back(k);
        if (!is_closing(s.word(k)) || open.empty()) continue;
        s.tokens[static_cast<size_t>(k)].match = open.back();
        s.tokens[static_cast<size_t>(open.back())].match = k;
        open.pop_back();
    }
}

std::set<int> lines_of_defines(const Source& s) {
    std::set<int> out;
    bool inside = false;
    for (int k = 0; k + 1 < s.count(); ++k) {
        const bool begins = s.at(k).directive && s.is(k, "#") && (k == 0 || s.at(k - 1).line != s.at(k).line);
        if (begins || !s.at(k).directive) inside = begins && s.is(k + 1, "define");
        if (inside) out.insert(s.at(k).line);
    }
    return out;
}

bool ends_operand(const Source& s, int token) {
    if (token < 0) return false;
    const std::string_view w = s.word(token);
    const Token& t = s.at(token);
    if (t.kind == Token::Kind::number || w == ")" || w == "]") return true;
    return t.kind == Token::Kind::word && w != "return" && w != "case" && w != "else";
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view code) {
    std::vector<std::string_view> out;
    for (size_t at = 0; at < code.size();) {
        if (std::isspace(static_cast<unsigned char>(code[at])) != 0) {
            ++at;
            continue;
        }
        const Token t = next_token(code, at);
        out.push_back(code.substr(t.begin, t.end - t.begin));
        at = t.end;
    }
    return out;
}

std::vector<std::string_view> words_in(const Source& s, std::string_view code) {
    std::vector<std::string_view> out;
    for (const std::string_view w : words_of(code)) {
        const bool joins = out.size() > 1 && (out.back() == "." || out.back() == "->");
        const char* const begin = joins ? out[out.size() - 2].data() : w.data();
        const std::string_view all(begin, static_cast<size_t>(w.data() + w.size() - begin));
        const bool known =
            joins && std::any_of(s.variables.begin(), s.variables.end(), [&](const Variable& v) {
                return v.name == all;
            });
        if (known) out.pop_back(), out.pop_back();
        out.push_back(known ? all : w);
    }
    return out;
}

bool is_opening(std::string_view w) { return w == "(" || w == "[" || w == "{"; }
bool is_closing(std::string_view w) { return w == ")" || w == "]" || w == "}"; }

int precedence(const Source& s, int token) {
    static constexpr std::array<std::pair<std::string_view, int>, 18> kAll = {
        {{"||", 1},
         {"&&", 2},
         {"|", 3},
         {"^", 4},
         {"&", 5},
         {"==", 6},
         {"!=", 6},
         {"<", 7},
         {">", 7},
         {"<=", 7},
         {">=", 7},
         {"<<", 8},
         {">>", 8},
         {"+", 9},
         {"-", 9},
         {"*", 10},
         {"/", 10},
         {"%", 10}}
    };
    const auto* const found =
        std::find_if(kAll.begin(), kAll.end(), [w = s.word(token)](const auto& p) { return p.first == w; });
    if (found == kAll.end() || s.at(token).directive) return 0;
    return ends_operand(s, token - 1) ? found->second : 0;
}

bool is_assignment(const Source& s, int token) {
    return s.word(token).ends_with('=') && precedence(s, token) == 0;
}

Operands operands_of(const Source& s, int token) {
    const int own = precedence(s, token);
    const auto stops = [&](int k, bool before) {
        const std::string_view w = s.word(k);
        if (w == "," || w == ";" || w == "?" || w == ":" || w == "return" || w.ends_with('=')) {
            const int p = precedence(s, k);
            if (p == 0) return true;
        }
        const int p = precedence(s, k);
        return p != 0 && (before ? p < own : p <= own);
    };
    Operands out{token - 1, token + 1};
    for (int k = token - 1; k >= 0; --k) {
        if (is_closing(s.word(k)) && s.at(k).match >= 0) {
            if (s.is(k, "}")) break;
            k = s.at(k).match;
        } else if (is_opening(s.word(k)) || stops(k, true)) {
            break;
        }
        out.left = k;
    }
    for (int k = token + 1; k < s.count(); ++k) {
        if (is_opening(s.word(k)) && s.at(k).match >= 0) {
            if (s.is(k, "{")) break;
            k = s.at(k).match;
        } else if (is_closing(s.word(k)) || stops(k, false)) {
            break;
        }
        out.right = k;
    }
    return out;
}

Source tokens_of(std::string text) {
    Source s;
    s.text = std::move(text);
    s.code = compile::code_of(s.text);
    tokenise(s);
    return s;
}

Source read_source(
    std::string text, const std::set<int>& lines, const Defines& defines, const std::string& entry
) {
    Source s = tokens_of(std::move(text));
    const std::vector<bool> active = active_lines(s, lines, defines);
    // What is left out would have no matching brackets; of directives #define alone says something.
    const std::set<int> defining = lines_of_defines(s);
    std::erase_if(s.tokens, [&](const Token& t) {
        return !active[static_cast<size_t>(t.line)] || (t.directive && !defining.contains(t.line));
    });
    find_aliases(s, entry);
    const auto find_all = [&] {
        s.bodies.clear(), s.variables.clear();
        match_brackets(s);
        find_bodies(s);
        find_variables(s, defines);
    };
    find_all();
    if (s.members.empty()) return s;
    join_members(s);
    find_all();
    return s;
}

}  // namespace wl::diagnosis::rewrite
