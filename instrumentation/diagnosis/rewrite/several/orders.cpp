// `a[c * rows + r]` of `a[r * cols + c]`, wherever the function reads it; `t[3] ^ t[2]` of `t[0] ^ t[1]`.
#include "instrumentation/diagnosis/rewrite/several/orders.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

// `[row * pitch + col]`: what is in the brackets, and its parts.
struct Element {
    Span subscript, row, col;
};
using Elements = std::map<const Variable*, std::vector<Element>>;

Elements elements_by_rows(const Source& s, const Body& body) {
    Elements out;
    for (int k = body.open + 1; k < body.close; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v == nullptr || v->indirections != 1 || !s.is(k + 1, "[")) continue;
        const int first = k + 2, close = s.at(k + 1).match;
        const int end_of_row = s.is(first, "(") ? s.at(first).match : first;
        const bool product = s.is(end_of_row + 1, "*") && s.is(end_of_row + 3, "+") && end_of_row + 4 < close;
        if (product)
            out[v].push_back({
                {first,          close - 1 },
                {first,          end_of_row},
                {end_of_row + 4, close - 1 }
            });
    }
    return out;
}

// Without its brackets.
std::string row_of(const Source& s, const Element& e) {
    std::string row = s.words(e.row.first, e.row.last);
    return row.starts_with('(') ? row.substr(1, row.size() - 2) : row;
}

// By columns, of all that the function looks up there.
void transpose_all(Writer& w, const Body& body, const Elements& all) {
    for (const auto& [v, elements] : all) {
        if (elements.size() < 2 || !is_given(body, *v)) continue;
        for (const Variable* pitch : visible(w.s, elements.front().subscript.first)) {
            if (!is_whole(*pitch) || (!is_given(body, *pitch) && !pitch->of_file)) continue;
            Rewrite r{"wrong_index", 2, "", "", 0, {}};
            for (const Element& e : elements) {
                const std::string col = in_brackets(w.s, e.col.first, e.col.last);
                const std::string now = fmt::format("{} * {} + {}", col, pitch->name, row_of(w.s, e));
                add_place(w.s, r, e.subscript.first, e.subscript.last, now);
            }
            r.bias = kTelling;
            w.add(std::move(r));
        }
    }
}

// `if (row >= rows || col >= cols) return;` of `if (row >= rows) return;`, before `a[row * cols + col]`.
void ask_for_column(Writer& w, const Body& body, const Elements& all) {
    const Source& s = w.s;
    for (const auto& [v, elements] : all)
        for (const Element& e : elements)
            for (const Statement& st : body.statements) {
                if (st.word != "if" || st.first > e.subscript.first || !s.is(st.first + 1, "(")) continue;
                const int first = st.first + 2, last = st.last - 1;
                int sign = -1;
                for (int k = first; k <= last && sign < 0; ++k)
                    if ((s.is(k, ">=") || s.is(k, "<")) && !is_template_angle(s, k)) sign = k;
                if (sign < 0) continue;
                const std::string condition = s.words(first, last), col = s.words(e.col.first, e.col.last);
                if (s.words(first, sign - 1) != row_of(s, e) || condition.find(col) != condition.npos)
                    continue;
                const std::string now = fmt::format(
                    "{} {} {} {} {}",
                    condition,
                    s.is(sign, "<") ? "&&" : "||",
                    col,
                    s.word(sign),
                    s.word(e.row.last + 2)
                );
                put(w, 2 * kTelling, "wrong_condition", first, last, now);
            }
}

// Tables that are named by numbers: the first for the last.
void turn_around_numbers(Writer& w, const Statement& st) {
    std::map<std::string, std::vector<int>> numbers;
    for (int k = st.first; k + 3 < st.last; ++k)
        if (w.s.is(k + 1, "[") && w.s.at(k + 2).kind == Token::Kind::number && w.s.is(k + 3, "]"))
            numbers[std::string(w.s.word(k))].push_back(k + 2);
    for (const auto& [name, at] : numbers) {
        if (at.size() < 3) continue;
        Rewrite r{"wrong_index", 2, "", "", w.s.at(at.front()).line, {}};
        for (size_t k = 0; k < at.size(); ++k) {
            const Token& t = w.s.at(at[k]);
            const std::string was = fmt::format("{}[{}]", name, w.s.word(at[k]));
            const std::string now(w.s.word(at[at.size() - 1 - k]));
            if (k == 0)
                r.was = was, r.now = fmt::format("{}[{}]", name, now);
            else
                r.besides.push_back({was, fmt::format("{}[{}]", name, now), t.line});
            r.edits.push_back({t.begin, t.end - t.begin, now});
        }
        r.bias = kTelling;
        w.add(std::move(r));
    }
}

// `(j - begin) & 1` of `j & 1`: of a loop that does not begin at zero.
void count_from_begin(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || !is_whole(*v) || !is_operand(w.s, k) || loop_of(body, *v) == nullptr) return;
    const Variable* const begin =
        w.s.is(v->from + 1, "=") && w.s.is(v->from + 3, ";") ? variable_at(w.s, v->from + 2) : nullptr;
    if (begin == nullptr || !is_whole(*begin)) return;
    const bool turns = w.s.is(k + 1, "&") || w.s.is(k + 1, "%");
    put(w, turns ? 2 * kTelling : kRare, "stale_tile", k, k, fmt::format("({} - {})", v->name, begin->name));
}

// Another constant or extent wherever the statement names one twice or more.
void name_another(Writer& w, const Body& body, const Statement& st) {
    std::map<const Variable*, std::vector<int>> named;
    for (int k = st.first; k <= st.last; ++k)
        if (const Variable* v = variable_at(w.s, k);
            v != nullptr && is_whole(*v) && (v->of_file || is_given(body, *v)))
            named[v].push_back(k);
    for (const auto& [v, at] : named) {
        if (at.size() < 2) continue;
        for (const Variable* other : visible(w.s, st.first)) {
            if (other == v || !is_whole(*other) || (!other->of_file && !is_given(body, *other))) continue;
            put_at_all(w, kRare, "wrong_index", at, other->name);
        }
    }
}

}  // namespace

void add_orders(Writer& w) {
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) count_from_begin(w, body, k);
    });
    for (const Body& body : w.s.bodies) {
        const Elements elements = elements_by_rows(w.s, body);
        transpose_all(w, body, elements), ask_for_column(w, body, elements);
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st) && w.is_near(st.first))
                turn_around_numbers(w, st), name_another(w, body, st);
    }
}

}  // namespace wl::diagnosis::rewrite
