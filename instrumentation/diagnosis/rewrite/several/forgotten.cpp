// Constants and numbers that are never read, each where somebody would have asked for it.
#include "instrumentation/diagnosis/rewrite/several/forgotten.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char *kGuard = "wrong_condition", *kTerm = "partial_reduction", *kWrong = "wrong_operand";
constexpr size_t kMost = 24;  // texts of a form at one place
constexpr int kSure = 100;

void put_before(Writer& w, int bias, const char* rule, const Statement& st, const std::string& now) {
    w.insert(rule, 3, w.s.at(st.first).begin, w.s.at(st.first).line, now + " ");
    w.out.back().bias = bias;
}

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

// `if (raw == kNoReturn) return;` behind what sets `raw`; `v += kBlur;`, of two numbers as well.
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
                            st,
                            fmt::format("if ({} {} {}) {}", v.name, sign, constant.name, out)
                        );
            constexpr size_t kMostSet = 3;
            for (size_t a = 0; real && a < std::min(before.size(), kMostSet); ++a) {
                const std::string one = fmt::format("{} += {};", before[a]->name, constant.name);
                if (before[a]->constant || before[a]->kind != ValueKind::real) continue;
                put_before(w, kTelling, kTerm, st, one);
                for (size_t b = a + 1; b < std::min(before.size(), kMostSet); ++b)
                    if (!before[b]->constant && before[b]->kind == ValueKind::real)
                        put_before(
                            w,
                            kTelling,
                            kTerm,
                            st,
                            fmt::format("{1} += {2}; {0}", one, before[b]->name, constant.name)
                        );
            }
        }
        if (const Variable* v = set_by(w.s, st)) before.insert(before.begin(), v);
    }
}

// `(y + colour)` of `y`, `(in + lost / n)` of `in`.
void join_with(Writer& w, const Body& body, const Variable& unread, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == &unread || !is_operand(w.s, k) || w.s.is(k + 1, "++") || w.s.is(k - 1, "++") ||
        v->kind != unread.kind || v->indirections > 0)
        return;
    const bool real = unread.kind == ValueKind::real;
    for (const char* form : {"({} + {})", "({} - {})", "({} * {})"})
        put(w, kRare, kTerm, k, k, fmt::format(fmt::runtime(form), v->name, unread.name));
    if (!real) put(w, kRare, kTerm, k, k, fmt::format("({} ^ {})", v->name, unread.name));
    for (const Variable* n : visible(w.s, k)) {
        const bool extent = real && is_whole(*n) && is_given(body, *n);
        if (extent) put(w, kRare, kTerm, k, k, fmt::format("({} + {} / {})", v->name, unread.name, n->name));
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
            put_before(w, kSure, "never_written", st, fmt::format("{} = {};", u->name, v->name));
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
        w.insert(
            kGuard,
            3,
            w.s.at(st.last).end,
            w.s.at(st.last).line,
            fmt::format(" if ({}) {} = 0;", first, v->name)
        );
        w.out.back().bias = kRare;
    }
}

}  // namespace

void add_forgotten(Writer& w) {
    const std::vector<const Variable*> constants = unread_constants(w.s);
    for (const Body& body : w.s.bodies) {
        for (const Variable* c : constants) ask_for(w, body, *c);
        std::vector<const Variable*> unread;
        for (const Variable& v : w.s.variables)
            if (is_number(v) && (is_own(body, v) || is_given(body, v)) && is_unread(w.s, body, v))
                unread.push_back(&v);
        constexpr size_t kMostUnread = 6;
        if (unread.size() > kMostUnread) unread.resize(kMostUnread);
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
            keep_second(w, body, st), end_of_lanes(w, st);
            for (const Variable* v : unread) {
                choose_by(w, *v, st);
                for (int k = st.first; k <= st.last; ++k) join_with(w, body, *v, k);
            }
        }
    }
}

}  // namespace wl::diagnosis::rewrite
