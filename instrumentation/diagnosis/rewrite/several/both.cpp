// `t * t` of `x * x`, `n + m` of `rows + cols`, `c * (w * h) + p` of `p * 3 + c`, `n > 0 ? s / n : old[i]` of
// `s / n`.
#include "instrumentation/diagnosis/rewrite/several/both.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"

#include <fmt/format.h>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 8;  // of one place

// Of two whole numbers two others that the function joins so: `n + m` of `rows + cols`.
void join_others(Writer& w, const Body& body, int k) {
    const Variable *const a = variable_at(w.s, k - 1), *const b = variable_at(w.s, k + 1);
    const Operands o = operands_of(w.s, k);
    if (a == nullptr || b == nullptr || !is_whole(*a) || !is_whole(*b) || o.left != k - 1 || o.right != k + 1)
        return;
    for (int at = body.open + 1; at + 1 < body.close; ++at) {
        if (at == k || w.s.word(at) != w.s.word(k) || precedence(w.s, at) == 0) continue;
        const Variable *const c = variable_at(w.s, at - 1), *const d = variable_at(w.s, at + 1);
        if (c == nullptr || d == nullptr || !is_whole(*c) || !is_whole(*d)) continue;
        const std::string text = w.s.words(at - 1, at + 1);
        const bool both =
            c->name != a->name && d->name != b->name && c->name != b->name && d->name != a->name;
        if (both && all_known(w.s, at - 1, text, k)) put(w, kRare, "wrong_operand", k - 1, k + 1, text);
    }
}

// Where a loop's number ends, as its head says; empty: it has none.
std::string end_of_loop(const Source& s, const Body& body, const Variable& v) {
    const Statement* const loop = loop_of(body, v);
    for (int k = loop == nullptr ? 1 : loop->first; loop != nullptr && k + 2 < loop->last; ++k)
        if (s.is(k, v.name) && s.is(k + 1, "<") && s.is(k + 3, ";")) return std::string(s.word(k + 2));
    return {};
}

// Planes behind each other for elements beside each other, and the other way round: of `a[p * 3 + c]` and
// `a[c * w * h + p]` each of the other.
void exchange_planes(Writer& w, const Body& body, int k) {
    const Operands o = operands_of(w.s, k);
    const bool subscript = w.s.is(k, "+") && w.s.is(o.left - 1, "[") && w.s.is(o.right + 1, "]");
    const Variable *const p = variable_at(w.s, o.left), *const q = variable_at(w.s, k + 1);
    if (!subscript || p == nullptr || q == nullptr || o.right != k + 1 || !w.s.is(o.left + 1, "*")) return;
    if (!is_whole(*p) || !is_whole(*q)) return;
    const auto put_it = [&](int bias, const std::string& now) {
        put(w, bias, "wrong_index", o.left, o.right, now);
    };
    constexpr int kBeside = -25;  // hardly by itself: what reads it would be wrong as well
    if (const std::string end = end_of_loop(w.s, body, *p); !end.empty())
        put_it(kBeside, fmt::format("{} * {} + {}", q->name, end, p->name));
    std::vector<std::string> extents;
    const std::vector<const Variable*> all = visible(w.s, k);
    for (const Variable* v : std::views::reverse(all))
        if (is_extent(body, *v) && extents.size() < kMost) extents.push_back(v->name);
    for (size_t i = 0; i < extents.size(); ++i)
        for (size_t j = i + 1; j < extents.size(); ++j)
            put_it(0, fmt::format("{} * {} * {} + {}", q->name, extents[i], extents[j], p->name));
}

// What nobody asks for where there is nothing to divide by, else zero.
void divide_if_any(Writer& w, const Body& body, const Statement& st, int k) {
    const Operands o = operands_of(w.s, k);
    const Variable* const n = w.s.is(k, "/") ? variable_at(w.s, k + 1) : nullptr;
    const int sets = assignment_of(w.s, st);
    const bool all = sets > 0 && o.left == sets + 1 && o.right == k + 1 && w.s.is(k + 2, ";");
    if (n == nullptr || n->indirections > 0 || !all || !w.s.is(sets, "=")) return;
    const auto otherwise = [&](int bias, const std::string& text) {
        put(w,
            bias,
            "wrong_condition",
            o.left,
            o.right,
            fmt::format("{} > 0 ? {} : {}", n->name, w.s.words(o.left, o.right), text));
    };
    otherwise(kRare, "0.0f");
    if (!w.s.is(sets - 1, "]")) return;
    const std::string element = w.s.words(w.s.at(sets - 1).match, sets - 1);
    for (const Variable* v : visible(w.s, k))
        if (v->kind == ValueKind::real && v->indirections == 1 && is_unread(w.s, body, *v))
            otherwise(kTelling, v->name + element);
}

// Two numbers of one declaration that are read once each, as the ends of a range: `fminf(t0, t1)` for `t0`
// and `fmaxf(t0, t1)` for `t1`, whichever comes first.
void order_ends(Writer& w, const Body& body, const Statement& st) {
    std::vector<std::pair<const Variable*, int>> ends;  // with the one place where it is read
    for (const Variable& v : w.s.variables) {
        if (v.from <= st.first || v.from >= st.last || !is_real(v)) continue;
        std::vector<int> reads;
        for (int k = st.last; k < body.close; ++k)
            if (variable_at(w.s, k) == &v) reads.push_back(k);
        if (reads.size() == 1 && is_operand(w.s, reads.front())) ends.emplace_back(&v, reads.front());
    }
    if (ends.size() != 2) return;
    const std::string both = fmt::format("({}, {})", ends[0].first->name, ends[1].first->name);
    if (ends[0].second > ends[1].second) std::swap(ends[0], ends[1]);
    for (const auto& [first, second] : {std::pair("fminf", "fmaxf"), std::pair("fmaxf", "fminf")}) {
        Rewrite r{"wrong_operand", 2, "", "", 0, {}};
        add_place(w.s, r, ends[0].second, ends[0].second, first + both);
        add_place(w.s, r, ends[1].second, ends[1].second, second + both);
        r.bias = kTogether + kTelling;
        w.add(std::move(r));
    }
}

}  // namespace

void add_both(Writer& w) {
    const Pass& rows = pass_of("both");
    for_each_token(w, [&](int k, const Body& body) {
        if (!w.is_near(k) || precedence(w.s, k) == 0) return;
        try_rows(w, rows, k, body), join_others(w, body, k), exchange_planes(w, body, k);
        if (const Statement* const st = statement_of(body, k)) divide_if_any(w, body, *st, k);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st)) order_ends(w, body, st);
}

}  // namespace wl::diagnosis::rewrite
