// Guards: left out, put in, joined by another.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "wrong_condition";
constexpr size_t kMost = 24;  // conditions that are tried at one place

// Of `if (c)`, `while (c)` and `for (...; c; ...)`; first > last: there is none.
Span condition_of(const Source& s, const Statement& st) {
    const int open = s.is(st.first + 1, "constexpr") ? st.first + 2 : st.first + 1;
    if (st.word == "if" || st.word == "while") return {open + 1, st.last - 1};
    if (st.word != "for") return {1, 0};
    Span out{1, 0};
    int parts = 0;
    for (int k = open + 1; k < st.last; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (!s.is(k, ";")) continue;
        if (++parts == 1) out.first = k + 1;
        if (parts == 2) out.last = k - 1;
    }
    return out;
}

bool known_at(const Source& s, const Span& span, int here) {
    for (int k = span.first; k <= span.last; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v != nullptr && (v->from >= here || v->to <= here)) return false;
    }
    return true;
}

// Conditions that hold of what is at hand there: those that the function writes elsewhere, and comparisons of
// its own numbers with bounds.
std::vector<std::string> conditions_at(const Writer& w, const Body& body, int here) {
    std::vector<std::string> out;
    const auto add = [&](std::string text) {
        if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    };
    for (const Statement& st : body.statements) {
        const Span c = condition_of(w.s, st);
        if (c.first <= c.last && known_at(w.s, c, here)) add(w.s.words(c.first, c.last));
    }
    for (int k = body.open; k < body.close; ++k)
        if (Choice c; choice_at(w.s, k, c) && known_at(w.s, c.condition, here))
            add(w.s.words(c.condition.first, c.condition.last));
    const std::vector<const Variable*> all = visible(w.s, here);
    for (const Variable* a : all) {
        if (a->kind != ValueKind::whole || a->indirections > 0 || a->parameter || a->from < 0) continue;
        if (a->from < body.open) continue;
        for (const Variable* b : all) {
            const bool bound = b->parameter || b->from < body.open;
            if (bound && is_whole(*b)) add(fmt::format("{} < {}", a->name, b->name));
        }
        add(a->name + " == 0");
    }
    for (const Variable* a : all)
        for (const Variable* b : all)
            if (a != b && a->from >= body.open && b->from >= body.open && a->kind == ValueKind::whole &&
                b->kind == ValueKind::whole && a->indirections + b->indirections == 0)
                add(fmt::format("{} <= {}", a->name, b->name));
    if (out.size() > kMost) out.resize(kMost);
    return out;
}

// Numbers of the function itself that a statement names.
std::vector<const Variable*> own_numbers(const Source& s, const Body& body, const Statement& st) {
    std::vector<const Variable*> out;
    for (int k = st.first; k <= st.last; ++k) {
        const Variable* const v = variable_at(s, k);
        const bool own = v != nullptr && is_whole(*v) && v->from > body.open && v->from < st.first;
        if (own && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
    }
    return out;
}

// `c && col >= 0 ? x[col] : 0.0f` of `c ? x[col] : 0.0f`.
void join_deciders(Writer& w, const Body& body, const Statement& st) {
    if (!w.is_near(st.first) || !w.s.is(st.last, ";")) return;
    for (const Span& c : deciders_of(w.s, st)) {
        const std::string text = w.s.words(c.first, c.last);
        const std::string first = text.find("||") == text.npos ? text : "(" + text + ")";
        const auto put = [&](const std::string& other) {
            if (text.find(other) == text.npos)
                w.replace(kRule, 3, c.first, c.last, fmt::format("{} && {}", first, other));
        };
        for (const Variable* v : own_numbers(w.s, body, st)) {
            put(v->name + " >= 0");
            for (const Variable* b : visible(w.s, c.first))
                if (is_whole(*b) && b != v && (b->parameter || b->from < body.open || b->constant))
                    put(fmt::format("{} < {}", v->name, b->name));
        }
        for (const std::string& other : conditions_at(w, body, c.first)) put(other);
    }
}

// `i == 0 || j == 0` of `i == 0`: of two numbers of the function itself what is asked of one. `all`: the
// condition that the part is of.
void join_twins(Writer& w, const Body& body, const Span& c, const std::string& all) {
    const Variable* const v = variable_at(w.s, c.first);
    const std::string_view sign = w.s.word(c.first + 1);
    const bool compares = sign == "==" || sign == "!=" || sign == "<" || sign == ">=" || sign == ">";
    const bool own = v != nullptr && is_whole(*v) && !v->of_file;
    if (!compares || !own || c.last < c.first + 2 || variable_at(w.s, c.last) == v) return;
    const std::string text = w.s.words(c.first, c.last), rest = w.s.words(c.first + 1, c.last);
    for (const Variable* u : visible(w.s, c.first)) {
        const bool twin = u != v && is_whole(*u) && u->parameter == v->parameter &&
            (u->from > body.open) == (v->from > body.open) && !u->of_file;
        if (!twin || rest.find(u->name) != rest.npos) continue;
        const std::string other = fmt::format("{} {}", u->name, rest);
        if (all.find(other) != all.npos) continue;
        const bool is_and = all == text ? sign == "<" : all.find("||") == all.npos;
        w.replace(kRule, 2, c.first, c.last, fmt::format("{} {} {}", text, is_and ? "&&" : "||", other));
    }
}

void add_of_statement(Writer& w, const Body& body, const Statement& st) {
    if (const Span c = condition_of(w.s, st); c.first <= c.last) {
        const std::string text = w.s.words(c.first, c.last);
        if (!w.is_near(c.first)) return;
        const bool mixed = text.find("||") != text.npos && text.find("&&") != text.npos;
        if (st.word == "if" && !mixed)
            for (const Span& part : conditions_in(w.s, c.first, c.last)) join_twins(w, body, part, text);
        for (const std::string& other : conditions_at(w, body, c.first)) {
            if (other == text) continue;
            w.replace(kRule, 3, c.first, c.last, fmt::format("{} && {}", text, other));
            if (st.word == "if") w.replace(kRule, 3, c.first, c.last, fmt::format("{} || {}", text, other));
            if (st.word == "if") w.replace(kRule, 3, c.first, c.last, other);
        }
        return;
    }
    if (!w.is_near(st.first) || declares(w.s, st) || !w.s.is(st.last, ";")) return;
    for (const std::string& c : conditions_at(w, body, st.first))
        w.insert(kRule, 3, w.s.at(st.first).begin, w.s.at(st.first).line, "if (" + c + ") ");
}

// `col > row ? 0.0f : x` of `x`, where a triangle of a matrix should be zero.
void clear_triangle(Writer& w, const Body& body, const Statement& st) {
    constexpr size_t kMostNumbers = 6;
    const int sets = assignment_of(w.s, st), line = w.context.triangle;
    const bool stores = w.s.at(st.first).line <= line && w.s.at(st.last).line >= line;
    if (!stores || !w.is_near(st.first) || !w.s.is(sets, "=") || !w.s.is(sets - 1, "]")) return;
    if (!holds_real(w.s, st.first, st.last)) return;
    std::vector<const Variable*> own;
    for (const Variable* v : visible(w.s, st.first))
        if (is_whole(*v) && v->from > body.open && own.size() < kMostNumbers) own.push_back(v);
    const std::string value = w.s.words(sets + 1, st.last - 1);
    for (const Variable* a : own)
        for (const Variable* b : own)
            if (a != b)
                w.replace(
                    kRule,
                    1,
                    sets + 1,
                    st.last - 1,
                    fmt::format("{} > {} ? 0.0f : {}", a->name, b->name, value)
                );
}

// What is read of an array where a condition holds, and 0 elsewhere.
void add_of_element(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || v->indirections == 0 || !w.s.is(k + 1, "[") || !w.is_near(k)) return;
    int last = k;
    while (w.s.is(last + 1, "[") && w.s.at(last + 1).match > 0) last = w.s.at(last + 1).match;
    if (w.s.word(last + 1).ends_with('=') && !w.s.is(last + 1, "==")) return;
    const std::string text = w.s.words(k, last);
    const char* zero = v->kind == ValueKind::real ? "0.0f" : "0";
    for (const std::string& c : conditions_at(w, body, k))
        w.replace(kRule, 3, k, last, fmt::format("({} ? {} : {})", c, text, zero));
}

}  // namespace

void add_conditions(Writer& w) {
    const Pass& rows = pass_of("conditions_statements");
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st))
                try_rows(w, rows, st, body), add_of_statement(w, body, st), join_deciders(w, body, st),
                    clear_triangle(w, body, st);
    for_each_token(w, [&](int k, const Body& body) {
        add_of_element(w, body, k);
        Choice c;
        if (!choice_at(w.s, k, c)) return;
        const std::string yes = w.s.words(c.yes.first, c.yes.last), no = w.s.words(c.no.first, c.no.last);
        const std::string condition = w.s.words(c.condition.first, c.condition.last);
        w.replace(kRule, 2, c.condition.first, c.no.last, "(" + yes + ")");
        w.replace(kRule, 2, c.condition.first, c.no.last, "(" + no + ")");
        w.replace(kRule, 2, c.condition.first, c.no.last, fmt::format("{} ? {} : {}", condition, no, yes));
    });
}

}  // namespace wl::diagnosis::rewrite
