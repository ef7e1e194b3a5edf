// One thought, several words.
#include "instrumentation/diagnosis/rewrite/several/formulas.h"

#include "instrumentation/diagnosis/rewrite/declarations.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 24;  // texts of a form at one place
// A number that can be read there and is not an array.
bool is_one(const Variable& v, ValueKind kind) { return v.kind == kind && v.indirections == 0; }

// `b * b` of `a * a`.
void square_another(Writer& w, int k) {
    const Variable* const a = variable_at(w.s, k - 1);
    const bool square = w.s.is(k, "*") && a != nullptr && variable_at(w.s, k + 1) == a;
    if (!square || a->indirections > 0) return;
    for (const Variable* b : visible(w.s, k))
        if (b != a && is_one(*b, a->kind) && b->from != k)
            put(w, kRare, "wrong_constant", k - 1, k + 1, fmt::format("{0} * {0}", b->name));
}

// `2 * (K - 1)` of `2 * K`, `(K + 1) * n` of `K * n`.
void step_in_product(Writer& w, int k) {
    const Variable* const v = variable_at(w.s, k);
    const bool product = w.s.is(k - 1, "*") || w.s.is(k + 1, "*") || w.s.is(k - 1, "/");
    if (v == nullptr || !is_whole(*v) || !product || !is_operand(w.s, k)) return;
    for (const char* form : {"({} - 1)", "({} + 1)"})
        w.replace("boundary_off_by_one", 2, k, k, fmt::format(fmt::runtime(form), v->name));
}

// `(x + 0.5f)` of a whole number that a real one is made of: the centre of what it counts.
void take_centre(Writer& w, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || !is_whole(*v) || !is_operand(w.s, k) || bracket_before(w.s, k) < 0) return;
    for (const int at : {k - 1, k + 1}) {
        if (precedence(w.s, at) == 0) continue;
        const Operands o = operands_of(w.s, at);
        if (!holds_real(w.s, o.left, o.right)) continue;
        for (const char* form : {"({} + 0.5f)", "({} - 0.5f)"})
            put(w, kRare, "wrong_operand", k, k, fmt::format(fmt::runtime(form), v->name));
        return;
    }
}

// `u + w > 1.0f` of `w > 1.0f`: what is compared is a sum.
void compare_sum(Writer& w, int k) {
    const bool compares = w.s.is(k, "<") || w.s.is(k, "<=") || w.s.is(k, ">") || w.s.is(k, ">=");
    const Variable* const v = variable_at(w.s, k - 1);
    if (!compares || is_template_angle(w.s, k) || v == nullptr || v->indirections > 0) return;
    if (operands_of(w.s, k).left != k - 1) return;
    size_t taken = 0;
    for (const Variable* u : visible(w.s, k))
        if (u != v && is_one(*u, v->kind) && !u->of_file && taken++ < kMost)
            put(w, kRare, "wrong_condition", k - 1, k - 1, fmt::format("{} + {}", u->name, v->name));
}

// `base + j != i && ...`: not with itself.
void leave_itself_out(Writer& w, const Body& body, const Statement& st) {
    if (st.word != "if" || !w.s.is(st.first + 1, "(")) return;
    const int first = st.first + 2, last = st.last - 1;
    std::vector<std::string> others = whole_expressions(w.s, body, first);
    const std::vector<const Variable*> all = visible(w.s, first);
    for (const Variable* v : all)
        if (is_whole(*v) && is_own(body, *v)) others.push_back(v->name);
    const std::string condition = w.s.words(first, last);
    const bool joins = condition.find("||") != condition.npos;
    size_t taken = 0;
    for (const Variable* v : all) {
        if (!is_whole(*v) || !is_own(body, *v) || loop_of(body, *v) != nullptr) continue;
        for (const std::string& other : others) {
            if (other == v->name || other.find(v->name) != other.npos || taken++ >= kMost) continue;
            w.insert(
                "wrong_condition",
                2,
                w.s.at(first).begin,
                w.s.at(first).line,
                fmt::format("{} != {} && {}", other, v->name, joins ? "(" : "")
            );
            w.out.back().bias = kRare;
            if (joins) w.out.back().edits.push_back({w.s.at(last).end, 0, ")"});
        }
    }
}

// `energy -= f(c);` behind `energy += f(s);`: of a number that is made and never read.
void go_on_with_unread(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    if (!st.word.empty() || sets < 0 || !w.s.is(st.last, ";") || w.s.is(sets, "=")) return;
    const std::map<std::string, int> uses = uses_of(w.s, body);
    const std::string target = w.s.words(st.first, sets - 1);
    for (const Variable* u : visible(w.s, st.first)) {
        const auto used = uses.find(u->name);
        const bool unread =
            u->indirections == 0 && is_own(body, *u) && used != uses.end() && used->second == 1;
        if (!unread) continue;
        for (int k = sets + 1; k < st.last; ++k) {
            const Variable* const v = variable_at(w.s, k);
            const bool fits = v != nullptr && v != u && alike(*u, *v);
            if (!fits) continue;
            const std::string value = renamed(w.s, sets + 1, st.last - 1, v->name, u->name);
            for (const char* sign : {"+=", "-="})
                w.insert(
                    "partial_reduction",
                    2,
                    w.s.at(st.last).end,
                    w.s.at(st.last).line,
                    fmt::format(" {} {} {};", target, sign, value)
                ),
                    w.out.back().bias = kTelling;
        }
    }
}

// `(u64)f(a) << 32 | b` of `(u64)b << 32 | f(a)`: what is called and what is named; `a[i] = b[at[i]]` of
// `a[at[i]] = b[i]`: what is looked up and what is named.
void exchange_with_call(Writer& w, const Statement& st) {
    size_t taken = 0;
    for (int k = st.first; k < st.last; ++k) {
        const bool word = w.s.at(k).kind == Token::Kind::word && k > st.first && st.word != "for";
        const bool call = word && w.s.is(k + 1, "(") && w.s.at(k + 1).match > k;
        const Variable* const table = word && w.s.is(k + 1, "[") ? variable_at(w.s, k) : nullptr;
        const bool looked_up =
            table != nullptr && table->kind == ValueKind::whole && table->indirections == 1;
        if (!call && !looked_up) continue;
        const int close = w.s.at(k + 1).match;
        for (int v = st.first; v < st.last; ++v) {
            if (v >= k && v <= close) continue;
            const bool name = is_operand(w.s, v) && variable_at(w.s, v)->indirections == 0 &&
                variable_at(w.s, v)->kind != ValueKind::other;
            if (!name || v == st.first || taken++ >= kMost) continue;
            const std::string a = w.s.words(k, close), b = w.s.words(v, v);
            Edit here{w.s.at(k).begin, w.s.at(close).end - w.s.at(k).begin, b},
                there{w.s.at(v).begin, w.s.at(v).end - w.s.at(v).begin, a};
            const bool before = here.begin < there.begin;
            w.add({
                "wrong_operand",
                2,
                fmt::format("{}, {}", a, b),
                fmt::format("{}, {}", b, a),
                w.s.at(k).line,
                {before ? here : there, before ? there : here}
            });
            w.out.back().bias = kRare;
        }
    }
}

// `unsigned char` of `signed char`, `char` and the other way round.
void change_sign(Writer& w, int k) {
    const bool small = w.s.is(k, "char") || w.s.is(k, "short");
    if (!small) return;
    const std::string type(w.s.word(k));
    const int before = w.s.is(k - 1, "signed") || w.s.is(k - 1, "unsigned") ? k - 1 : k;
    if (!w.s.is(before, "unsigned")) put(w, kRare, "overflow", before, k, "unsigned " + type);
    if (w.s.is(before, "unsigned") || w.s.is(k, "char"))
        put(w, kRare, "overflow", before, k, "signed " + type);
}

// `1 << 14` of the `0` that a sum begins with which is shifted by 15: it is rounded, not cut.
void begin_with_half(Writer& w, const Body& body, int k) {
    const bool shift = w.s.is(k, ">>") && w.s.at(k + 1).kind == Token::Kind::number;
    const Variable* const v = variable_at(w.s, k - 1);
    if (!shift || v == nullptr || !is_whole(*v) || v->from < body.open || !w.s.is(v->from + 1, "=")) return;
    const int bits = std::atoi(w.s.words(k + 1, k + 1).c_str()), first = v->from + 2;
    const int last = end_of_expression(w.s, first);
    if (bits < 1 || last != first) return;
    put(w, kTelling, "wrong_initial_value", first, last, fmt::format("1 << {}", bits - 1));
    w.replace("wrong_operation", 2, k - 1, k - 1, fmt::format("({} + (1 << {}))", v->name, bits - 1));
}

// `32` of `blockDim.x`: each warp goes its own way.
void step_by_warp(Writer& w, int k) {
    const bool block = w.s.is(k, "blockDim") && w.s.is(k + 1, ".") && w.s.is(k + 2, "x");
    if (block) put(w, w.s.is(k - 1, "+=") ? kTelling : 0, "wrong_constant", k, k + 2, "32");
}

// `(long long)a * b` of `(long long)(a * b)`: converted before it overflows.
void convert_before(Writer& w, int k) {
    const int close = w.s.is(k, "(") ? w.s.at(k).match : -1,
              open = w.s.is(k - 1, ")") ? w.s.at(k - 1).match : -1;
    if (close <= k + 1 || open < 0 || open + 1 > k - 2) return;
    if (kind_of_type(w.s, w.s.words(open + 1, k - 2)) == ValueKind::other) return;
    put(w, kRare, "overflow", k, close, w.s.words(k + 1, close - 1));
}

// `n * TILE + j` of `j`: of a whole number that is set where it counts from somewhere.
void count_from(Writer& w, const Body& body, const Statement& st) {
    const int sets = st.word == "return" ? st.first : assignment_of(w.s, st);
    const Variable* const v = sets < 0 ? nullptr : variable_at(w.s, sets + 1);
    if (v == nullptr || !is_whole(*v) || sets + 2 != st.last || (sets > st.first && !w.s.is(sets, "=")))
        return;
    for (const std::string& e : whole_expressions(w.s, body, st.first))
        if (e.find('*') != e.npos)
            put(w, kRare, "wrong_index", sets + 1, sets + 1, fmt::format("{} + {}", e, v->name));
}

// `a[e / n * pitch + e % n]` of `a[e]`: rows that are padded.
void look_up_padded(Writer& w, int k) {
    const Variable* const v = variable_at(w.s, k);
    const bool subscript = v != nullptr && is_whole(*v) && w.s.is(k - 1, "[") && w.s.is(k + 1, "]");
    if (!subscript || v->of_file) return;
    constexpr size_t kMostExtents = 8;
    std::vector<const Variable*> extents;
    for (const Variable* u : visible(w.s, k))
        if (u != v && is_whole(*u) && extents.size() < kMostExtents && v->from != u->from)
            extents.push_back(u);
    for (const Variable* n : extents)
        for (const Variable* pitch : extents)
            if (n != pitch)
                put(w,
                    0,
                    "wrong_leading_dimension",
                    k,
                    k,
                    fmt::format("{0} / {1} * {2} + {0} % {1}", v->name, n->name, pitch->name));
}

// `x & behind(v, w)` of `x`, as `y & behind(u, w)` stands elsewhere: a mask that is joined there.
void join_as_elsewhere(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    if (sets < 0 || !w.s.is(st.last, ";")) return;
    size_t taken = 0;
    for (int k = body.open; k < body.close; ++k) {
        const bool joins = w.s.is(k, "&") && precedence(w.s, k) > 0 && (k < st.first || k > st.last);
        if (!joins || taken >= kMost) continue;
        const Operands o = operands_of(w.s, k);
        const std::string mask = w.s.words(k + 1, o.right);
        if (mask.find('(') == mask.npos) continue;
        std::vector<std::string> masks = {mask};
        for (int at = k + 1; at <= o.right; ++at)
            if (const Variable* v = variable_at(w.s, at); v != nullptr && v->indirections == 0)
                for (const Variable* u : visible(w.s, st.first))
                    if (u != v && alike(*u, *v))
                        masks.push_back(renamed(w.s, k + 1, o.right, v->name, u->name));
        for (const std::string& m : masks) {
            if (!all_known(w.s, k, m, st.first) || taken++ >= kMost) continue;
            put(w,
                kRare,
                "wrong_operation",
                sets + 1,
                st.last - 1,
                fmt::format("{} & {}", w.s.words(sets + 1, st.last - 1), m));
            // Within the last call: `__popc(x & m)`.
            const int open = w.s.is(st.last - 1, ")") ? w.s.at(st.last - 1).match : -1;
            if (open > sets + 1)
                put(w,
                    kRare,
                    "wrong_operation",
                    open + 1,
                    st.last - 2,
                    fmt::format("{} & {}", w.s.words(open + 1, st.last - 2), m));
        }
    }
}

// `sum / max(q, 1)` and `q = max(q, 1);`: of what is divided by.
void divide_by_one_at_least(Writer& w, int k) {
    const Variable* const v = variable_at(w.s, k + 1);
    if (!w.s.is(k, "/") || v == nullptr || v->indirections > 0 || !is_operand(w.s, k + 1)) return;
    const bool real = v->kind == ValueKind::real;
    if (!real && v->kind != ValueKind::whole) return;
    put(w,
        kRare,
        "out_of_bounds",
        k + 1,
        k + 1,
        real ? fmt::format("fmaxf({}, 1.0f)", v->name) : fmt::format("max({}, 1)", v->name));
}

// `(c ? a : 1.0f - a)` of `a`: of what is one or the other.
void choose_rest(Writer& w, int k) {
    const Variable* const a = variable_at(w.s, k);
    if (a == nullptr || !is_one(*a, ValueKind::real) || !is_operand(w.s, k)) return;
    for (const Variable* c : visible(w.s, k))
        if (is_one(*c, ValueKind::boolean))
            for (const char* form : {"({0} ? {1} : 1.0f - {1})", "({0} ? 1.0f - {1} : {1})"})
                put(w, kRare, "wrong_condition", k, k, fmt::format(fmt::runtime(form), c->name, a->name));
}

}  // namespace

void add_formulas(Writer& w) {
    for_each_token(w, [&](int k, const Body& body) {
        begin_with_half(w, body, k);
        if (!w.is_near(k)) return;
        square_another(w, k), step_in_product(w, k), take_centre(w, k), compare_sum(w, k), change_sign(w, k);
        choose_rest(w, k), look_up_padded(w, k), step_by_warp(w, k), convert_before(w, k),
            divide_by_one_at_least(w, k);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
            leave_itself_out(w, body, st), go_on_with_unread(w, body, st), exchange_with_call(w, st),
                count_from(w, body, st), join_as_elsewhere(w, body, st);
        }
}

}  // namespace wl::diagnosis::rewrite
