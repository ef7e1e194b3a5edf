// What a store of one case leaves out: the other case.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"

#include <fmt/format.h>
#include <string>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "never_written";

// ` else out[i] = -e;` behind `if (c) out[i] = e;`.
void store_otherwise(Writer& w, const Facts& f, const Statement& st) {
    const Source& s = f.s;
    const int first = s.at(st.first + 1).match + 1, last = st.body_last;
    if (last <= first || s.is(first, "{") || s.is(last + 1, "else")) return;
    const Variable* const to = variable_at(s, first);
    const int sets = sets_at(s, first);
    if (to == nullptr || to->indirections == 0 || sets < 0 || !s.is(sets, "=") || !s.is(last, ";")) return;
    const bool real = to->kind == ValueKind::real;
    if (!real && to->kind != ValueKind::whole) return;
    const std::string target = s.words(first, sets);
    const char* const rule = is_given(f.body, *to) ? kRule : "uninitialised";
    for (const std::string& value :
         {std::string(real ? "0.0f" : "0"),
          "-" + in_brackets(s, sets + 1, last - 1),
          std::string(real ? "1.0f" : "-1")}) {
        put_behind(
            w, w.around.unwritten ? 2 * kTelling : 0, rule, last, fmt::format("else {} {};", target, value)
        );
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

}  // namespace

void add_rest(Writer& w, const Facts& f) {
    for (const Statement& st : f.body.statements) {
        if (st.word != "if" || !w.is_near(st.first) || !f.s.is(st.first + 1, "(")) continue;
        store_otherwise(w, f, st), clear_otherwise(w, f, st);
    }
}

}  // namespace wl::diagnosis::rewrite
