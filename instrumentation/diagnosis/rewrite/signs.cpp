// Comparisons, operations and assignments; terms left out.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <string_view>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char *kCondition = "wrong_condition", *kWrong = "wrong_operation", *kTwice = "double_count";

constexpr int kHardly = -45;  // as odds

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

void drop_operand(Writer& w, int k) {
    const Operands o = operands_of(w.s, k);
    if (w.s.is(k, "-")) count_upwards(w, k, o);
    const std::string_view sign = w.s.word(k);
    const std::string left = w.s.words(o.left, k - 1), right = w.s.words(k + 1, o.right);
    const bool ordered = sign == "-" || sign == "/" || sign == "%" || sign == "<<" || sign == ">>";
    if (ordered) w.replace("wrong_operand", 1, o.left, o.right, right + " " + std::string(sign) + " " + left);
    // `n / 4` was hardly meant as `4 / n`.
    const bool divides = sign == "/" || sign == "%";
    if (divides && k + 1 == o.right && w.s.at(o.right).kind == Token::Kind::number)
        w.out.back().bias = kHardly;
    const bool logical = sign == "&&" || sign == "||";
    const char* rule = logical ? kCondition : sign == "+" || sign == "-" ? kTwice : "constant_factor";
    // `lane == 0` of `lane == lanes - 1`: who is first does it.
    constexpr int kEquality = 6;
    const bool whole = !holds_real(w.s, o.left, o.right);
    if (precedence(w.s, k) == kEquality && whole && right != "0")
        w.replace("wrong_constant", 2, k + 1, o.right, "0");
    if (const int p = precedence(w.s, k); p < 6 || p > 7) {
        w.replace(rule, 2, o.left, o.right, left);
        w.replace(rule, 2, o.left, o.right, sign == "-" ? "-(" + right + ")" : right);
        if (sign == "-") w.replace(rule, 2, o.left, o.right, right);
    }
}

constexpr int kSetsSo = 35;  // as odds

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
    for_each_token(w, [&](int k, const Body&) {
        if (precedence(w.s, k) > 0 && !is_template_angle(w.s, k)) drop_operand(w, k);
        const bool unary = (w.s.is(k, "-") || w.s.is(k, "!")) && precedence(w.s, k) == 0;
        if (unary) w.replace(w.s.is(k, "!") ? kCondition : kWrong, 1, k, k + 1, std::string(w.s.word(k + 1)));
    });
}

}  // namespace wl::diagnosis::rewrite
