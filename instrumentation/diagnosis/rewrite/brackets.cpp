// What a factor is of, and a conversion: `a * (b + c)` for `a * b + c`, `f(a * b)` for `f(a) * g(b)`.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "wrong_operation";

bool is_bracket(const Source& s, const Span& at) {
    const bool call = s.at(at.first - 1).kind == Token::Kind::word && !s.is(at.first - 1, "return");
    return s.is(at.first, "(") && s.at(at.first).match == at.last && !call;
}

// The last sign of the precedence that stands in no bracket; -1: none.
int last_sign(const Source& s, const Span& at, int wanted) {
    int out = -1;
    for (int k = at.first; k <= at.last; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (precedence(s, k) == wanted) out = k;
    }
    return out;
}

std::string sign_of(const Source& s, int k) { return " " + std::string(s.word(k)) + " "; }

// `f * (a + b)` and `(a + b) * f`: the factor of one of them alone.
void open_bracket(Writer& w, int k) {
    const Operands o = operands_of(w.s, k);
    const Span left{o.left, k - 1}, right{k + 1, o.right};
    const std::string sign = sign_of(w.s, k);
    const auto put = [&](const Span& bracket, const std::string& factor, bool before) {
        const int plus = last_sign(w.s, {bracket.first + 1, bracket.last - 1}, 9);
        if (plus < 0) return;
        const std::string a = w.s.words(bracket.first + 1, plus - 1),
                          b = w.s.words(plus + 1, bracket.last - 1), add = sign_of(w.s, plus);
        const bool simple = last_sign(w.s, {bracket.first + 1, plus - 1}, 9) < 0;
        const bool inside = precedence(w.s, o.left - 1) > 8 || precedence(w.s, o.right + 1) > 9;
        const auto form = [&](const std::string& text) {
            w.replace(kRule, 2, o.left, o.right, inside ? "(" + text + ")" : text);
        };
        if (before) {
            form(a + add + factor + sign + b);
            if (simple) form(factor + sign + a + add + b);
        } else {
            form(a + add + b + sign + factor);
            if (simple) form(a + sign + factor + add + b);
        }
    };
    if (is_bracket(w.s, right) && w.s.is(k, "*")) put(right, w.s.words(left.first, left.last), true);
    if (is_bracket(w.s, left)) put(left, w.s.words(right.first, right.last), false);
}

// `a + b * c`: `(a + b) * c`; `a * b + c`: `a * (b + c)`; `a / b * c`: `a / (b * c)`.
void close_bracket(Writer& w, int k) {
    const Operands o = operands_of(w.s, k);
    const Span left{o.left, k - 1}, right{k + 1, o.right};
    const std::string l = w.s.words(left.first, left.last), r = w.s.words(right.first, right.last),
                      sign = sign_of(w.s, k);
    if (w.s.is(k, "*") && w.s.is(last_sign(w.s, left, 10), "/")) {
        const int slash = last_sign(w.s, left, 10);
        const std::string below = w.s.words(slash + 1, left.last);
        w.replace(kRule, 2, o.left, o.right, fmt::format("{} ({} * {})", w.s.words(o.left, slash), below, r));
    }
    if (precedence(w.s, k) != 9) return;
    if (const int star = last_sign(w.s, right, 10); star > 0)
        w.replace(
            kRule,
            2,
            o.left,
            o.right,
            fmt::format("({}{}{}) {}", l, sign, w.s.words(right.first, star - 1), w.s.words(star, right.last))
        );
    if (const int star = last_sign(w.s, left, 10), plus = last_sign(w.s, left, 9); star > plus && star > 0)
        w.replace(
            kRule,
            2,
            o.left,
            o.right,
            fmt::format("{} ({}{}{})", w.s.words(o.left, star), w.s.words(star + 1, left.last), sign, r)
        );
}

// `f(a) * g(b)`: computed first, and made narrow then.
void convert_later(Writer& w, int k) {
    const Operands o = operands_of(w.s, k);
    const auto is_call = [&](const Span& at) {
        return w.s.at(at.first).kind == Token::Kind::word && w.s.is(at.first + 1, "(") &&
            w.s.at(at.first + 1).match == at.last && at.last > at.first + 2;
    };
    const Span left{o.left, k - 1}, right{k + 1, o.right};
    if (!is_call(left) || !is_call(right)) return;
    const std::string a = in_brackets(w.s, left.first + 2, left.last - 1),
                      b = in_brackets(w.s, right.first + 2, right.last - 1);
    for (const int name : {right.first, left.first})
        w.replace(
            "overflow", 2, o.left, o.right, fmt::format("{}({}{}{})", w.s.word(name), a, sign_of(w.s, k), b)
        );
}

}  // namespace

void add_brackets(Writer& w) {
    for_each_token(w, [&](int k, const Body&) {
        const int p = precedence(w.s, k);
        if ((p != 9 && p != 10) || !w.is_near(k)) return;
        if (p == 10) open_bracket(w, k);
        close_bracket(w, k);
        convert_later(w, k);
    });
}

}  // namespace wl::diagnosis::rewrite
