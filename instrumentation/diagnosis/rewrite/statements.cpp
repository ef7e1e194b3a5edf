// Functions' bodies and the statements in them.
#include "instrumentation/diagnosis/rewrite/declarations.h"

#include <algorithm>
#include <array>

namespace wl::diagnosis::rewrite {

namespace {

bool is_head(std::string_view w) { return w == "if" || w == "for" || w == "while" || w == "switch"; }

// The last token of the statement that begins at `first`, all that it governs with it.
int end_of(const Source& s, int first, int close) {
    if (s.is(first, "{")) return s.at(first).match;
    if (is_head(s.word(first))) {
        int head = first + 1;
        if (s.is(head, "constexpr")) ++head;
        if (!s.is(head, "(") || s.at(head).match < 0) return first;
        int last = end_of(s, s.at(head).match + 1, close);
        if (s.is(first, "if") && s.is(last + 1, "else")) last = end_of(s, last + 2, close);
        return last;
    }
    for (int k = first; k < close; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k)
            k = s.at(k).match;
        else if (s.is(k, ";"))
            return k;
    }
    return close - 1;
}

void add_statements(Source& s, Body& body, int first, int last);

void add_statement(Source& s, Body& body, int first, int last) {
    const std::string_view w = s.word(first);
    if (w == "{") return add_statements(s, body, first + 1, s.at(first).match - 1);
    if (w == "do") return add_statement(s, body, first + 1, last);
    if (!is_head(w)) {
        static constexpr std::array<std::string_view, 3> kOwn = {"return", "break", "continue"};
        const bool own = std::find(kOwn.begin(), kOwn.end(), w) != kOwn.end();
        body.statements.push_back({first, last, own ? w : std::string_view{}, -1});
        return;
    }
    const int open = s.is(first + 1, "constexpr") ? first + 2 : first + 1;
    if (!s.is(open, "(") || s.at(open).match < 0) return;
    const int inner = s.at(open).match + 1, inner_last = end_of(s, inner, body.close);
    body.statements.push_back({first, inner - 1, w, inner_last});
    add_statement(s, body, inner, inner_last);
    if (w == "if" && s.is(inner_last + 1, "else"))
        add_statement(s, body, inner_last + 2, end_of(s, inner_last + 2, body.close));
}

void add_statements(Source& s, Body& body, int first, int last) {
    for (int k = first; k <= last;) {
        if (s.at(k).directive || s.is(k, ";")) {
            ++k;
            continue;
        }
        const int end = end_of(s, k, body.close);
        if (end < k || end > last) return;
        add_statement(s, body, k, end);
        k = end + 1;
    }
}

// `[&](int i) {` and `[&] {`: an own function within one.
bool is_lambda(const Source& s, int brace) {
    int close = brace - 1;
    if (s.is(close, "mutable")) --close;
    if (s.is(close, ")") && s.at(close).match > 0) close = s.at(close).match - 1;
    if (!s.is(close, "]") || s.at(close).match < 1) return false;
    const std::string_view before = s.word(s.at(close).match - 1);
    return before == "=" || before == "(" || before == "," || before == "return";
}

void find_lambdas(Source& s, int open, int close) {
    for (int k = open + 1; k < close; ++k) {
        if (!s.is(k, "{") || s.at(k).match < k || !is_lambda(s, k)) continue;
        Body body{k, s.at(k).match, {}};
        add_statements(s, body, k + 1, body.close - 1);
        s.bodies.push_back(std::move(body));
    }
}

}  // namespace

void find_bodies(Source& s) {
    for (int k = 1; k < s.count(); ++k) {
        if (!s.is(k, "{") || s.at(k).match < 0 || s.at(k).directive) continue;
        if (!s.is(k - 1, ")") && !s.is(k - 1, "const") && !s.is(k - 1, "noexcept")) continue;
        Body body{k, s.at(k).match, {}};
        add_statements(s, body, k + 1, body.close - 1);
        s.bodies.push_back(std::move(body));
        find_lambdas(s, k, s.at(k).match);
        k = s.at(k).match;
    }
}

}  // namespace wl::diagnosis::rewrite
