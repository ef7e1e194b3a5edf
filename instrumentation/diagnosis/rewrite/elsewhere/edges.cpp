// The border of an array that nobody sets: its elements are set from the second one on, `a[t + 1] = 0;`, and
// the first are read as well.
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

// Sets elements to what no variable of the function is part of: after the last `=`.
bool sets_constant(const Source& s, const Statement& st) {
    if (!st.word.empty() || !s.is(st.last, ";") || !s.is(st.first + 1, "[")) return false;
    int sets = -1;
    for (int k = st.first; k < st.last; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (s.is(k, "=")) sets = k;
    }
    for (int k = sets + 1; sets > 0 && k < st.last; ++k)
        if (const Variable* const v = variable_at(s, k); v != nullptr && !v->of_file) return false;
    return sets > 0;
}

// `t` of the first `t + 1`; null: it has none.
const Variable* counted(const Source& s, const Statement& st) {
    for (int k = st.first; k + 2 < st.last; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v != nullptr && is_whole(*v) && s.is(k + 1, "+") && s.at(k + 2).kind == Token::Kind::number)
            return v;
    }
    return nullptr;
}

// Without the numbers that are added to it.
std::string of_first(const Source& s, const Statement& st, const Variable& v) {
    std::string out;
    size_t at = s.at(st.first).begin;
    for (int k = st.first; k <= st.last; ++k) {
        out += s.text.substr(at, s.at(k).end - at);
        at = s.at(k).end;
        if (variable_at(s, k) == &v && s.is(k + 1, "+") && s.at(k + 2).kind == Token::Kind::number)
            k += 2, at = s.at(k).end;
    }
    return out;
}

}  // namespace

void add_edges(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (size_t first = 0; first < body.statements.size(); ++first) {
            const Statement& st = body.statements[first];
            if (!w.is_near(st.first) || !is_alone(w.s, st) || !sets_constant(w.s, st)) continue;
            const Variable* const v = counted(w.s, st);
            if (v == nullptr) continue;
            std::string all;
            for (size_t k = first; k < body.statements.size(); ++k) {
                const Statement& next = body.statements[k];
                if (!sets_constant(w.s, next) || counted(w.s, next) != v) break;
                all += (all.empty() ? "" : " ") + of_first(w.s, next, *v);
                put_before(
                    w, 0, "uninitialised", st.first, fmt::format("if ({} == 0) {{ {} }}", v->name, all), 1
                );
            }
        }
}

}  // namespace wl::diagnosis::rewrite
