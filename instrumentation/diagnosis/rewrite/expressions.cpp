// What the text of a function says that can be said elsewhere in it.
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>

namespace wl::diagnosis::rewrite {

namespace {

bool is_known(const std::vector<std::string>& all, const std::string& text) {
    return std::find(all.begin(), all.end(), text) != all.end();
}

// Of whole numbers alone: variables, numbers, `threadIdx.x`.
bool is_whole(const Source& s, int first, int last) {
    for (int k = first; k <= last; ++k) {
        if (s.is(k, "[") || s.is(k, "(")) return false;
        const Variable* const v = variable_at(s, k);
        if (v != nullptr && (v->kind != ValueKind::whole || v->indirections > 0)) return false;
        if (s.at(k).kind == Token::Kind::number && s.word(k).find('.') != std::string_view::npos)
            return false;
    }
    return true;
}

}  // namespace

bool choice_at(const Source& s, int k, Choice& out) {
    if (!s.is(k, "?")) return false;
    int first = k - 1, colon = k + 1, depth = 0;
    for (; first > 0; --first) {
        if (is_closing(s.word(first)) && s.at(first).match >= 0) {
            first = s.at(first).match;
            continue;
        }
        const std::string_view w = s.word(first);
        const bool sets = is_assignment(s, first);
        if (is_opening(w) || w == "," || w == ";" || w == "return" || w == ":" || sets) break;
    }
    for (; colon < s.count() && (!s.is(colon, ":") || depth > 0); ++colon) {
        if (is_opening(s.word(colon)) && s.at(colon).match > colon) colon = s.at(colon).match;
        if (s.is(colon, "?")) ++depth;
        if (s.is(colon, ":")) --depth;
        if (s.is(colon, ";")) return false;
    }
    int last = colon + 1;
    for (; last < s.count(); ++last) {
        if (is_opening(s.word(last)) && s.at(last).match > last)
            last = s.at(last).match;
        else if (s.is(last, ",") || s.is(last, ";") || is_closing(s.word(last)))
            break;
    }
    out = {
        {first + 1, k - 1    },
        {k + 1,     colon - 1},
        {colon + 1, last - 1 }
    };
    return out.condition.first <= out.condition.last && out.no.first <= out.no.last;
}

std::map<std::string, int> uses_of(const Source& s, const Body& body) {
    std::map<std::string, int> out;
    for (int k = body.open; k < body.close; ++k)
        if (s.at(k).kind == Token::Kind::word) ++out[std::string(s.word(k))];
    return out;
}

std::vector<std::pair<std::string, int>> elements_of(const Source& s, const Body& body) {
    std::vector<std::pair<std::string, int>> out;
    for (int k = body.open; k < body.close; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v == nullptr || v->kind != ValueKind::real || v->indirections == 0 || !s.is(k + 1, "[")) continue;
        const std::string text = s.words(k, end_of_element(s, k));
        const bool known =
            std::any_of(out.begin(), out.end(), [&](const auto& e) { return e.first == text; });
        if (!known) out.emplace_back(text, k);
    }
    return out;
}

bool all_known(const Source& s, int from, const std::string& text, int here) {
    for (int k = from; k < s.count() && s.at(k).begin < s.at(from).begin + text.size(); ++k) {
        const Variable* const v = variable_at(s, k);
        if (v == nullptr || (v->from < here && v->to > here)) continue;
        // The number of another loop.
        const std::vector<const Variable*> there = visible(s, here);
        const bool named = std::any_of(there.begin(), there.end(), [&](const Variable* u) {
            return u->name == v->name && alike(*u, *v);
        });
        if (!named) return false;
    }
    return true;
}

int bracket_before(const Source& s, int token) {
    int open = token - 1;
    while (open > 0 && !is_opening(s.word(open)) && !s.is(open, ";"))
        open = is_closing(s.word(open)) && s.at(open).match >= 0 ? s.at(open).match - 1 : open - 1;
    return open;
}

int end_of_expression(const Source& s, int first) {
    for (int k = first; k < s.count(); ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k)
            k = s.at(k).match;
        else if (s.is(k, ";") || s.is(k, ",") || is_closing(s.word(k)))
            return k - 1;
    }
    return first;
}

bool says(const Source& s, int first, int last, std::string_view word) {
    for (int k = first; k <= last; ++k)
        if (s.is(k, word)) return true;
    return false;
}

bool holds_real(const Source& s, int first, int last) {
    for (int k = first; k <= last; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v != nullptr && v->kind == ValueKind::real) return true;
        const bool vector = v != nullptr && (v->type.starts_with("float") || v->type.starts_with("double"));
        if (vector && s.is(k + 1, ".")) return true;
        const bool type = s.is(k, "float") || s.is(k, "double");
        if (type && !s.is(k + 1, "*") && !s.is(k - 2, "sizeof")) return true;
        if (s.at(k).kind == Token::Kind::number && s.word(k).find('.') != std::string_view::npos) return true;
    }
    return false;
}

bool is_simple(const Source& s, int first, int last) {
    int depth = 0;
    for (int k = first; k <= last; ++k) {
        if (is_opening(s.word(k))) ++depth;
        if (is_closing(s.word(k))) --depth;
        if (depth == 0 && (precedence(s, k) > 0 || s.is(k, "?"))) return false;
    }
    return true;
}

bool is_read(const Source& s, const Span& at) {
    const std::string_view behind = s.word(at.last + 1);
    return !is_assignment(s, at.last + 1) && behind != "." && behind != "[" && behind != "(" &&
        behind != "++" && behind != "--" && !s.is(at.first - 1, "&") && !s.is(at.first - 1, "++");
}

int end_of_element(const Source& s, int name) {
    int last = name;
    while (s.is(last + 1, "[") && s.at(last + 1).match > 0) last = s.at(last + 1).match;
    return last;
}

std::string in_brackets(const Source& s, int first, int last) {
    const std::string text = s.words(first, last);
    return is_simple(s, first, last) ? text : "(" + text + ")";
}

std::vector<std::string> whole_expressions(const Source& s, const Body& body, int here) {
    constexpr int kLongest = 7;  // tokens
    constexpr size_t kMost = 12;
    std::vector<std::string> out;
    const auto add = [&](int first, int last) {
        const std::string text = s.words(first, last);
        if (!is_known(out, text) && all_known(s, first, text, here)) out.push_back(text);
    };
    for (int k = body.open + 1; k < body.close && out.size() < kMost; ++k) {
        const int p = precedence(s, k);
        if (p < 8) continue;
        const Operands o = operands_of(s, k);
        if (o.right - o.left >= kLongest) continue;
        if (is_whole(s, o.left, o.right)) add(o.left, o.right);
        // `(step + 1) % 2`: of step.
        const bool bracket = s.is(o.left, "(") && s.at(o.left).match == k - 1 && s.is(k, "%");
        if (!bracket || !is_whole(s, o.left + 1, k - 2)) continue;
        const std::string mod = " % " + s.words(k + 1, o.right);
        for (const std::string& text : {s.words(o.left + 1, o.left + 1) + mod, s.words(o.left, k - 1) + mod})
            if (!is_known(out, text) && all_known(s, o.left + 1, text, here)) out.push_back(text);
    }
    return out;
}

int name_of(const Source& s, const Body& function) {
    int close = function.open - 1;
    while (close > 0 && !s.is(close, ")")) --close;
    const int open = close > 0 ? s.at(close).match : -1;
    return open < 2 || s.at(open - 1).kind != Token::Kind::word ? -1 : open - 1;
}

const Body* handed_to(const Source& s, int first, int last) {
    const bool argument =
        (s.is(first - 1, "(") || s.is(first - 1, ",")) && (s.is(last + 1, ")") || s.is(last + 1, ","));
    const int open = argument ? bracket_before(s, first) : -1;
    if (open <= 0 || !s.is(open, "(")) return nullptr;
    for (const Body& callee : s.bodies)
        if (const int name = name_of(s, callee); name >= 0 && s.word(open - 1) == s.word(name))
            return &callee;
    return nullptr;
}

bool gives_nothing(const Source& s, const Body& body) {
    const int name = rewrite::name_of(s, body);
    for (int k = name - 1; k > 0 && !s.is(k, ";") && !s.is(k, "}"); --k)
        if (s.is(k, "void")) return true;
    return false;
}

std::vector<Span> conditions_in(const Source& s, int first, int last) {
    std::vector<Span> out;
    int begin = first;
    for (int k = first; k <= last + 1; ++k) {
        if (k <= last && is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (k <= last && !s.is(k, "&&") && !s.is(k, "||")) continue;
        out.push_back({begin, k - 1});
        begin = k + 1;
    }
    return out;
}

std::vector<Span> arguments_of(const Source& s, int open) {
    std::vector<Span> out;
    int first = open + 1;
    for (int k = open + 1; k <= s.at(open).match; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (!s.is(k, ",") && k < s.at(open).match) continue;
        if (k > first) out.push_back({first, k - 1});
        first = k + 1;
    }
    return out;
}

std::vector<Span> terms_of(const Source& s, int plus) {
    std::vector<Span> out;
    const Operands o = operands_of(s, plus);
    out.push_back({plus + 1, o.right});
    int first = o.left;
    for (int k = o.left; k < plus; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if ((!s.is(k, "+") && !s.is(k, "-")) || precedence(s, k) == 0) continue;
        out.insert(out.end() - 1, {first, k - 1});
        first = k + 1;
    }
    out.insert(out.end() - 1, {first, plus - 1});
    return out;
}

std::string renamed(const Source& s, int first, int last, const std::string& was, const std::string& now) {
    std::string out;
    size_t at = s.at(first).begin;
    for (int k = first; k <= last; ++k) {
        const bool member = k > 0 && (s.is(k - 1, ".") || s.is(k - 1, "->"));
        if (!s.is(k, was) || member) continue;
        out += s.text.substr(at, s.at(k).begin - at) + now;
        at = s.at(k).end;
    }
    return out + s.text.substr(at, s.at(last).end - at);
}

std::vector<Span> deciders_of(const Source& s, const Statement& st) {
    std::vector<Span> out;
    for (int k = st.first; k <= st.last; ++k) {
        Choice c;
        if (choice_at(s, k, c)) out.push_back(c.condition);
        for (const Variable& v : s.variables)
            if (v.from == k && v.kind == ValueKind::boolean && s.is(k + 1, "="))
                out.push_back({k + 2, end_of_expression(s, k + 2)});
    }
    return out;
}

}  // namespace wl::diagnosis::rewrite
