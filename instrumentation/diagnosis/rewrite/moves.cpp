// Statements left out, put in and moved.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr int kInner = 45;    // a log prior
constexpr size_t kMost = 16;  // statements of a form that are put in at one place

bool is_plain(const Source& s, const Statement& st) { return st.body_last < 0 && s.is(st.last, ";"); }

void leave_out(Writer& w, const Statement& st) {
    if (declares(w.s, st)) return;
    const std::string_view word = st.word;
    const char* rule = word.empty() ? "double_count" : "wrong_condition";
    w.replace(rule, 2, st.first, st.last, ";");
}

// What two variables may lack: `v = u;`, `v += u;`, `v *= u;`.
std::vector<std::pair<const char*, std::string>> assignments_at(const Writer& w, int here) {
    std::vector<std::pair<const char*, std::string>> out;
    const std::vector<const Variable*> all = visible(w.s, here);
    for (const Variable* v : all) {
        if (v->constant || v->indirections > 0 || v->kind == ValueKind::other || v->from < 0) continue;
        for (const Variable* u : all) {
            if (u == v || !alike(*u, *v)) continue;
            out.emplace_back("stale_tile", fmt::format("{} = {};", v->name, u->name));
            if (u->constant && v->kind == ValueKind::whole) continue;
            if (v->kind == ValueKind::real)
                out.emplace_back("missing_rescale", fmt::format("{} *= {};", v->name, u->name));
            out.emplace_back("partial_reduction", fmt::format("{} += {};", v->name, u->name));
        }
        if (v->kind == ValueKind::whole)
            for (const char* turn : {"{0} = 1 - {0};", "{0} ^= 1;", "++{0};", "{0} *= 2;", "{0} /= 2;"})
                out.emplace_back("stale_tile", fmt::format(fmt::runtime(turn), v->name));
        out.emplace_back("wrong_initial_value", fmt::format("{} = 0;", v->name));
    }
    return out;
}

void put_in(Writer& w, const Statement& st) {
    const auto before = w.s.at(st.first).begin;
    const int line = w.s.at(st.first).line;
    std::vector<std::pair<const char*, std::string>> all = assignments_at(w, st.first);
    if (all.size() > 4 * kMost) all.resize(4 * kMost);
    for (const auto& [rule, text] : all) w.insert(rule, 3, before, line, text + " ");
    if (st.word.empty() && is_plain(w.s, st))
        for (const auto& [rule, text] : all) w.insert(rule, 3, w.s.at(st.last).end, line, " " + text);
}

// Wherever the function has shared memory: what lacks a barrier is mostly not the line that reads something
// wrong.
void put_barrier_in(Writer& w, const Statement& st) {
    for (const char* text : {"__syncthreads();", "__syncwarp();"})
        w.insert("race_shared", 3, w.s.at(st.first).begin, w.s.at(st.first).line, std::string(text) + " ");
}

bool has_shared(const Source& s, const Body& body) {
    for (int k = body.open; k < body.close; ++k)
        if (s.is(k, "__shared__")) return true;
    return false;
}

// Before the next turn of a loop that has barriers: rather than at its begin.
void close_turn(Writer& w, const Statement& loop) {
    constexpr int kRather =
        38;  // a log prior: the suspected line is mostly one that the next turn begins with
    const bool turns = (loop.word == "for" || loop.word == "while") && w.s.is(loop.body_last, "}");
    if (!turns || w.s.is(loop.body_last - 2, "__syncthreads")) return;
    bool has_one = false;
    for (int k = loop.last; k < loop.body_last; ++k) has_one = has_one || w.s.is(k, "__syncthreads");
    if (!has_one) return;
    const Token& last = w.s.at(loop.body_last - 1);
    w.insert("race_shared", 3, last.end, last.line, " __syncthreads();");
    w.out.back().bias = kRather;
}

constexpr int kCarried = 55;  // a log prior

// `path[t] = state = links[state];` of `path[t] = links[state];`: what is made of it is the next turn's.
void keep_next(Writer& w, const Body& body, const Statement& loop, const Variable& v) {
    for (const Statement& st : body.statements) {
        const bool inside = st.first > loop.last && st.last < loop.body_last && is_plain(w.s, st);
        const int sets = inside && !declares(w.s, st) ? assignment_of(w.s, st) : -1;
        bool asks = false;
        for (int k = sets + 1; sets > 0 && k < st.last; ++k) asks = asks || variable_at(w.s, k) == &v;
        if (!asks || !w.s.is(sets, "=")) continue;
        w.insert("stale_tile", 3, w.s.at(sets).end, w.s.at(sets).line, fmt::format(" {} =", v.name));
        w.out.back().bias = kCarried;
    }
}

// `diagonal = above;` at the end of a turn: what each turn asks for, and none sets.
void carry_over(Writer& w, const Body& body, const Statement& loop) {
    constexpr size_t kMostCarried = 6;
    const bool turns = (loop.word == "for" || loop.word == "while") && w.s.is(loop.body_last, "}");
    if (!turns) return;
    for (const Variable* v : visible(w.s, loop.first)) {
        if (v->constant || v->indirections > 0 || !is_own(body, *v) || v->kind == ValueKind::other) continue;
        bool asked = false, set = false;
        for (int k = loop.first; k < loop.body_last; ++k) {
            if (variable_at(w.s, k) != v) continue;
            asked = true;
            set = set || is_assignment(w.s, k + 1) || w.s.is(k + 1, "++") || w.s.is(k - 1, "++") ||
                w.s.is(k + 1, "--") || w.s.is(k - 1, "&");
        }
        if (!asked || set) continue;
        keep_next(w, body, loop, *v);
        size_t taken = 0;
        for (const Variable& u : w.s.variables) {
            const bool fits = u.from > loop.last && u.to <= loop.body_last && u.type == v->type &&
                u.indirections == 0 && w.s.is(u.to, "}");
            if (!fits || ++taken > kMostCarried) continue;
            const Statement* asks = nullptr;
            for (int k = u.from; k < u.to; ++k)
                if (variable_at(w.s, k) == v) asks = statement_of(body, k);
            const bool plain = asks != nullptr && asks->body_last < 0;
            const Token& last = w.s.at(plain ? asks->last : u.to - 1);
            w.insert("stale_tile", 3, last.end, last.line, fmt::format(" {} = {};", v->name, u.name));
            w.out.back().bias = kCarried;
        }
    }
}

// What a statement sets: the variable of an assignment or a declaration; null: none is known.
const Variable* set_by(const Source& s, const Statement& st) {
    const int sets = assignment_of(s, st);
    if (sets <= st.first) return nullptr;
    const Variable* const declared = variable_at(s, sets - 1);
    return declared != nullptr && declared->from == sets - 1 ? declared : variable_at(s, st.first);
}

bool names(const Source& s, const Statement& st, const Variable* v) {
    for (int k = st.first; v != nullptr && k <= st.last; ++k)
        if (variable_at(s, k) == v) return true;
    return false;
}

// What stands at both, the first one before the other.
void exchange_texts(Writer& w, int bias, const Span& a, const Span& b) {
    const std::string first = w.s.words(a.first, a.last), second = w.s.words(b.first, b.last);
    const auto edit = [&](const Span& at, const std::string& now) {
        const size_t begin = w.s.at(at.first).begin;
        return Edit{begin, w.s.at(at.last).end - begin, now};
    };
    const int line = w.s.at(a.first).line;
    w.add({
        "wrong_order", 3, first + " " + second, second + " " + first, line, {edit(a, second), edit(b, first)}
    }
    );
    w.out.back().bias = bias;
}

// Where neither names what the other sets, their order is no matter.
void exchange(Writer& w, const Statement& a, const Statement& b) {
    constexpr int kReadBefore = 35;  // a log prior: one reads what the other sets after it
    const Variable* const later = set_by(w.s, b);
    const bool reads_before = names(w.s, a, later) && set_by(w.s, a) != later;
    const bool known = set_by(w.s, a) != nullptr && later != nullptr;
    if (known && !reads_before && !names(w.s, b, set_by(w.s, a))) return;
    // `b = a;` of what has just been set leaves nothing of what `a` was: a queue in the wrong order.
    const bool copies = known && b.last == b.first + 3 && variable_at(w.s, b.first + 2) == set_by(w.s, a);
    exchange_texts(w, reads_before || copies ? kReadBefore : 0, {a.first, a.last}, {b.first, b.last});
}

// `if (v < 0) continue; n += w;` of `n += w; if (v < 0) continue;`: who is passed by counts for nothing.
void put_behind_guard(Writer& w, const Statement& st, const Statement& guard) {
    constexpr int kGuarded = 25;  // a log prior
    const int jump = guard.last + 1;
    const bool jumps = w.s.is(jump, "continue") || w.s.is(jump, "break") || w.s.is(jump, "return");
    if (guard.word != "if" || guard.first != st.last + 1 || !jumps || !w.s.is(guard.body_last, ";")) return;
    exchange_texts(w, kGuarded, {st.first, st.last}, {guard.first, guard.body_last});
}

// What the statement declares is named in a loop within this one alone: it begins anew with each turn.
bool serves_inner_loop(const Source& s, const Body& body, const Statement& st, const Statement& loop) {
    for (const Statement& inner : body.statements) {
        const bool within = (inner.word == "for" || inner.word == "while") && inner.first > loop.last &&
            inner.body_last < loop.body_last && inner.body_last > 0;
        if (!within || !declares(s, st)) continue;
        bool alone = true;
        for (const Variable& v : s.variables)
            for (int k = v.from + 1; v.from >= st.first && v.from <= st.last && k < v.to; ++k)
                alone = alone && (variable_at(s, k) != &v || (k > inner.first && k <= inner.body_last));
        if (alone) return true;
    }
    return false;
}

// Out of the loop that holds it, to before or behind it; and into a loop behind it, as its first statement.
void move_over_loop(Writer& w, const Body& body, const Statement& st) {
    const std::string text = w.s.words(st.first, st.last);
    const Edit out{w.s.at(st.first).begin, w.s.at(st.last).end - w.s.at(st.first).begin, ""};
    for (const Statement& loop : body.statements) {
        if (loop.word != "for" && loop.word != "while") continue;
        const int line = w.s.at(st.first).line;
        if (st.first > loop.last && st.last < loop.body_last) {
            const Edit before{w.s.at(loop.first).begin, 0, text + " "};
            w.add({
                "wrong_order", 3, text, text + " before the loop", line, {before, out}
            });
            const Edit behind{w.s.at(loop.body_last).end, 0, " " + text};
            if (!declares(w.s, st))
                w.add({
                    "wrong_order", 3, text, text + " after the loop", line, {out, behind}
                });
        }
        if (st.last < loop.first && w.s.is(loop.last + 1, "{") && w.is_near(st.first)) {
            const Edit into{w.s.at(loop.last + 1).end, 0, " " + text};
            w.add({
                "wrong_initial_value", 3, text, text + " in the loop", line, {out, into}
            });
            w.out.back().bias = serves_inner_loop(w.s, body, st, loop) ? kInner : 0;
        }
    }
}

}  // namespace

void add_statements(Writer& w) {
    for (const Body& body : w.s.bodies) {
        const bool shares = has_shared(w.s, body);
        for (size_t k = 0; k < body.statements.size(); ++k) {
            const Statement& st = body.statements[k];
            if (is_mark(w.s, st)) continue;
            close_turn(w, st), carry_over(w, body, st);
            if (is_plain(w.s, st)) leave_out(w, st), move_over_loop(w, body, st);
            if (w.is_near(st.first) || shares) put_barrier_in(w, st);
            if (!w.is_near(st.first)) continue;
            put_in(w, st);
            const bool pair = k + 1 < body.statements.size() && is_plain(w.s, st) &&
                is_plain(w.s, body.statements[k + 1]) && body.statements[k + 1].first == st.last + 1;
            if (pair) exchange(w, st, body.statements[k + 1]);
            if (is_plain(w.s, st) && k + 1 < body.statements.size())
                put_behind_guard(w, st, body.statements[k + 1]);
        }
    }
}

}  // namespace wl::diagnosis::rewrite
