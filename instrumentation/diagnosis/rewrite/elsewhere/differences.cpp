// Two rows that count from different ends: `row + 1 + nk - nq` of `row + 1`, where the last of nq rows sees
// the last of nk. Of what is compared and of bounds that are taken of, by two numbers that the function is
// given.
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMostGiven = 5;  // numbers
constexpr int kLongest = 8;       // tokens

bool is_comparison(const Source& s, int k) {
    const std::string_view w = s.word(k);
    const bool sign = w == "<" || w == "<=" || w == ">" || w == ">=" || w == "==";
    return sign && precedence(s, k) > 0 && !is_template_angle(s, k);
}

bool holds_name(const Source& s, const Span& at) {
    for (int k = at.first; k <= at.last; ++k)
        if (const Variable* const v = variable_at(s, k); v != nullptr && is_whole(*v)) return true;
    return false;
}

// Names that the span says count once: `nk - nk` is nothing.
void shift(Writer& w, const Body& body, const Span& at) {
    if (at.last - at.first >= kLongest || !holds_name(w.s, at) || holds_real(w.s, at.first, at.last)) return;
    std::vector<const Variable*> given;
    for (const Variable* v : visible(w.s, at.first))
        if (is_whole(*v) && is_given(body, *v) && given.size() < kMostGiven) given.push_back(v);
    const std::string text = w.s.words(at.first, at.last);
    for (const Variable* more : given)
        for (const Variable* less : given)
            if (more != less && !says(w.s, at.first, at.last, more->name) &&
                !says(w.s, at.first, at.last, less->name))
                w.replace(
                    "wrong_condition",
                    3,
                    at.first,
                    at.last,
                    fmt::format("{} + {} - {}", text, more->name, less->name)
                );
}

}  // namespace

void add_differences(Writer& w) {
    for_each_token(w, [&](int k, const Body& body) {
        if (!w.is_near(k)) return;
        if (is_comparison(w.s, k)) {
            const Operands o = operands_of(w.s, k);
            shift(w, body, {o.left, k - 1}), shift(w, body, {k + 1, o.right});
        }
        const bool bound = (w.s.is(k, "min") || w.s.is(k, "max")) && w.s.is(k + 1, "(");
        if (bound && w.s.at(k + 1).match > k)
            for (const Span& each : arguments_of(w.s, k + 1)) shift(w, body, each);
    });
}

}  // namespace wl::diagnosis::rewrite
