#include "instrumentation/diagnosis/rewrite/missing/lacks.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>

namespace wl::diagnosis::rewrite {

namespace {

using Kind = Event::Kind;

// Behind the name with its subscripts and members.
int behind_element(const Source& s, int name) {
    int behind = end_of_element(s, name) + 1;
    while (s.is(behind, ".")) behind += 2;
    return behind;
}

bool steps_at(const Source& s, int name, int behind) {
    return s.is(behind, "++") || s.is(behind, "--") || s.is(name - 1, "++") || s.is(name - 1, "--");
}

// Whether the statement makes what it sets of nothing but that.
bool is_of_itself(const Source& s, const Statement& st, int sets, const Variable& v) {
    bool names = !s.is(sets, "=");
    for (int k = sets + 1; k <= st.last; ++k) {
        const Variable* const u = variable_at(s, k);
        names = names || u == &v;
        const bool inner = u != nullptr && u->from > st.first && u->from < st.last;
        if (u == &v || u == nullptr || inner || u->kind != v.kind) continue;
        const bool subscript = is_whole(*u) && v.indirections > 0;
        const bool handed_on = u->indirections > 0 && !s.is(k + 1, "[");
        if (!subscript && !handed_on) return false;
    }
    return names;
}

Event event_at(const Source& s, const Statement& st, const Variable& v, int k) {
    const int behind = behind_element(s, k), sets = sets_at(s, k);
    if (sets >= 0 && k == st.first) return {k, is_of_itself(s, st, sets, v) ? Kind::own : Kind::fed};
    const bool address = s.is(k - 1, "&") && precedence(s, k - 1) == 0;
    const bool whole_array = v.indirections > 0 && end_of_element(s, k) == k;
    if (steps_at(s, k, behind) || sets >= 0 || address) return {k, Kind::fed};
    const bool of_itself = variable_at(s, st.first) == &v && assignment_of(s, st) >= 0;
    if (of_itself) return {k, Kind::own};
    return {k, whole_array && v.constant ? Kind::heard : whole_array ? Kind::fed : Kind::heard};
}

std::vector<Gap> gaps_of(const Source& s, const Body& body) {
    std::vector<Gap> out;
    std::vector<int> open;
    for (int k = body.open; k <= body.close; ++k) {
        if (s.is(k, "{")) open.push_back(k);
        if (s.is(k, "}") && !open.empty()) {
            // Of statements, no values in braces.
            const bool empty = s.is(k - 1, "{") && s.is(k - 2, ")");
            const bool block = k == body.close || empty || s.is(k - 1, ";") || s.is(k - 1, "}");
            if (block && s.at(open.back()).match == k)
                out.push_back({s.at(k - 1).end, s.at(k - 1).line, k - 1, k, true});
            open.pop_back();
        }
        if (open.empty()) continue;
        const bool begins = std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& st) {
            return st.first == k && is_alone(s, st) && !is_mark(s, st);
        });
        if (begins) out.push_back({s.at(k).begin, s.at(k).line, k, s.at(open.back()).match, false});
    }
    return out;
}

// The first that is not the variable's own, between two tokens; null: none.
const Event* first_between(const std::vector<Event>& events, int from, int to) {
    for (const Event& e : events)
        if (e.at >= from && e.at < to && e.kind != Kind::own) return &e;
    return nullptr;
}

}  // namespace

Facts facts_of(const Source& s, const Body& body) {
    Facts out{s, body, {}, gaps_of(s, body)};
    for (int k = body.open + 1; k < body.close; ++k) {
        const Variable* const v = variable_at(s, k);
        const Statement* const st = v == nullptr || v->from == k ? nullptr : statement_of(body, k);
        if (st == nullptr || is_mark(s, *st)) continue;
        const Event e = event_at(s, *st, *v, k);
        std::vector<Event>& all = out.events[v];
        all.push_back(e);
        // What is handed on whole may be read as well as written.
        if (e.kind == Kind::fed && sets_at(s, k) < 0) all.push_back({k, Kind::heard});
    }
    return out;
}

bool is_ever(const Facts& f, const Variable& v, Kind kind) {
    const auto found = f.events.find(&v);
    if (found == f.events.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const Event& e) {
        return e.kind == kind;
    });
}

bool is_starved(const Facts& f, const Variable& v) {
    const auto found = f.events.find(&v);
    const bool number = v.kind == ValueKind::real || v.kind == ValueKind::whole;
    if (found == f.events.end() || !is_own(f.body, v) || v.constant || !number || v.indirections > 0)
        return false;
    if (!f.s.is(v.from + 1, "=") || loop_of(f.body, v) != nullptr) return false;
    if (!is_simple(f.s, v.from + 2, end_of_expression(f.s, v.from + 2))) return false;
    const Event* const first = first_between(found->second, v.from, v.to);
    if (first == nullptr || first->kind != Kind::heard) return false;
    // What a loop asks for first and feeds behind that is fed.
    for (const Statement& loop : f.body.statements) {
        const bool context = (loop.word == "for" || loop.word == "while") && loop.first > v.from &&
            first->at > loop.first && first->at <= loop.body_last;
        if (context && std::any_of(found->second.begin(), found->second.end(), [&](const Event& e) {
                return e.kind == Kind::fed && e.at > loop.first && e.at <= loop.body_last;
            }))
            return false;
    }
    return true;
}

bool is_unheard(const Facts& f, const Variable& v, int here) {
    const auto found = f.events.find(&v);
    if (found == f.events.end()) return true;
    if (const Event* const next = first_between(found->second, here, v.to)) return next->kind == Kind::fed;
    // Behind the end of a loop comes its begin.
    for (const Statement& loop : f.body.statements) {
        const bool context = loop.word == "for" || loop.word == "while";
        if (!context || here <= loop.last || here > loop.body_last || v.from > loop.first) continue;
        const Event* const again = first_between(found->second, loop.last, here);
        if (again != nullptr && again->kind == Kind::heard) return false;
    }
    return true;
}

std::vector<const Variable*> unheard_at(const Facts& f, ValueKind kind, int here) {
    std::vector<const Variable*> out;
    for (const Variable* v : visible(f.s, here)) {
        const bool number = v->kind == kind && v->indirections == 0;
        if (number && (is_own(f.body, *v) || is_given(f.body, *v)) && is_unheard(f, *v, here))
            out.push_back(v);
    }
    return out;
}

int sets_at(const Source& s, int name) {
    const int behind = behind_element(s, name);
    return is_assignment(s, behind) ? behind : -1;
}

bool is_shared(const Source& s, const Variable& v) {
    for (int k = v.from; k > 0 && !s.is(k, ";") && !s.is(k, "{") && !s.is(k, "}"); --k)
        if (s.is(k, "__shared__")) return true;
    return false;
}

bool is_empty_head(const Source& s, const Statement& st) {
    return (st.word == "if" || st.word == "for") && st.body_last == st.last + 1 && s.is(st.body_last, ";");
}

void put(Writer& w, const Gap& gap, Rule rule, int cost, const std::string& text, int bias) {
    w.insert(rule, cost, gap.at, gap.line, gap.ends ? " " + text : text + " ");
    w.out.back().bias = bias;
}

void add_new(std::vector<std::string>& out, std::string text, size_t most) {
    if (out.size() < most && std::find(out.begin(), out.end(), text) == out.end())
        out.push_back(std::move(text));
}

}  // namespace wl::diagnosis::rewrite
