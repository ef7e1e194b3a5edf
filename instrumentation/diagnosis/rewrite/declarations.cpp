// Variables: parameters, declarations of statements and heads, constants of the file, macros.
#include "instrumentation/diagnosis/rewrite/declarations.h"

#include <algorithm>
#include <array>

namespace wl::diagnosis::rewrite {

namespace {

template <size_t N>
bool is_one_of(std::string_view w, const std::array<std::string_view, N>& all) {
    return std::find(all.begin(), all.end(), w) != all.end();
}

constexpr std::array<std::string_view, 13> kQualifiers = {
    "const",
    "constexpr",
    "static",
    "extern",
    "volatile",
    "inline",
    "register",
    "__shared__",
    "__constant__",
    "__device__",
    "__managed__",
    "__restrict__",
    "typename"};
constexpr std::array<std::string_view, 8> kParts = {
    "unsigned", "signed", "long", "short", "int", "char", "double", "float"};
constexpr std::array<std::string_view, 17> kNoTypes = {
    "return",
    "if",
    "for",
    "while",
    "else",
    "do",
    "switch",
    "case",
    "break",
    "using",
    "goto",
    "throw",
    "new",
    "delete",
    "continue",
    "sizeof",
    "template"};

// Behind `<...>`; -1: it is none.
int past_angles(const Source& s, int open, int limit) {
    int depth = 0;
    for (int k = open; k < limit; ++k) {
        const std::string_view w = s.word(k);
        if (w == "<") ++depth;
        if (w == ">") --depth;
        if (w == ">>") depth -= 2;
        if (w.starts_with('>') && depth <= 0) return k + 1;
        if (w == "(" && s.at(k).match > k) k = s.at(k).match;
        if (w == ";" || w == "{" || w == "&&" || w == "||") return -1;
    }
    return -1;
}

struct Declared {
    std::string type;
    bool constant = false;
    int next = -1;  // the token behind the type; -1: there is no type
};

Declared type_at(const Source& s, int k, int limit) {
    Declared out;
    const auto skip_qualifiers = [&] {
        while (k < limit && (is_one_of(s.word(k), kQualifiers) || s.is(k, "__align__"))) {
            out.constant = out.constant || s.is(k, "const") || s.is(k, "constexpr");
            k = s.is(k, "__align__") && s.is(k + 1, "(") ? s.at(k + 1).match + 1 : k + 1;
        }
    };
    skip_qualifiers();
    if (k >= limit || s.at(k).kind != Token::Kind::word || is_one_of(s.word(k), kNoTypes)) return out;
    const int first = k;
    if (is_one_of(s.word(k), kParts)) {
        while (k < limit && (is_one_of(s.word(k), kParts) || s.is(k, "const"))) ++k;
    } else {
        ++k;
        while (k < limit) {
            if (s.is(k, "::") && k + 1 < limit) {
                k += 2;
            } else if (s.is(k, "<")) {
                const int past = past_angles(s, k, limit);
                if (past < 0) return out;
                k = past;
            } else {
                break;
            }
        }
    }
    out.type = s.words(first, k - 1);
    skip_qualifiers();
    out.next = k;
    return out;
}

// Of `auto`: whole or real where every word of its value is known.
ValueKind kind_of_value(const Source& s, int first, int limit) {
    static constexpr std::array<std::string_view, 6> kWhole = {
        "threadIdx", "blockIdx", "blockDim", "gridDim", "min", "max"};
    bool real = false;
    for (int k = first; k < limit && !s.is(k, ",") && !s.is(k, ";"); ++k) {
        const Token& t = s.at(k);
        const bool axis = s.is(k - 1, ".");
        if (t.kind == Token::Kind::number) real = real || s.word(k).find('.') != std::string_view::npos;
        if (t.kind != Token::Kind::word || axis || is_one_of(s.word(k), kWhole)) continue;
        const Variable* const v = variable_at(s, k);
        if (v == nullptr || v->kind == ValueKind::other || (v->indirections > 0 && !s.is(k + 1, "[")))
            return ValueKind::other;
        real = real || v->kind == ValueKind::real;
        while (s.is(k + 1, "[") && s.at(k + 1).match > k) k = s.at(k + 1).match;
    }
    return real ? ValueKind::real : ValueKind::whole;
}

struct Scope {
    int to = 0;
    bool parameter = false, of_file = false;
};

// Of `int x`, `*y`, `z[4]`: the token behind the name and its dimensions; -1: there is no name.
int declare(Source& s, const Declared& d, int k, int limit, const Scope& scope) {
    Variable v{{}, d.type, ValueKind::other, 0, 0, scope.to, d.constant, scope.parameter, scope.of_file};
    while (k < limit && (s.is(k, "*") || s.is(k, "&") || s.is(k, "&&") || is_one_of(s.word(k), kQualifiers))
    ) {
        v.indirections += s.is(k, "*") ? 1 : 0;
        ++k;
    }
    if (k >= limit || s.at(k).kind != Token::Kind::word) return -1;
    v.name = s.word(k), v.from = k, v.kind = kind_of_type(s, v.type);
    ++k;
    while (k < limit && s.is(k, "[") && s.at(k).match > k) ++v.indirections, k = s.at(k).match + 1;
    static constexpr std::array<std::string_view, 7> kBehind = {"=", ";", ",", ")", ":", "(", "{"};
    if (k < limit && !is_one_of(s.word(k), kBehind)) return -1;
    s.variables.push_back(std::move(v));
    return k;
}

// `type a = ..., *b;` between two tokens.
void declare_all(Source& s, int first, int limit, const Scope& scope) {
    const Declared d = type_at(s, first, limit);
    if (d.next < 0 || d.next >= limit) return;
    for (int k = declare(s, d, d.next, limit, scope); k >= 0 && k < limit; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (!s.is(k, ",")) continue;
        k = declare(s, d, k + 1, limit, scope);
        if (k < 0) return;
        --k;
    }
}

int end_of_scope(const Source& s, int token) {
    for (int k = token; k < s.count(); ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k)
            k = s.at(k).match;
        else if (s.is(k, "}"))
            return k;
    }
    return s.count();
}

void declare_parameters(Source& s, const Body& body) {
    int close = body.open - 1;
    if (s.is(close, "]")) return;  // of a lambda that takes nothing
    while (close > 0 && !s.is(close, ")")) --close;
    const int open = s.at(close).match;
    for (int k = open + 1, first = k; k <= close && open >= 0; ++k) {
        if (k != close && is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (k != close && !s.is(k, ",")) continue;
        const Declared d = type_at(s, first, close);
        if (d.next >= 0) declare(s, d, d.next, close, {body.close, true});
        first = k + 1;
    }
}

void declare_in(Source& s, const Body& body) {
    declare_parameters(s, body);
    for (const Statement& st : body.statements) {
        if (st.word.empty()) declare_all(s, st.first, st.last, {end_of_scope(s, st.last), false});
        if (st.word == "for") declare_all(s, st.first + 2, st.last, {st.body_last + 1, false});
    }
}

// `constexpr int kLd = ...;`, `__constant__ float w[9];` of the file.
void declare_of_file(Source& s) {
    int first = 0;
    for (int k = 0; k < s.count(); ++k) {
        if (s.at(k).directive) {
            first = k + 1;
            continue;
        }
        if (s.is(k, "{") && s.at(k).match > k && !s.is(k - 1, "=")) {
            const bool is_namespace = s.is(k - 1, "namespace") || s.is(k - 2, "namespace");
            if (!is_namespace) k = s.at(k).match;
            first = k + 1;
            continue;
        }
        if (!s.is(k, ";")) continue;
        declare_all(s, first, k, {s.count(), false, true});
        first = k + 1;
    }
}

void declare_macros(Source& s, const Defines& defines) {
    for (const auto& [name, value] : defines)
        if (!name.starts_with("WL_FAULT"))
            s.variables.push_back({name, "int", ValueKind::whole, 0, -1, s.count(), true, false, true});
    for (int k = 0; k + 3 < s.count(); ++k) {
        if (!s.is(k, "#") || !s.is(k + 1, "define") || s.at(k + 3).line != s.at(k).line) continue;
        if (s.at(k + 3).kind != Token::Kind::number || s.at(k + 3).begin == s.at(k + 2).end) continue;
        const bool real =
            s.word(k + 3).find_first_of(".fF") != std::string_view::npos && !s.word(k + 3).starts_with("0x");
        s.variables.push_back(
            {std::string(s.word(k + 2)),
             real ? "float" : "int",
             real ? ValueKind::real : ValueKind::whole,
             0,
             k + 3,
             s.count(),
             true,
             false,
             true}
        );
    }
}

// `template <int K, bool kMasked = false>`: numbers that the function is made with.
void declare_template(Source& s, int open) {
    int close = open;
    while (close < s.count() && !s.is(close, ">") && !s.is(close, "{") && !s.is(close, ";")) ++close;
    const auto body =
        std::find_if(s.bodies.begin(), s.bodies.end(), [&](const Body& b) { return b.open > close; });
    if (!s.is(close, ">") || body == s.bodies.end()) return;
    for (int from = open + 1, k = from; k <= close; ++k) {
        if (k < close && !s.is(k, ",")) continue;
        int name = from;
        while (name + 1 < k && !s.is(name + 1, "=")) ++name;
        const std::string type = name > from ? s.words(from, name - 1) : "";
        const ValueKind kind = kind_of_type(s, type);
        if (kind == ValueKind::whole || kind == ValueKind::boolean)
            s.variables.push_back({std::string(s.word(name)), type, kind, 0, name, body->close, true, true});
        from = k + 1;
    }
}

// In its own first value it has none.
bool is_in_first_value(const Source& s, const Variable& v, int token) {
    if (v.from < 0 || !s.is(v.from + 1, "=")) return false;
    for (int k = v.from + 2; k < token; ++k) {
        if (s.is(k, ";") || s.is(k, ",")) return false;
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
    }
    return true;
}

}  // namespace

void declare_between(Source& s, int first, int limit, int to) { declare_all(s, first, limit, {to}); }

ValueKind kind_of_type(const Source& s, const std::string& text) {
    const auto alias = s.aliases.find(text);
    const std::string& type = alias == s.aliases.end() ? text : alias->second;
    static constexpr std::array<std::string_view, 8> kReal = {
        "float", "double", "half", "__half", "__nv_bfloat16", "nv_bfloat16", "half_t", "bfloat16"};
    if (type == "bool") return ValueKind::boolean;
    if (is_one_of(type, kReal)) return ValueKind::real;
    if (type == "size_t" || type == "ptrdiff_t" || type == "uint" || type.ends_with("int_t"))
        return ValueKind::whole;
    if (type.ends_with("_t") && type.find("int") != std::string::npos) return ValueKind::whole;
    const std::string head = type.substr(0, type.find(' '));
    const bool whole = head != "float" && head != "double" && is_one_of(head, kParts);
    return whole && type.find("double") == std::string::npos ? ValueKind::whole : ValueKind::other;
}

void find_variables(Source& s, const Defines& defines) {
    declare_macros(s, defines);
    declare_of_file(s);
    find_members(s);
    for (int k = 0; k + 1 < s.count(); ++k)
        if (s.is(k, "template") && s.is(k + 1, "<")) declare_template(s, k + 1);
    for (const Body& body : s.bodies) declare_in(s, body);
    name_members(s);
    for (Variable& v : s.variables)
        if (v.type == "auto" && s.is(v.from + 1, "=")) v.kind = kind_of_value(s, v.from + 2, s.count());
}

std::vector<const Variable*> visible(const Source& s, int token) {
    std::vector<const Variable*> out;
    for (size_t k = s.variables.size(); k-- > 0;) {
        const Variable& v = s.variables[k];
        if (v.from >= token || v.to <= token || is_in_first_value(s, v, token)) continue;
        const bool hidden =
            std::any_of(out.begin(), out.end(), [&](const Variable* o) { return o->name == v.name; });
        if (!hidden) out.push_back(&v);
    }
    return out;
}

const Variable* variable_at(const Source& s, int token) {
    if (s.at(token).kind != Token::Kind::word || s.is(token - 1, ".") || s.is(token - 1, "->"))
        return nullptr;
    const std::string_view w = s.word(token);
    const Variable* out = nullptr;
    for (const Variable& v : s.variables)
        if (v.name == w && v.from < token && v.to > token) out = &v;
    return out;
}

bool alike(const Variable& a, const Variable& b) {
    if (a.indirections != b.indirections) return false;
    if (a.indirections > 0) return a.type == b.type;
    return a.kind == b.kind && (a.kind != ValueKind::other || a.type == b.type);
}

}  // namespace wl::diagnosis::rewrite
