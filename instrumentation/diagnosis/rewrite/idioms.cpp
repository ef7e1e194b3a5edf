// What right programs nearly always say, as rows of the table, and changes of several places that are one
// idea.
#include "instrumentation/diagnosis/rewrite/several/borders.h"
#include "instrumentation/diagnosis/rewrite/several/forms.h"
#include "instrumentation/diagnosis/rewrite/several/formulas.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

namespace {

// Numbers that the function sets or is given, and never reads.
std::vector<const Variable*> unread_in(const Source& s, const Body& body) {
    constexpr size_t kMost = 6;
    std::vector<const Variable*> out;
    for (const Variable& v : s.variables) {
        const bool number = v.indirections == 0 && (v.kind == ValueKind::real || v.kind == ValueKind::whole);
        const bool fits = number && (is_own(body, v) || is_given(body, v));
        if (fits && out.size() < kMost && is_unread(s, body, v)) out.push_back(&v);
    }
    return out;
}

void try_unread(Writer& w, const Body& body) {
    const Pass& rows = pass_of("unread");
    const std::vector<const Variable*> unread = unread_in(w.s, body);
    for (const Statement& st : body.statements) {
        if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
        for (const Variable* v : unread)
            for (int k = st.first; k <= st.last; ++k) try_rows(w, rows, k, body, v);
    }
}

}  // namespace

void add_idioms(Writer& w) {
    const Pass &rows = pass_of("idioms"), &zeros = pass_of("zeros"), &warps = pass_of("warps"),
               &powers = pass_of("powers"), &both = pass_of("both"),
               &of_statements = pass_of("idioms_statements");
    add_formulas(w), add_forms(w), add_borders(w);
    for_each_token(w, [&](int k, const Body& body) {
        for (const Pass* pass : {&rows, &zeros, &warps}) try_rows(w, *pass, k, body);
        if (!w.is_near(k)) return;
        try_rows(w, powers, k, body);
        if (precedence(w.s, k) != 0) try_rows(w, both, k, body);
    });
    for (const Body& body : w.s.bodies) {
        try_unread(w, body);
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st)) try_rows(w, of_statements, st, body);
    }
}

}  // namespace wl::diagnosis::rewrite
