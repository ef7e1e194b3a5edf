// What variables hold before they are set.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "wrong_initial_value";

// Behind `float sum` and `float acc[4]` that are given no value; -1: it is given one, or none is wanted.
int behind_unset(const Source& s, const Variable& v) {
    int k = v.from + 1;
    while (s.is(k, "[") && s.at(k).match > k) k = s.at(k).match + 1;
    const bool ends = s.is(k, ";") || s.is(k, ",");
    return ends && !v.parameter && !v.of_file && v.from > 0 ? k : -1;
}

void initialise(Writer& w, const Variable& v) {
    const int k = behind_unset(w.s, v);
    if (k < 0) return;
    const size_t at = w.s.at(k - 1).end;
    const int line = w.s.at(v.from).line;
    const auto put = [&](int cost, const char* value) { w.insert(kRule, cost, at, line, value); };
    const bool star = w.s.is(v.from - 1, "*");
    if (star || v.kind == ValueKind::other) return put(2, " = {}");
    if (v.indirections > 0) return put(1, " = {}");
    put(1, v.kind == ValueKind::real ? " = 0.0f" : " = 0");
    put(2, v.kind == ValueKind::real ? " = 1.0f" : " = 1");
    if (v.kind == ValueKind::real) put(2, " = -__int_as_float(0x7f800000)");
}

bool is_shared(const Writer& w, const Variable& v) {
    for (int k = v.from; k > 0 && !w.s.is(k, ";") && !w.s.is(k, "{") && !w.s.is(k, "}"); --k)
        if (w.s.is(k, "__shared__")) return true;
    return false;
}

// Shared memory cleared by all threads, behind its declaration.
void clear_shared(Writer& w, const Body& body, const Variable& v, int behind, int at_line) {
    const size_t at = w.s.at(behind).end;
    const std::string loop =
        " for (int wl_i = threadIdx.x; wl_i < {}; wl_i += blockDim.x) {}[wl_i] = 0; __syncthreads();";
    if (v.indirections != 1) return;
    for (const Variable* n : visible(w.s, behind))
        if (is_whole(*n) && (n->parameter || n->from < body.open))
            w.insert(kRule, 3, at, at_line, fmt::format(fmt::runtime(loop), n->name, v.name));
    w.insert(kRule, 3, at, at_line, fmt::format(" {}[threadIdx.x] = 0; __syncthreads();", v.name));
}

// Before the first barrier that there is, by as many threads as it has elements.
void clear_before_barrier(Writer& w, const Body& body, const Variable& v, int behind) {
    constexpr int kBefore = 45;  // a log prior: rather than with a barrier of its own
    const auto barrier =
        std::find_if(body.statements.begin(), body.statements.end(), [&](const Statement& st) {
            return st.first > behind && w.s.is(st.first, "__syncthreads");
        });
    if (v.indirections != 1 || barrier == body.statements.end()) return;
    std::string index = "threadIdx.x";
    for (const Variable* t : visible(w.s, barrier->first))
        if (w.s.is(t->from + 1, "=") && w.s.is(t->from + 2, "threadIdx") && w.s.is(t->from + 4, "x") &&
            (w.s.is(t->from + 5, ",") || w.s.is(t->from + 5, ";")))
            index = t->name;
    put_before(w, kBefore, kRule, barrier->first, fmt::format("{}[{}] = 0;", v.name, index));
}

}  // namespace

std::vector<Unset> unset_at(const Source& s, int line) {
    std::vector<Unset> out;
    for (int k = 0; k < s.count(); ++k) {
        const Variable* const v = s.at(k).line == line ? variable_at(s, k) : nullptr;
        if (v == nullptr || v->from == k || behind_unset(s, *v) < 0) continue;
        const bool known =
            std::any_of(out.begin(), out.end(), [&](const Unset& u) { return u.name == v->name; });
        if (!known) out.push_back({v->name, s.at(v->from).line});
    }
    return out;
}

void add_initial(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (!st.word.empty() || is_mark(w.s, st)) continue;
            for (const Variable& v : w.s.variables) {
                if (v.from < st.first || v.from > st.last) continue;
                if (is_shared(w, v))
                    clear_shared(w, body, v, st.last, w.s.at(st.last).line),
                        clear_before_barrier(w, body, v, st.last);
                else
                    initialise(w, v);
                if (v.type.find("fragment") == std::string::npos ||
                    v.type.find("accumulator") == std::string::npos)
                    continue;
                w.insert(
                    kRule,
                    1,
                    w.s.at(st.last).end,
                    w.s.at(st.last).line,
                    fmt::format(" nvcuda::wmma::fill_fragment({}, 0.0f);", v.name)
                );
            }
        }
}

}  // namespace wl::diagnosis::rewrite
