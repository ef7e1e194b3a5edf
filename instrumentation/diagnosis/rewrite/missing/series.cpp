// The next of a series: `uy /= rho;` beside `ux /= rho;`, `a[1] = v.y;` beside `a[0] = v.x;`.
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

// What part of names becomes what: `x` of `ux` `y`, `m` of `m_out` `v`.
struct Step {
    std::string was, now;
    bool first = false;  // how names begin, not how they end
    int by = 0;          // what small numbers grow by
};

bool is_known_name(const Source& s, const std::string& name, int here) {
    return std::any_of(s.variables.begin(), s.variables.end(), [&](const Variable& v) {
        return v.name == name && v.from < here && v.to > here;
    });
}

// The name with the part changed; empty: it has none.
std::string changed(const std::string& name, const Step& step) {
    const bool has = step.first ? name.starts_with(step.was) : name.ends_with(step.was);
    if (!has) return {};
    const std::string rest =
        step.first ? name.substr(step.was.size()) : name.substr(0, name.size() - step.was.size());
    return step.first ? step.now + rest : rest + step.now;
}

// With each name that has a next one in its place; numbers that are counted alike with them, or as they are.
struct Next {
    std::string text;  // empty: no name has one
    int names = 0;     // that are others
};
Next next_of(const Source& s, const Statement& st, const Step& step, bool numbers, int here) {
    std::string out;
    size_t at = s.at(st.first).begin;
    int names = 0;
    for (int k = st.first; k <= st.last; ++k) {
        const std::string was(s.word(k));
        std::string word = was;
        const bool builtin =
            s.is(k - 1, ".") && (s.word(k - 2).ends_with("Idx") || s.word(k - 2).ends_with("Dim"));
        if (s.at(k).kind == Token::Kind::word && !builtin) {
            const std::string next = changed(was, step);
            const bool axis =
                step.was.size() == 1 && (s.is(k - 1, ".") ? was == step.was : was.ends_with("." + step.was));
            if (!next.empty() && (axis || is_known_name(s, next, here))) word = next;
            names += word != was ? 1 : 0;
        } else if (numbers && s.at(k).kind == Token::Kind::number && was.size() == 1) {
            const int n = was[0] - '0' + step.by;
            if (n >= 0 && n <= 9) word = std::to_string(n);
        }
        out += s.text.substr(at, s.at(k).begin - at) + word;
        at = s.at(k).end;
    }
    return {names > 0 ? out : std::string(), names};
}

int counted(const std::string& was, const std::string& now) {
    const bool one = was.size() == 1 && now.size() == 1;
    const bool axes = one && was >= "w" && now >= "w",
               digits = one && std::isdigit(was[0]) && std::isdigit(now[0]);
    const auto place = [](char c) { return c == 'w' ? 3 : c - 'x'; };
    return axes ? place(now[0]) - place(was[0]) : digits ? now[0] - was[0] : 0;
}

// Where two names differ, at the begin or at the end; nothing where that is more than a few letters.
void add_steps(const std::string& a, const std::string& b, std::vector<Step>& out) {
    constexpr size_t kMostLetters = 6, kMost = 16;
    size_t head = 0, tail = 0;
    const size_t shorter = std::min(a.size(), b.size());
    while (head < shorter && a[head] == b[head]) ++head;
    while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    if (head > 0 && tail > 0) return;
    const bool first = tail > 0;
    const size_t from = first ? 0 : head;
    const std::string was = a.substr(from, a.size() - from - tail),
                      now = b.substr(from, b.size() - from - tail);
    if (was.empty() || now.empty() || was.size() > kMostLetters || now.size() > kMostLetters) return;
    const bool known = std::any_of(out.begin(), out.end(), [&](const Step& s) {
        return s.was == was && s.now == now && s.first == first;
    });
    if (!known && out.size() < kMost) out.push_back({was, now, first, counted(was, now)});
}

// By what the statement sets and what could be set in its place; members of what has axes besides.
std::vector<Step> steps_of(const Source& s, const Statement& st) {
    std::vector<Step> out;
    const Variable* const set = variable_at(s, st.first);
    for (const auto& [was, now] : {
             std::pair("x", "y"), {"y", "z"},
               {"z", "w"},
               {"y", "x"},
               {"z", "y"},
               {"w", "z"}
    })
        for (int k = st.first; k <= st.last; ++k)
            if ((s.is(k - 1, ".") && s.is(k, was)) || s.word(k).ends_with(fmt::format(".{}", was))) {
                out.push_back({was, now, false, counted(was, now)});
                break;
            }
    for (const Variable* v : visible(s, st.first))
        if (set != nullptr && v != set && alike(*v, *set) && !v->constant) add_steps(set->name, v->name, out);
    return out;
}

const char* rule_of(const Source& s, int sets) {
    if (s.is(sets, "*=") || s.is(sets, "/=")) return "missing_rescale";
    if (s.is(sets, "+=") || s.is(sets, "-=")) return "partial_reduction";
    return s.is(sets - 1, "]") ? "never_written" : "stale_tile";
}

// The text with one number that the function is given in place of another: `h - 1` of `w - 1`.
std::vector<std::string> with_other_extents(
    const Source& s, const Body& body, const Statement& st, const std::string& text
) {
    std::vector<std::string> out;
    std::vector<const Variable*> given;
    for (const Variable* v : visible(s, st.first))
        if (is_whole(*v) && is_given(body, *v)) given.push_back(v);
    const Source own = tokens_of(text);
    for (const Variable* was : given)
        for (const Variable* now : given) {
            std::string other = text;
            for (int k = own.count(); k-- > 0;)
                if (own.is(k, was->name) && was != now && !own.is(k + 1, "="))
                    other.replace(own.at(k).begin, was->name.size(), now->name);
            if (other != text) out.push_back(std::move(other));
        }
    return out;
}

void continue_series(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    if (sets < 0 || !st.word.empty() || declares(w.s, st) || !w.s.is(st.last, ";") || !is_alone(w.s, st))
        return;
    constexpr int kSeveral = 20;  // a log prior: names that have a next one
    for (const Step& step : steps_of(w.s, st))
        for (const bool numbers : {false, true}) {
            const Next next = next_of(w.s, st, step, numbers, st.first);
            const bool stands =
                std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& o) {
                    return w.s.words(o.first, o.last) == next.text;
                });
            if (next.text.empty() || stands) continue;
            const int bias = next.names > 1 ? kSeveral : 0;
            const char* const rule = rule_of(w.s, sets);
            put_behind(w, bias, rule, st.last, next.text, 1);
            put_before(w, bias, rule, st.first, next.text, 1);
            for (const std::string& other : with_other_extents(w.s, body, st, next.text))
                put_behind(w, bias, rule, st.last, other, 1);
        }
}

// `atomicAdd(&total[1], squares);` beside `atomicAdd(&total[0], sum);`: of a number that nobody asks for.
void continue_atomics(Writer& w, const Facts& f, const Statement& st) {
    if (!st.word.empty() || !w.s.word(st.first).starts_with("atomic") || !w.s.is(st.last, ";")) return;
    for (int k = st.first; k <= st.last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        if (v == nullptr || v->indirections > 0 || w.s.is(k + 1, "[")) continue;
        for (const Variable* u : unheard_at(f, v->kind, st.first)) {
            if (u == v || !alike(*u, *v)) continue;
            for (const bool counted : {true, false}) {
                const std::string text =
                    next_of(w.s, st, {v->name, u->name, false, 1}, counted, st.first).text;
                if (text.empty()) continue;
                w.insert("partial_reduction", 1, w.s.at(st.last).end, w.s.at(st.last).line, " " + text);
                w.out.back().bias = kUnheard;
            }
        }
    }
}

}  // namespace

void add_series(Writer& w, const Facts& f) {
    for (const Statement& st : f.body.statements)
        if (!is_mark(w.s, st)) continue_series(w, f.body, st), continue_atomics(w, f, st);
}

}  // namespace wl::diagnosis::rewrite
