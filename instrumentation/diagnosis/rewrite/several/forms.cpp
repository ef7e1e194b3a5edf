// Formulas that say nearly the same.
#include "instrumentation/diagnosis/rewrite/several/forms.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 12;  // texts of a form at one place
// `(w + 1)` of what is `min(w + 1, limit)`: before it was kept within bounds.
void take_unbounded(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || v->from == k || v->indirections > 0 || !is_own(body, *v) || is_assignment(w.s, k + 1))
        return;
    const int call = v->from + 2;
    const bool bounds =
        w.s.is(call, "min") || w.s.is(call, "max") || w.s.is(call, "fminf") || w.s.is(call, "fmaxf");
    if (!w.s.is(v->from + 1, "=") || !bounds || !w.s.is(call + 1, "(")) return;
    for (const Span& a : arguments_of(w.s, call + 1)) {
        const std::string text = w.s.words(a.first, a.last);
        if (all_known(w.s, a.first, text, k))
            put(w, kRare, "wrong_operand", k, k, in_brackets(w.s, a.first, a.last));
    }
}

// `(a - b + n) % n` of `(a + b) % n`, and the other way round.
void turn_around(Writer& w, int k) {
    const int close = k - 1, open = w.s.is(k, "%") && w.s.is(close, ")") ? w.s.at(close).match : -1;
    if (open < 0) return;
    const Operands o = operands_of(w.s, k);
    const std::string n = w.s.words(k + 1, o.right);
    for (int at = open + 1; at < close; ++at) {
        if (is_opening(w.s.word(at)) && w.s.at(at).match > at) at = w.s.at(at).match;
        const bool plus = w.s.is(at, "+"), minus = w.s.is(at, "-");
        if ((!plus && !minus) || precedence(w.s, at) == 0) continue;
        const std::string a = w.s.words(open + 1, at - 1), b = w.s.words(at + 1, close - 1);
        if (b.find(" + ") != b.npos || b.find(" - ") != b.npos) {
            // `(a - b + n) % n`
            const Operands of = operands_of(w.s, at);
            const bool last =
                of.right + 1 < close && w.s.is(of.right + 1, "+") && w.s.words(of.right + 2, close - 1) == n;
            if (minus && last)
                put(w,
                    kRare,
                    "wrong_index",
                    open + 1,
                    close - 1,
                    fmt::format("{} + {}", a, w.s.words(at + 1, of.right)));
            continue;
        }
        if (plus) put(w, kRare, "wrong_index", open + 1, close - 1, fmt::format("{} - {} + {}", a, b, n));
        if (plus) put(w, kRare, "wrong_index", open + 1, close - 1, fmt::format("{} - {} + {}", b, a, n));
        if (minus) put(w, kRare, "wrong_index", open + 1, close - 1, fmt::format("{} + {}", a, b));
        if (minus) put(w, kRare, "wrong_index", open + 1, close - 1, fmt::format("{} - {} + {}", a, b, n));
    }
}

// `cost <= 0 || draw < limit` of `draw < limit`: what needs no question.
void need_no_question(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    const Variable* const decides = variable_set(w.s, st);
    Span c{sets + 1, st.last - 1};
    if (st.word == "if" && !w.s.is(st.first + 1, "(")) return;  // `if constexpr`
    if (st.word == "if")
        c = {st.first + 2, st.last - 1};
    else if (decides == nullptr || decides->kind != ValueKind::boolean)
        return;
    const std::string text = w.s.words(c.first, c.last);
    size_t taken = 0;
    for (const Variable* v : visible(w.s, st.first)) {
        const bool number = v->indirections == 0 && (is_whole(*v) || v->kind == ValueKind::real);
        bool named = !number || !is_own(body, *v) || is_member(*v);
        for (int k = c.first; k <= c.last && !named; ++k) named = w.s.is(k, v->name);
        if (named || taken++ >= kMost / 2) continue;
        const char* zero = v->kind == ValueKind::real ? "0.0f" : "0";
        for (const char* sign : {"<=", "<", ">=", ">"})
            w.replace(
                "wrong_condition",
                3,
                c.first,
                c.last,
                fmt::format("{} {} {} || {}", v->name, sign, zero, text)
            );
    }
}

// `s < 2` of `s == 0`: another comparison with another number.
void compare_with_next(Writer& w, int k) {
    const std::string_view sign = w.s.word(k);
    const bool compares =
        sign == "==" || sign == "!=" || sign == "<" || sign == "<=" || sign == ">" || sign == ">=";
    const bool number = w.s.at(k + 1).kind == Token::Kind::number;
    if (!compares || !number || is_template_angle(w.s, k)) return;
    const std::string text(w.s.word(k + 1));
    constexpr int kSmall = 4;
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (*end != 0 || value < 0 || value > kSmall) return;
    for (const char* other : {"<", "<=", ">", ">="})
        for (const long by : {-1L, 1L, 2L})
            if (other != sign && value + by >= 0)
                put(w, kRare, "wrong_condition", k, k + 1, fmt::format("{} {}", other, value + by));
}

// `a * (1.0f - b * c)` of `a * b * c`.
void take_rest(Writer& w, int k) {
    if (!w.s.is(k, "*") || precedence(w.s, k) == 0) return;
    int last = operands_of(w.s, k).right;
    while (w.s.is(last + 1, "*") || w.s.is(last + 1, "/")) last = operands_of(w.s, last + 1).right;
    if (!holds_real(w.s, k + 1, last)) return;
    put(w, kRare, "wrong_operand", k + 1, last, fmt::format("(1.0f - {})", w.s.words(k + 1, last)));
}

// `return 1.0f - a / b;` of `return a / b;`: of two shares the other.
void take_other_share(Writer& w, const Statement& st) {
    const int sets = st.word == "return" ? st.first : assignment_of(w.s, st), last = st.last - 1;
    if (sets < 0 || end_of_expression(w.s, sets + 1) != last || !holds_real(w.s, sets + 1, last)) return;
    bool divides = false;
    for (int k = sets + 1; k < last && !divides; ++k)
        divides = w.s.is(k, "/") && precedence(w.s, k) > 0 && operands_of(w.s, k).left == sets + 1 &&
            operands_of(w.s, k).right == last;
    if (divides) put(w, kRare, "wrong_operand", sets + 1, last, "1.0f - " + w.s.words(sets + 1, last));
}

// `fabsf(a[i])` of `a[i]`, of a number that others are compared with: the largest, whatever its sign.
void take_size(Writer& w, const Body& body, const Statement& st) {
    const Variable* const v = variable_set(w.s, st);
    const int sets = assignment_of(w.s, st);
    if (v == nullptr || v->kind != ValueKind::real || sets < 0) return;
    bool compared = false;
    for (int k = body.open + 1; k < body.close && !compared; ++k) {
        const bool sign = (w.s.is(k, ">") || w.s.is(k, "<")) && !is_template_angle(w.s, k);
        compared = sign && (variable_at(w.s, k - 1) == v || variable_at(w.s, k + 1) == v);
        compared = compared || (w.s.is(k, "fmaxf") && variable_at(w.s, k + 2) == v);
    }
    for (int k = sets + 1; k < st.last && compared; ++k) {
        const Variable* const a = variable_at(w.s, k);
        const int last = end_of_element(w.s, k);
        if (a == nullptr || a->kind != ValueKind::real || (a->indirections > 0) != (last > k) || a == v)
            continue;
        put(w, kTelling, "wrong_operation", k, last, fmt::format("fabsf({})", w.s.words(k, last)));
    }
}

// What the statement subtracts from and divides by: variables and elements of real numbers.
std::vector<std::string> reals_of(const Writer& w, const Statement& st) {
    std::vector<std::string> out;
    for (int k = st.first; k < st.last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        if (v == nullptr || v->kind != ValueKind::real) continue;
        const int last = end_of_element(w.s, k);
        if ((v->indirections > 0) != (last > k)) continue;
        std::string text = w.s.words(k, last);
        if (std::find(out.begin(), out.end(), text) == out.end() && out.size() < kMost)
            out.push_back(std::move(text));
    }
    return out;
}

// `times[k + 1] - t` of `t - times[k]`: as far as the other end.
void count_from_end(Writer& w, const Body& body, int k) {
    if (!w.s.is(k, "-") || precedence(w.s, k) == 0) return;
    const Statement* const st = statement_of(body, k);
    const Operands o = operands_of(w.s, k);
    if (st == nullptr || !holds_real(w.s, o.left, k - 1) || !holds_real(w.s, k + 1, o.right)) return;
    const std::string x = w.s.words(o.left, k - 1), y = w.s.words(k + 1, o.right);
    for (const std::string& z : reals_of(w, *st)) {
        if (z == x || z == y) continue;
        put(w, kRare, "wrong_operand", o.left, o.right, fmt::format("{} - {}", z, x));
        put(w, kRare, "wrong_operand", o.left, o.right, fmt::format("{} - {}", y, z));
    }
}

// `v - r[i]` of whole numbers, as the function looks `r` up elsewhere.
void add_elements(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    if (sets < 0 || !w.s.is(sets, "=") || holds_real(w.s, sets + 1, st.last - 1)) return;
    const Variable* const target =
        variable_at(w.s, end_of_element(w.s, st.first) == sets - 1 ? st.first : sets - 1);
    if (target == nullptr || target->kind != ValueKind::whole ||
        end_of_expression(w.s, sets + 1) != st.last - 1)
        return;
    const std::string was = w.s.words(sets + 1, st.last - 1);
    std::vector<std::string> known;
    for (int k = body.open; k < body.close && known.size() < kMost; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const int last =
            v == nullptr || v->kind != ValueKind::whole || v->indirections == 0 ? -1 : end_of_element(w.s, k);
        if (last <= k || (k >= st.first && k <= st.last)) continue;
        std::string text = w.s.words(k, last);
        if (was.find(text) != was.npos || std::find(known.begin(), known.end(), text) != known.end() ||
            !all_known(w.s, k, text, st.first))
            continue;
        for (const char* sign : {"-", "+", "^"})
            put(w, kRare, "partial_reduction", sets + 1, st.last - 1, fmt::format("{} {} {}", was, sign, text)
            );
        known.push_back(std::move(text));
    }
}

// Of `m[0] ... m[1] ... m[2]` in one statement and `m[4] ... m[5] ... m[6]` in the next the transposed
// matrix.
struct Literal {
    int token = 0;
    std::string array;
};
std::vector<Literal> literals_of(const Source& s, const Statement& st) {
    std::vector<Literal> out;
    for (int k = st.first; k + 3 < st.last; ++k)
        if (s.is(k + 1, "[") && s.at(k + 2).kind == Token::Kind::number && s.is(k + 3, "]"))
            out.push_back({k + 2, std::string(s.word(k))});
    return out;
}
void transpose(Writer& w, const Body& body) {
    const std::vector<Statement>& all = body.statements;
    for (size_t from = 0; from < all.size(); ++from)
        for (const size_t n : {size_t{2}, size_t{3}, size_t{4}}) {
            if (from + n > all.size()) break;
            std::vector<std::vector<Literal>> rows;
            for (size_t k = 0; k < n; ++k) rows.push_back(literals_of(w.s, all[from + k]));
            const bool square = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
                return row.size() >= n && std::all_of(row.begin(), row.end(), [&](const Literal& l) {
                           return l.array == rows.front().front().array;
                       });
            });
            if (!square) continue;
            Rewrite r{
                "wrong_index",
                2,
                w.s.words(all[from].first, all[from].last),
                "",
                w.s.at(all[from].first).line,
                {}};
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j < n; ++j)
                    if (i != j) {
                        const Token& t = w.s.at(rows[i][j].token);
                        r.edits.push_back({t.begin, t.end - t.begin, std::string(w.s.word(rows[j][i].token))}
                        );
                    }
            std::sort(r.edits.begin(), r.edits.end(), [](const Edit& a, const Edit& b) {
                return a.begin < b.begin;
            });
            r.now = fmt::format("of the transposed `{}`", rows.front().front().array);
            r.bias = kRare;
            w.add(std::move(r));
        }
}

}  // namespace

void add_forms(Writer& w) {
    const Pass& rows = pass_of("forms");
    for_each_token(w, [&](int k, const Body& body) {
        if (!w.is_near(k)) return;
        take_unbounded(w, body, k), turn_around(w, k), compare_with_next(w, k), take_rest(w, k),
            count_from_end(w, body, k), try_rows(w, rows, k, body);
    });
    for (const Body& body : w.s.bodies) {
        transpose(w, body);
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st) && w.is_near(st.first))
                add_elements(w, body, st), need_no_question(w, body, st), take_other_share(w, st),
                    take_size(w, body, st);
    }
}

}  // namespace wl::diagnosis::rewrite
