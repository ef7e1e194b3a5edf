// One thought, several words.
#include "instrumentation/diagnosis/rewrite/several/formulas.h"

#include "instrumentation/diagnosis/rewrite/declarations.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 24;  // texts of a form at one place

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

}  // namespace

void add_formulas(Writer& w) {
    const Pass &formulas = pass_of("formulas"), &of_statements = pass_of("formulas_statements");
    for_each_token(w, [&](int k, const Body& body) {
        begin_with_half(w, body, k);
        try_rows(w, formulas, k, body);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
            leave_itself_out(w, body, st), go_on_with_unread(w, body, st), exchange_with_call(w, st),
                try_rows(w, of_statements, st, body), join_as_elsewhere(w, body, st);
        }
}

}  // namespace wl::diagnosis::rewrite
