// `key > query || key <= query - window` of `key > query`, `flag ? a[k] + b[i] : b[k] + a[i]` of the second.
#include "instrumentation/diagnosis/rewrite/several/sides.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 6;  // numbers or arrays at one place

std::vector<const Variable*> extents_at(const Source& s, const Body& body, int k) {
    std::vector<const Variable*> out;
    for (const Variable* v : visible(s, k))
        if (is_extent(body, *v) && out.size() < kMost) out.push_back(v);
    return out;
}

// Of two numbers one is compared with the other: a second limit, so far from it.
void keep_in_window(Writer& w, const Body& body, const Statement& st) {
    if (st.word != "if" || !w.s.is(st.first + 1, "(")) return;
    const int first = st.first + 2, last = st.last - 1;
    const bool leaves = w.s.is(st.last + 1, "continue") || w.s.is(st.last + 1, "return");
    for (int k = first + 1; k < last; ++k) {
        const Variable *const a = variable_at(w.s, k - 1), *const b = variable_at(w.s, k + 1);
        const bool more = w.s.is(k, ">") || w.s.is(k, ">="), less = w.s.is(k, "<") || w.s.is(k, "<=");
        if (a == nullptr || b == nullptr || (!more && !less) || is_template_angle(w.s, k)) continue;
        if (!is_whole(*a) || !is_whole(*b) || precedence(w.s, k - 2) > 6 || precedence(w.s, k + 2) > 6)
            continue;
        const std::string text = w.s.words(first, last);
        for (const Variable* n : extents_at(w.s, body, k)) {
            if (n == a || n == b) continue;
            // Where it goes on between two limits the first one is the upper one, or the lower one.
            const bool upper = more == leaves;
            const std::string limit = fmt::format("{} {} {}", b->name, upper ? "-" : "+", n->name);
            for (const char* equal : {leaves ? "=" : "", leaves ? "" : "="})
                put(w,
                    kRare,
                    "wrong_condition",
                    first,
                    last,
                    fmt::format(
                        "{} {} {} {}{} {}",
                        text,
                        leaves ? "||" : "&&",
                        a->name,
                        upper == leaves ? "<" : ">",
                        equal,
                        limit
                    ));
        }
    }
}

// Two arrays of one statement exchanged where a flag says so.
void choose_by_flag(Writer& w, const Variable& flag, const Statement& st) {
    const int sets = assignment_of(w.s, st), last = st.last - 1;
    if (sets < 0 || sets >= last || end_of_expression(w.s, sets + 1) != last) return;
    std::vector<const Variable*> arrays;
    for (int k = sets + 1; k <= last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const bool known = std::find(arrays.begin(), arrays.end(), v) != arrays.end();
        if (v != nullptr && w.s.is(k + 1, "[") && !known) arrays.push_back(v);
    }
    if (arrays.size() != 2 || arrays[0]->type != arrays[1]->type || flag.from > st.first || flag.to < st.last)
        return;
    const std::string was = w.s.words(sets + 1, last);
    std::string other;
    size_t at = w.s.at(sets + 1).begin;
    for (int k = sets + 1; k <= last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        if (v != arrays[0] && v != arrays[1]) continue;
        other += w.s.text.substr(at, w.s.at(k).begin - at) + (v == arrays[0] ? arrays[1] : arrays[0])->name;
        at = w.s.at(k).end;
    }
    other += w.s.text.substr(at, w.s.at(last).end - at);
    for (const auto& [yes, no] : {std::pair(other, was), std::pair(was, other)})
        put(w, kRare, "wrong_operand", sets + 1, last, fmt::format("{} ? {} : {}", flag.name, yes, no));
}

}  // namespace

void add_sides(Writer& w) {
    for (const Body& body : w.s.bodies) {
        std::vector<const Variable*> flags;
        for (const Variable& v : w.s.variables) {
            const bool here =
                v.kind == ValueKind::boolean && v.indirections == 0 && (is_own(body, v) || is_given(body, v));
            if (here && flags.size() < kMost) flags.push_back(&v);
        }
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
            keep_in_window(w, body, st);
            for (const Variable* flag : flags) choose_by_flag(w, *flag, st);
        }
    }
}

}  // namespace wl::diagnosis::rewrite
