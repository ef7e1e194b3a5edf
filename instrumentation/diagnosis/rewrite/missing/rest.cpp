// What a store of one case leaves out: the other case.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "never_written";

// ` else out[i] = -e;` behind what `if (c)` governs up to `last`, which stores `out[i] = e;` at `first`.
void store_otherwise(Writer& w, const Facts& f, int first, int last) {
    const Source& s = f.s;
    const Variable* const to = variable_at(s, first);
    const int sets = sets_at(s, first);
    if (to == nullptr || to->indirections == 0 || sets < 0 || !s.is(sets, "=")) return;
    const bool real = to->kind == ValueKind::real;
    if (!real && to->kind != ValueKind::whole) return;
    const std::string target = s.words(first, sets);
    const char* const rule = is_given(f.body, *to) ? kRule : "uninitialised";
    const int ends = end_of_expression(s, sets + 1);
    if (!all_known(s, first, target, last)) return;
    std::vector<std::string> values = {real ? "0.0f" : "0", real ? "1.0f" : "-1"};
    const bool known = all_known(s, sets + 1, s.words(sets + 1, ends), last);
    if (known) values.insert(values.begin() + 1, "-" + in_brackets(s, sets + 1, ends));
    for (const std::string& value : values)
        put_behind(
            w, w.context.unwritten ? 2 * kTelling : 0, rule, last, fmt::format("else {} {};", target, value)
        );
}

// Of one statement, and of those that stand in a block themselves.
void store_otherwise(Writer& w, const Facts& f, const Statement& st) {
    const Source& s = f.s;
    const int first = s.at(st.first + 1).match + 1, last = st.body_last;
    if (last <= first || s.is(last + 1, "else")) return;
    if (!s.is(first, "{")) {
        if (s.is(last, ";")) store_otherwise(w, f, first, last);
        return;
    }
    int depth = 0;
    for (int k = first; k < last; ++k) {
        depth += s.is(k, "{") ? 1 : s.is(k, "}") ? -1 : 0;
        const bool begins = s.is(k - 1, "{") || s.is(k - 1, ";");
        if (depth == 1 && begins && k > first) store_otherwise(w, f, k, last);
    }
}

// ` else v = 0.0f;` behind `if (c) out[i] = v;`, where something is made of `v` behind it.
void clear_otherwise(Writer& w, const Facts& f, const Statement& st) {
    const Source& s = f.s;
    const int first = s.at(st.first + 1).match + 1, last = st.body_last;
    if (last <= first || s.is(first, "{") || s.is(last + 1, "else") || !s.is(last, ";")) return;
    const int sets = sets_at(s, first);
    const Variable* const v =
        sets > 0 && s.is(sets, "=") && sets + 2 == last ? variable_at(s, sets + 1) : nullptr;
    if (v == nullptr || v->constant || v->indirections > 0 || !is_own(f.body, *v) || is_unheard(f, *v, last))
        return;
    const char* zero = v->kind == ValueKind::real ? "0.0f" : "0";
    put_behind(w, 2 * kTelling, "wrong_condition", last, fmt::format("else {} = {};", v->name, zero));
}

bool is_stored_to(const Facts& f, const Variable& v) {
    for (int k = f.body.open + 1; k < f.body.close; ++k)
        if (variable_at(f.s, k) == &v && f.s.is(k + 1, "[") && sets_at(f.s, k) > 0) return true;
    return false;
}

// `for (int i = n + t; i < rows; i += blockDim.x) out[i] = -1;` at the end: what lies behind what there is.
void store_behind(Writer& w, const Facts& f) {
    constexpr size_t kMostNumbers = 8;
    const Source& s = f.s;
    std::vector<const Variable*> numbers, arrays;
    for (const Variable* v : visible(s, f.body.close - 1)) {
        const bool given = is_given(f.body, *v), fixed = given || (is_own(f.body, *v) && v->constant);
        if (is_whole(*v) && fixed && numbers.size() < kMostNumbers) numbers.push_back(v);
        if (v->indirections == 1 && given && is_stored_to(f, *v)) arrays.push_back(v);
    }
    for (const Variable* a : arrays)
        for (const Variable* first : numbers)
            for (const Variable* end : numbers)
                for (const char* value : {"0", "-1"}) {
                    if (first == end) continue;
                    put_behind(
                        w,
                        kTelling,
                        kRule,
                        f.body.close - 1,
                        fmt::format(
                            "for (int wl_i = {} + threadIdx.x; wl_i < {}; wl_i += blockDim.x) {}[wl_i] = {};",
                            first->name,
                            end->name,
                            a->name,
                            value
                        )
                    );
                }
}

// What the first argument of an atomic counts in: `*ticket` of `ticket`, `done[b]` of `&done[b]`; empty: what
// is of the function's own.
std::string counter_of(const Facts& f, int open) {
    const Source& s = f.s;
    const bool address = s.is(open + 1, "&");
    const int name = open + (address ? 2 : 1), last = end_of_expression(s, name);
    const Variable* const v = variable_at(s, name);
    if (v == nullptr || v->kind != ValueKind::whole || !(is_given(f.body, *v) || v->of_file)) return {};
    if (address) return end_of_element(s, name) == last ? s.words(name, last) : std::string();
    return last == name ? "*" + v->name : "*(" + s.words(name, last) + ")";
}

// `*ticket = 0;` after who came last has done his work: the next launch counts from the beginning.
void reset_counters(Writer& w, const Facts& f) {
    const Source& s = f.s;
    for (int k = f.body.open + 1; k < f.body.close; ++k) {
        const bool counts = (s.is(k, "atomicAdd") || s.is(k, "atomicInc")) && s.is(k + 1, "(");
        // Nobody asks for what it was: it is a sum.
        const bool asked = counts && !s.is(k - 1, ";") && !s.is(k - 1, "{") && !s.is(k - 1, ")");
        const std::string counter = asked ? counter_of(f, k + 1) : std::string();
        for (const Gap& gap : f.gaps)
            if (!counter.empty() && gap.ends && gap.here > k && all_known(s, k, counter, gap.here))
                put(w, gap, "wrong_initial_value", 2, counter + " = 0;", kTelling);
    }
}

}  // namespace

void add_rest(Writer& w, const Facts& f) {
    reset_counters(w, f);
    if (w.context.unwritten) store_behind(w, f);
    for (const Statement& st : f.body.statements) {
        if (st.word != "if" || !w.is_near(st.first) || !f.s.is(st.first + 1, "(")) continue;
        store_otherwise(w, f, st), clear_otherwise(w, f, st);
    }
}

}  // namespace wl::diagnosis::rewrite
