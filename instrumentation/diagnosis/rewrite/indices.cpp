// Indices: looked up in a table, kept inside, taken from elsewhere, of another buffer, of another order.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "wrong_index";

// Whole numbers that something is looked up in.
bool is_table(const Variable& v) { return v.kind == ValueKind::whole && v.indirections == 1; }

// Another index in place of a whole one: `row` for `i % rows`, `columns[i]`, `step % 2`.
void replace_index(Writer& w, const Body& body, const Span& at, int cost) {
    const std::string text = w.s.words(at.first, at.last);
    const auto put = [&](int score, const std::string& now) {
        if (now != text) w.replace(kRule, score, at.first, at.last, now);
    };
    for (const Variable* t : visible(w.s, at.first)) {
        if (!is_table(*t)) continue;
        put(cost, fmt::format("{}[{}]", t->name, text));
        for (const Variable* i : visible(w.s, at.first))
            if (is_whole(*i) && !i->of_file) put(3, fmt::format("{}[{}]", t->name, i->name));
    }
    for (const std::string& e : whole_expressions(w.s, body, at.first)) put(3, e);
    if (at.first == at.last) return;
    for (const Variable* v : visible(w.s, at.first))
        if (is_whole(*v) && !v->of_file) put(3, v->name);
}

// Of a buffer: `1 - now`, `now ^ 1`.
void add_other_buffer(Writer& w, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || !is_whole(*v) || v->from == k || w.s.word(k + 1).ends_with('=')) return;
    const bool operand = precedence(w.s, k - 1) > 0 || precedence(w.s, k + 1) > 9;
    const char* form = operand ? "(1 - {})" : "1 - {}";
    w.replace("stale_tile", 2, k, k, fmt::format(fmt::runtime(form), v->name));
}

// Kept below an extent, or above zero.
void add_clamps(Writer& w, int k) {
    const Variable* const v = variable_at(w.s, k);
    const bool call = w.s.is(k + 1, "(") && (w.s.is(k, "max") || w.s.is(k, "min")) && w.s.at(k + 1).match > k;
    const bool index = v != nullptr && is_whole(*v) && !v->of_file && v->from != k;
    if ((!index && !call) || w.s.word(k + 1).ends_with('=') || w.s.is(k + 1, "++")) return;
    const int last = call ? w.s.at(k + 1).match : k;
    const std::string text = w.s.words(k, last);
    for (const Variable* b : visible(w.s, k))
        if (is_whole(*b) && b != v && (b->parameter || b->from < 0))
            w.replace("out_of_bounds", 3, k, last, fmt::format("min({}, {} - 1)", text, b->name));
    w.replace("out_of_bounds", 3, k, last, fmt::format("max({}, 0)", text));
}

// `a / b * c` and `a * c / b`.
void reorder_product(Writer& w, int k) {
    if ((!w.s.is(k, "*") && !w.s.is(k, "/")) || precedence(w.s, k) == 0) return;
    const Operands o = operands_of(w.s, k);
    for (int at = k - 1; at > o.left; --at) {
        if (is_closing(w.s.word(at)) && w.s.at(at).match > 0) at = w.s.at(at).match;
        if (precedence(w.s, at) != precedence(w.s, k) || w.s.is(at, w.s.word(k))) continue;
        const std::string a = w.s.words(o.left, at - 1), b = w.s.words(at, k - 1), c = w.s.words(k, o.right);
        w.replace("wrong_operation", 2, o.left, o.right, fmt::format("{} {} {}", a, c, b));
        return;
    }
}

// `(a * n + i) * m + j` and `(a * m + j) * n + i`: the extents with their indices exchanged.
void exchange_levels(Writer& w, int k) {
    if (!w.s.is(k, "+") || precedence(w.s, k) == 0) return;
    const Operands outer = operands_of(w.s, k);
    int star = -1;
    for (int at = k - 1; at > outer.left && star < 0; --at) {
        if (w.s.is(at, "*") && precedence(w.s, at) > 0) star = at;
        if (is_closing(w.s.word(at)) && w.s.at(at).match > 0) at = w.s.at(at).match;
    }
    if (star < 0 || !w.s.is(star - 1, ")") || w.s.at(star - 1).match != outer.left) return;
    const int open = outer.left + 1, close = star - 2;
    int plus = -1;
    for (int at = close; at > open && plus < 0; --at) {
        if (is_closing(w.s.word(at)) && w.s.at(at).match > 0) at = w.s.at(at).match;
        if (w.s.is(at, "+") && precedence(w.s, at) > 0) plus = at;
    }
    if (plus < 0) return;
    int inner = -1;
    for (int at = plus - 1; at > open && inner < 0; --at) {
        if (is_closing(w.s.word(at)) && w.s.at(at).match > 0) at = w.s.at(at).match;
        if (w.s.is(at, "*") && precedence(w.s, at) > 0) inner = at;
    }
    if (inner < 0) return;
    const std::string a = w.s.words(open, inner - 1), n = w.s.words(inner + 1, plus - 1),
                      i = w.s.words(plus + 1, close), m = w.s.words(star + 1, k - 1),
                      j = w.s.words(k + 1, outer.right);
    w.replace(kRule, 1, outer.left, outer.right, fmt::format("({} * {} + {}) * {} + {}", a, m, j, n, i));
}

// `f(x)` and `x`: a conversion that takes something away; a last argument.
void add_of_call(Writer& w, int k) {
    if (!w.s.is(k, "(") || w.s.at(k).match < 0 || k < 2) return;
    const int close = w.s.at(k).match;
    const bool cast = w.s.is(k - 1, ">") && is_template_angle(w.s, k - 1);
    int name = k - 1;
    if (cast)
        while (name > 0 && !w.s.is(name, "<")) --name;
    if (cast) --name;
    const std::string_view word = w.s.word(name);
    const bool head =
        word == "if" || word == "for" || word == "while" || word == "return" || word == "sizeof";
    const bool statement = w.s.is(close + 1, ";") && !w.s.word(name - 1).ends_with('=') &&
        precedence(w.s, name - 1) == 0 && !w.s.is(name - 1, "return");
    if (w.s.at(name).kind != Token::Kind::word || head || statement || close == k + 1) return;
    int comma = -1;
    for (int at = k + 1; at < close; ++at) {
        if (is_opening(w.s.word(at)) && w.s.at(at).match > at) at = w.s.at(at).match;
        if (w.s.is(at, ",")) comma = at;
    }
    if (comma > 0) return w.replace("wrong_operation", 2, k, close, w.s.words(k, comma - 1) + ")");
    w.replace(cast ? "overflow" : "precision", 2, name, close, in_brackets(w.s, k + 1, close - 1));
    // There and back: `__half2float(__float2half(x))`.
    const bool both =
        w.s.at(k + 1).kind == Token::Kind::word && w.s.is(k + 2, "(") && w.s.at(k + 2).match == close - 1;
    if (both) w.replace("precision", 2, name, close, in_brackets(w.s, k + 3, close - 2));
}

// A pointer that is given, moved on by what is at hand.
void move_pointer(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    const bool argument =
        (w.s.is(k - 1, "(") || w.s.is(k - 1, ",")) && (w.s.is(k + 1, ",") || w.s.is(k + 1, ")"));
    if (v == nullptr || v->indirections != 1 || v->from == k || !argument) return;
    for (const std::string& e : whole_expressions(w.s, body, k))
        w.replace(kRule, 3, k, k, fmt::format("{} + {}", v->name, e));
}

}  // namespace

void add_indices(Writer& w) {
    for_each_token(w, [&](int k, const Body& body) {
        reorder_product(w, k);
        exchange_levels(w, k);
        add_of_call(w, k);
        // Always the same element: of whichever line.
        const bool fixed = w.s.is(k, "[") && w.s.at(k + 1).kind == Token::Kind::number && w.s.is(k + 2, "]");
        if (fixed && !w.is_near(k)) replace_index(w, body, {k + 1, k + 1}, 3);
        if (!w.is_near(k)) return;
        add_other_buffer(w, k);
        add_clamps(w, k);
        move_pointer(w, body, k);
        const bool begins = w.s.is(k, "[") || w.s.is(k, ",") ||
            (w.s.is(k, "(") && k > 0 && w.s.at(k - 1).kind == Token::Kind::word && !w.s.is(k - 1, "if") &&
             !w.s.is(k - 1, "for"));
        const bool sets = w.s.is(k, "=") && precedence(w.s, k) == 0;
        if ((!begins && !sets) || k + 1 >= body.close) return;
        const int last = end_of_expression(w.s, k + 1);
        if (last <= k || last - k > 20 || holds_real(w.s, k + 1, last)) return;
        const Statement* const st = statement_of(body, k);
        const bool looped = st != nullptr && st->word == "for";
        const Variable* const own = variable_at(w.s, k + 1);
        const bool pointer = own != nullptr && own->indirections > 0 && last == k + 1;
        if (!looped && !pointer) replace_index(w, body, {k + 1, last}, w.s.is(k, "[") ? 2 : 3);
    });
}

}  // namespace wl::diagnosis::rewrite
