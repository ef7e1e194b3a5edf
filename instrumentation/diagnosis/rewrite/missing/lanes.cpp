// Sums and maxima over lanes that nobody takes, steps of a tree that nobody makes, what one lane has and all
// need.
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "partial_reduction";
constexpr size_t kMostNumbers = 4;

std::vector<const Variable*> numbers_at(const Writer& w, int here) {
    std::vector<const Variable*> out;
    for (const Variable* v : visible(w.s, here)) {
        const bool fits = v->kind == ValueKind::real && v->indirections == 0 && !v->constant && !v->of_file;
        if (fits && out.size() < kMostNumbers) out.push_back(v);
    }
    return out;
}

// Functions of two values that the file gives or takes: `combine(v, x)`, `merged(v, x)`.
std::vector<std::string> functions_of_two(const Writer& w, const Body& body, const Variable& v) {
    constexpr size_t kMost = 3;
    std::vector<std::string> out;
    for (int k = body.open; k < body.close; ++k) {
        const bool call =
            w.s.is(k + 1, "(") && w.s.at(k).kind == Token::Kind::word && w.s.at(k + 1).match > k + 4;
        const bool takes = call && variable_at(w.s, k + 2) != nullptr &&
            variable_at(w.s, k + 2)->type == v.type && w.s.is(k + 3, ",");
        if (takes && !w.s.word(k).starts_with("__")) add_new(out, std::string(w.s.word(k)), kMost);
    }
    for (const Variable& f : w.s.variables)
        if (f.parameter && f.to == body.close && f.kind == ValueKind::other && f.indirections == 0 &&
            f.type.size() == 1)
            add_new(out, f.name, kMost);
    return out;
}

// The step of a loop over lanes: `for (int o = 16; o > 0; o /= 2) ;`, or over halves of an array.
std::vector<std::string> steps_of(
    const Writer& w, const Body& body, const Variable& v, const std::string& step
) {
    std::vector<std::string> out = {
        fmt::format("{0} += __shfl_xor_sync(0xffffffffu, {0}, {1});", v.name, step),
        fmt::format("{0} = fmaxf({0}, __shfl_xor_sync(0xffffffffu, {0}, {1}));", v.name, step),
        fmt::format("{0} = fminf({0}, __shfl_xor_sync(0xffffffffu, {0}, {1}));", v.name, step)};
    for (const std::string& f : functions_of_two(w, body, v))
        out.push_back(fmt::format("{0} = {2}({0}, __shfl_xor_sync(0xffffffffu, {0}, {1}));", v.name, step, f)
        );
    return out;
}

void fill_loop(Writer& w, const Body& body, const Statement& st) {
    if (!halves(w.s, st) && !doubles(w.s, st)) return;
    const std::string step(w.s.word(st.last - 3));
    for (const Variable* v : numbers_at(w, st.first))
        for (const std::string& text : steps_of(w, body, *v, step))
            w.replace(kRule, 1, st.body_last, st.body_last, text);
}

// The whole loop, before a statement.
void reduce_before(Writer& w, const Body& body, const Gap& gap) {
    for (const Variable* v : numbers_at(w, gap.here)) {
        for (const std::string& text : steps_of(w, body, *v, "wl_i"))
            put(w, gap, kRule, 2, fmt::format("for (int wl_i = 16; wl_i > 0; wl_i /= 2) {}", text));
        put(w, gap, kRule, 2, fmt::format("{0} = __shfl_sync(0xffffffffu, {0}, 0);", v->name));
    }
}

// `part[t] += part[t + half];` behind `if (t < half)`, and the most of both, in a loop over halves.
void make_steps(Writer& w, const Statement& st) {
    constexpr size_t kMostArrays = 3;
    if (st.word != "if" || !w.s.is(st.first + 3, "<") || st.last != st.first + 5) return;
    const std::string t(w.s.word(st.first + 2)), half(w.s.word(st.first + 4));
    const bool block = w.s.is(st.last + 1, "{");
    size_t arrays = 0;
    for (const Variable* a : visible(w.s, st.first)) {
        if (a->kind == ValueKind::other || a->indirections != 1 || a->parameter || !is_shared(w.s, *a))
            continue;
        if (++arrays > kMostArrays) return;
        for (const char* form :
             {"{0}[{1}] += {0}[{1} + {2}];",
              "{0}[{1}] = fmaxf({0}[{1}], {0}[{1} + {2}]);",
              "{0}[{1}] = fminf({0}[{1}], {0}[{1} + {2}]);"}) {
            const std::string text = fmt::format(fmt::runtime(form), a->name, t, half);
            if (block)
                w.insert(kRule, 1, w.s.at(st.last + 1).end, w.s.at(st.last + 1).line, " " + text);
            else if (w.s.is(st.body_last, ";") && st.body_last == st.last + 1)
                w.replace(kRule, 1, st.body_last, st.body_last, text);
        }
    }
}

}  // namespace

void add_lanes(Writer& w, const Facts& f) {
    for (const Statement& st : f.body.statements) {
        if (is_mark(w.s, st)) continue;
        make_steps(w, st);
        if (st.word == "for" && is_empty_head(w.s, st)) fill_loop(w, f.body, st);
    }
    for (const Gap& gap : f.gaps)
        if (w.is_near(gap.here)) reduce_before(w, f.body, gap);
}

}  // namespace wl::diagnosis::rewrite
