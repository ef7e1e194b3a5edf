// Constants and numbers that are never read, each where somebody would have asked for it.
#include "instrumentation/diagnosis/rewrite/several/forgotten.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char *kGuard = "wrong_condition", *kTerm = "partial_reduction", *kWrong = "wrong_operand";
constexpr size_t kMost = 24;  // texts of a form at one place
constexpr int kSure = 100;

bool is_number(const Variable& v) {
    return v.indirections == 0 && (v.kind == ValueKind::whole || v.kind == ValueKind::real);
}

std::vector<const Variable*> unread_constants(const Source& s) {
    std::set<const Variable*> read;
    for (const Body& body : s.bodies)
        for (int k = body.open; k < body.close; ++k)
            if (const Variable* v = variable_at(s, k)) read.insert(v);
    std::vector<const Variable*> out;
    for (const Variable& v : s.variables)
        if (v.of_file && v.constant && is_number(v) && !read.contains(&v)) out.push_back(&v);
    return out;
}

// What ends a turn or a thread there: "continue;", "return;".
std::vector<std::string> ways_out(const Source& s, const Body& body, int token) {
    std::vector<std::string> out;
    for (const Statement& st : body.statements) {
        const bool loop = st.word == "for" || st.word == "while";
        if (loop && token > st.last && token <= st.body_last && out.empty()) out.emplace_back("continue;");
    }
    if (gives_nothing(s, body)) out.emplace_back("return;");
    return out;
}

// What the statement sets; null: no plain number.
const Variable* set_by(const Source& s, const Statement& st) {
    const Variable* const v = variable_set(s, st);
    return v != nullptr && is_number(*v) && s.is(st.last, ";") ? v : nullptr;
}

// `if (v == limit) return;` after what sets `v`; `v += limit;`, of two numbers as well: of a constant of the
// file.
void ask_for(Writer& w, const Body& body, const Variable& constant) {
    std::vector<const Variable*> before;  // set by the statements before, the last first
    for (const Statement& st : body.statements) {
        if (is_alone(w.s, st) && w.is_near(st.first) && !before.empty() && !is_mark(w.s, st)) {
            const Variable& v = *before.front();
            const bool real = constant.kind == ValueKind::real;
            for (const char* sign : {"==", "<", ">", ">=", "!="})
                for (const std::string& out : ways_out(w.s, body, st.first))
                    if (v.kind == constant.kind && real == (sign[1] == 0))
                        put_before(
                            w,
                            kTelling,
                            kGuard,
                            st.first,
                            fmt::format("if ({} {} {}) {}", v.name, sign, constant.name, out)
                        );
            constexpr size_t kMostSet = 3;
            for (size_t a = 0; real && a < std::min(before.size(), kMostSet); ++a) {
                const std::string one = fmt::format("{} += {};", before[a]->name, constant.name);
                if (before[a]->constant || before[a]->kind != ValueKind::real) continue;
                put_before(w, kTelling, kTerm, st.first, one);
                for (size_t b = a + 1; b < std::min(before.size(), kMostSet); ++b)
                    if (!before[b]->constant && before[b]->kind == ValueKind::real)
                        put_before(
                            w,
                            kTelling,
                            kTerm,
                            st.first,
                            fmt::format("{1} += {2}; {0}", one, before[b]->name, constant.name)
                        );
            }
        }
        if (const Variable* v = set_by(w.s, st)) before.insert(before.begin(), v);
    }
}

// `col == at ? second : least` of `least`.
void choose_by(Writer& w, const Variable& unread, const Statement& st) {
    const int sets = st.word == "return" ? st.first : assignment_of(w.s, st);
    const Variable* const v = sets < 0 ? nullptr : variable_at(w.s, sets + 1);
    if (v == nullptr || !is_number(*v) || sets + 2 != st.last || !is_whole(unread)) return;
    size_t taken = 0;
    for (const Variable* u : visible(w.s, st.first)) {
        if (!is_whole(*u) || u == &unread || u == v) continue;
        for (const Variable* other : visible(w.s, st.first))
            if (other != v && other != u && other != &unread && alike(*other, *v) && taken++ < 4 * kMost)
                put(w,
                    kRare,
                    kGuard,
                    sets + 1,
                    sets + 1,
                    fmt::format("{} == {} ? {} : {}", unread.name, u->name, other->name, v->name));
    }
}

// `second = least;` before `least = a;`, where `second` is compared with as well.
void keep_second(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    const Variable* const v = set_by(w.s, st);
    const bool plain = v != nullptr && w.s.is(sets, "=") && sets + 2 == st.last && sets == st.first + 1;
    if (!plain || !is_alone(w.s, st)) return;
    const Variable* const with = variable_at(w.s, sets + 1);
    if (with == nullptr) return;
    std::set<const Variable*> taken;
    for (int k = body.open + 1; k < body.close; ++k) {
        const bool compares = w.s.is(k, "<") || w.s.is(k, ">") || w.s.is(k, "<=") || w.s.is(k, ">=");
        if (!compares || is_template_angle(w.s, k)) continue;
        const Variable *const a = variable_at(w.s, k - 1), *const b = variable_at(w.s, k + 1);
        const Variable* const u = a == with ? b : b == with ? a : nullptr;
        if (u != nullptr && u != v && !u->constant && alike(*u, *v) && taken.insert(u).second)
            put_before(w, kSure, "never_written", st.first, fmt::format("{} = {};", u->name, v->name));
    }
}

// `if (lane == 0) below = 0;` behind a shuffle from the lane below, which the first has none of.
void end_of_lanes(Writer& w, const Statement& st) {
    const int sets = assignment_of(w.s, st), call = sets + 1;
    const Variable* const v = set_by(w.s, st);
    const bool up = sets > 0 && (w.s.is(call, "__shfl_up_sync") || w.s.is(call, "__shfl_up"));
    if (v == nullptr || v->constant || !up || !w.s.is(call + 1, "(")) return;
    const std::vector<Span> arguments = arguments_of(w.s, call + 1);
    if (arguments.empty()) return;
    const size_t step = w.s.is(call, "__shfl_up") ? 1 : 2;
    if (arguments.size() <= step) return;
    const std::string by = w.s.words(arguments[step].first, arguments[step].last);
    for (const Variable* lane : visible(w.s, st.first)) {
        if (!is_whole(*lane) || lane == v || lane->of_file) continue;
        const std::string first = by == "1" ? lane->name + " == 0" : fmt::format("{} < {}", lane->name, by);
        put_behind(w, kRare, kGuard, st.last, fmt::format("if ({}) {} = 0;", first, v->name));
    }
}

// `if (closed[v]) continue;` behind what sets `v`: an array that nobody reads says who takes part.
void skip_marked(Writer& w, const Body& body, const Variable& marks, const Statement& st) {
    const Variable* const v = set_by(w.s, st);
    if (v == nullptr || !is_whole(*v) || st.body_last >= 0) return;
    for (const std::string& out : ways_out(w.s, body, st.first))
        for (const char* sign : {"", "!"}) {
            const std::string text = fmt::format("if ({}{}[{}]) {}", sign, marks.name, v->name, out);
            put_behind(w, kTelling, kGuard, st.last, text);
        }
}

// `offsets[u]` and `offsets[u + 1]` of `offsets[i]` and `offsets[i + 1]`: in all of a statement.
void stand_for_other(Writer& w, const Variable& unread, const Statement& st) {
    std::map<const Variable*, std::vector<int>> read;
    for (int k = st.first; k <= st.last; ++k)
        if (is_operand(w.s, k) && alike(*variable_at(w.s, k), unread)) read[variable_at(w.s, k)].push_back(k);
    for (const auto& [v, at] : read) {
        if (v == &unread || at.size() < 2 || unread.from > st.first || unread.to < st.last) continue;
        put_at_all(w, kTelling, "wrong_index", at, unread.name);
    }
}

// `if (a == 0 || b == 0) return 0;` before what a function makes of two numbers.
void return_nothing(Writer& w, const Body& body, const Statement& st) {
    if (st.word != "return" || !is_alone(w.s, st) || gives_nothing(w.s, body)) return;
    std::vector<const Variable*> given;
    for (const Variable& v : w.s.variables)
        if (is_number(v) && is_given(body, v)) given.push_back(&v);
    if (given.size() < 2 || given.size() > 3) return;
    for (size_t a = 0; a + 1 < given.size(); ++a)
        for (size_t b = a + 1; b < given.size(); ++b) {
            const auto zero = [](const Variable& v) { return v.kind == ValueKind::real ? "0.0f" : "0"; };
            put_before(
                w,
                2 * kTelling,
                kGuard,
                st.first,
                fmt::format(
                    "if ({} == {} || {} == {}) return 0;",
                    given[a]->name,
                    zero(*given[a]),
                    given[b]->name,
                    zero(*given[b])
                )
            );
        }
}

// `if (smaller >= least)` before a statement or a block behind what sets `smaller`, where nobody asks for
// `least`.
void ask_whether(Writer& w, const Body& body, const Variable& unread) {
    if (unread.kind != ValueKind::real) return;
    for (const Statement& st : body.statements) {
        const Variable* const v = set_by(w.s, st);
        if (v == nullptr || v->kind != ValueKind::real || !w.is_near(st.first)) continue;
        constexpr int kNext = 24;  // tokens
        for (int k = st.last + 1; k < std::min(st.last + kNext, body.close); ++k) {
            const bool begins = w.s.is(k - 1, ";") || w.s.is(k - 1, "}") || w.s.is(k, "{");
            if (!begins || w.s.is(k - 1, "=") || w.s.is(k, "}")) continue;
            for (const char* sign : {">=", "<="})
                put_before(w, kTelling, kGuard, k, fmt::format("if ({} {} {})", v->name, sign, unread.name));
        }
    }
}

// Given, and nobody asks for it.
std::vector<const Variable*> unread_in(const Source& s, const Body& body, bool arrays) {
    constexpr size_t kMostUnread = 6;
    std::vector<const Variable*> out;
    for (const Variable& v : s.variables) {
        const bool fits = arrays ? v.indirections == 1 && v.kind == ValueKind::whole && is_given(body, v)
                                 : is_number(v) && (is_own(body, v) || is_given(body, v));
        if (fits && out.size() < kMostUnread && is_unread(s, body, v)) out.push_back(&v);
    }
    return out;
}

}  // namespace

void add_forgotten(Writer& w) {
    const Pass& rows = pass_of("unread");
    const std::vector<const Variable*> constants = unread_constants(w.s);
    for (const Body& body : w.s.bodies) {
        for (const Variable* c : constants) ask_for(w, body, *c);
        const std::vector<const Variable*> unread = unread_in(w.s, body, false),
                                           arrays = unread_in(w.s, body, true);
        for (const Variable* v : unread) ask_whether(w, body, *v);
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
            keep_second(w, body, st), end_of_lanes(w, st), return_nothing(w, body, st);
            for (const Variable* v : arrays) skip_marked(w, body, *v, st);
            for (const Variable* v : unread) {
                choose_by(w, *v, st), stand_for_other(w, *v, st);
                for (int k = st.first; k <= st.last; ++k) try_rows(w, rows, k, body, v);
            }
        }
    }
}

}  // namespace wl::diagnosis::rewrite
