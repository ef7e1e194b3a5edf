// Comparisons, operations and assignments; terms left out.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <string_view>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char *kCondition = "wrong_condition", *kWrong = "wrong_operation";

// The first `=` of a declaration sets a new variable: nothing can be added to it.
bool is_declaration(const Writer& w, int token) {
    const int name = token - 1;
    if (!w.s.is(token, "=") || name < 1) return false;
    for (const Variable& v : w.s.variables)
        if (v.from == name) return true;
    return false;
}

// `a + 7 - j` counts from the other end: `a + j`.
void count_upwards(Writer& w, int k, const Operands& o) {
    int first = o.left;
    for (int at = o.left; at < k; ++at) {
        if (is_opening(w.s.word(at)) && w.s.at(at).match > at) at = w.s.at(at).match;
        if (w.s.is(at, "+") && precedence(w.s, at) > 0) first = at + 1;
    }
    if (first > o.left) w.replace("wrong_index", 1, first, o.right, w.s.words(k + 1, o.right));
}

constexpr int kSetsSo = 35;  // a log prior

// The variable is set by this sign somewhere.
bool sets_so(const Source& s, const Variable* v, std::string_view sign) {
    for (int k = v == nullptr ? s.count() : v->from; k < s.count() && k < v->to; ++k)
        if (s.is(k + 1, sign) && variable_at(s, k) == v) return true;
    return false;
}

}  // namespace

void add_signs(Writer& w) {
    const Pass& rows = pass_of("signs");
    for_each_token(w, [&](int k, const Body& body) {
        const std::string_view sign = w.s.word(k);
        if (w.s.at(k).kind != Token::Kind::sign || is_template_angle(w.s, k) || is_declaration(w, k)) return;
        const bool assigns = is_assignment(w.s, k);
        const bool steps = sign == "++" || sign == "--";
        if (precedence(w.s, k) == 0 && !assigns && !steps) return;
        const size_t from = w.out.size();
        try_rows(w, rows, k, body);
        for (size_t at = from; at < w.out.size(); ++at)
            if (assigns && sets_so(w.s, variable_at(w.s, k - 1), w.out[at].now)) w.out[at].bias = kSetsSo;
    });
}

void add_parts(Writer& w) {
    const Pass& rows = pass_of("parts");
    for_each_token(w, [&](int k, const Body& body) {
        if (w.s.is(k, "-") && precedence(w.s, k) > 0) count_upwards(w, k, operands_of(w.s, k));
        try_rows(w, rows, k, body);
        const bool unary = (w.s.is(k, "-") || w.s.is(k, "!")) && precedence(w.s, k) == 0;
        if (unary) w.replace(w.s.is(k, "!") ? kCondition : kWrong, 1, k, k + 1, std::string(w.s.word(k + 1)));
    });
}

}  // namespace wl::diagnosis::rewrite
