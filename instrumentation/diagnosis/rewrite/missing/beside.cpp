// What is written together everywhere but in one branch.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"

#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 6;

bool is_output(const Body& body, const Variable& v) {
    return is_given(body, v) && v.indirections == 1 && !v.constant;
}

// The array whose element the statement sets, where it is an output.
const Variable* stored_by(const Source& s, const Body& body, const Statement& st) {
    const Variable* const v = st.word.empty() ? variable_at(s, st.first) : nullptr;
    if (v == nullptr || !is_output(body, *v)) return nullptr;
    const int last = end_of_element(s, st.first);
    return last > st.first && s.is(last + 1, "=") ? v : nullptr;
}

bool stores_within(const Source& s, const Body& body, int open, int close, const Variable& v) {
    for (const Statement& st : body.statements)
        if (st.first > open && st.last < close && stored_by(s, body, st) == &v) return true;
    return false;
}

// The brace that is open around the token.
int block_around(const Source& s, int token) {
    int k = token;
    const auto opens = [&] { return s.is(k, "{") && s.at(k).match > token; };
    while (k > 0 && !opens()) --k;
    return k;
}

std::vector<std::string> values_for(
    const Source& s, const Body& body, const Variable& v, int here, const std::string& subscript
) {
    std::vector<std::string> elements, out;
    for (const Variable* u : visible(s, here)) {
        if (u == &v || u->type != v.type || out.size() + elements.size() > kMost) continue;
        if (is_given(body, *u) && u->indirections == 1) elements.push_back(u->name + subscript);
        if (is_own(body, *u) && u->indirections == 0) out.push_back(u->name);
    }
    out.insert(out.begin(), elements.begin(), elements.end());
    if (v.kind == ValueKind::real) out.emplace_back("0.0f");
    if (v.kind == ValueKind::whole) out.emplace_back("0");
    return out;
}

}  // namespace

void add_beside(Writer& w, const Facts& f) {
    const Body& body = f.body;
    for (const Statement& st : body.statements) {
        const Variable* const a = stored_by(w.s, body, st);
        const int open = a == nullptr ? -1 : block_around(w.s, st.first);
        if (open < 0 || !w.s.is(st.last, ";")) continue;
        const std::string subscript = w.s.words(st.first + 1, end_of_element(w.s, st.first));
        for (const Variable& b : w.s.variables) {
            const bool elsewhere = &b != a && is_output(body, b) &&
                !stores_within(w.s, body, open, w.s.at(open).match, b) &&
                stores_within(w.s, body, body.open, body.close, b);
            if (!elsewhere) continue;
            for (const std::string& value : values_for(w.s, body, b, st.first, subscript))
                w.insert(
                    "never_written",
                    1,
                    w.s.at(st.last).end,
                    w.s.at(st.last).line,
                    fmt::format(" {}{} = {};", b.name, subscript, value)
                );
        }
    }
}

}  // namespace wl::diagnosis::rewrite
