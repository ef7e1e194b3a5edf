// Guards by what an index is compared with: of a whole statement, of what follows, of a value alone.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "wrong_condition";

// Extents that the function is given, and products of two and three of them.
std::vector<std::string> bounds_at(const Writer& w, const Body& body, int here) {
    constexpr size_t kMost = 24;
    std::vector<std::string> names, out;
    for (const Variable* b : visible(w.s, here))
        if (is_whole(*b) && (b->parameter || (b->from > body.open && b->constant))) names.push_back(b->name);
    std::reverse(names.begin(), names.end());
    out = names;
    for (size_t a = 0; a < names.size(); ++a)
        for (size_t b = a + 1; b < names.size(); ++b) {
            out.push_back(names[a] + " * " + names[b]);
            for (size_t c = b + 1; c < names.size(); ++c)
                out.push_back(fmt::format("{} * {} * {}", names[a], names[b], names[c]));
        }
    if (out.size() > kMost) out.resize(kMost);
    return out;
}

// Who has nothing to do leaves: behind the declaration of its index.
void add_returns(Writer& w, const Body& body, const Statement& st) {
    for (const Variable& v : w.s.variables) {
        if (v.from < st.first || v.from > st.last || !is_whole(v) || v.of_file || v.parameter) continue;
        bool own = false;
        for (int k = st.first; k <= st.last; ++k)
            own = own || w.s.is(k, "threadIdx") || w.s.is(k, "blockIdx") || w.s.is(k, "lane") ||
                w.s.is(k, "warp");
        if (!own) continue;
        for (const std::string& b : bounds_at(w, body, st.last))
            if (b != v.name)
                w.insert(
                    kRule,
                    2,
                    w.s.at(st.last).end,
                    w.s.at(st.last).line,
                    fmt::format(" if ({} >= {}) return;", v.name, b)
                );
    }
}

// What the statement indexes with: `y + j`, `row`.
std::vector<std::string> indices_of(const Writer& w, const Statement& st, int end, int here) {
    std::vector<std::string> out;
    const auto add = [&](int first, int last) {
        const std::string text = w.s.words(first, last);
        const bool known = std::find(out.begin(), out.end(), text) != out.end();
        if (!known && last - first < 5 && all_known(w.s, first, text, here)) out.push_back(text);
    };
    for (int k = st.first; k <= end; ++k) {
        if (w.s.is(k, "[") && w.s.at(k).match > k) {
            const int close = w.s.at(k).match;
            if (!holds_real(w.s, k + 1, close - 1)) add(k + 1, close - 1);
            for (int at = k + 1; at < close; ++at)
                if (w.s.is(at, "(") && w.s.at(at).match > at) add(at + 1, w.s.at(at).match - 1);
        }
        const Variable* const v = variable_at(w.s, k);
        if (v != nullptr && is_whole(*v) && !v->parameter && !v->of_file) add(k, k);
    }
    constexpr size_t kMost = 8;
    if (out.size() > kMost) out.resize(kMost);
    return out;
}

// Another part of a condition: `&& y + j < h` of what it guards.
void join_bounds(Writer& w, const Body& body, const Statement& st) {
    const bool guard = st.word == "if" && w.is_near(st.first) && w.s.is(st.first + 1, "(");
    if (!guard) return;
    const int first = st.first + 2, last = st.last - 1;
    const std::string text = w.s.words(first, last);
    const bool leaves = w.s.is(st.last + 1, "return") || w.s.is(st.last + 1, "continue");
    const int end = leaves ? last : st.body_last;
    for (const std::string& i : indices_of(w, st, end, first)) {
        for (const std::string& b : bounds_at(w, body, first)) {
            if (b == i || b.find('*') != b.npos) continue;
            const char* form = leaves ? "{0} || {1} >= {2}" : "{0} && {1} < {2}";
            w.replace(kRule, 3, first, last, fmt::format(fmt::runtime(form), text, i, b));
        }
        const char* form = leaves ? "{0} || {1} < 0" : "{0} && {1} >= 0";
        w.replace(kRule, 3, first, last, fmt::format(fmt::runtime(form), text, i));
    }
}

// `if (c) x = v;` and `x = c ? v : 0;`: who is kept out writes nothing.
void add_else(Writer& w, const Body& body, const Statement& st) {
    if (st.word != "if" || !w.s.is(st.body_last, ";") || w.s.is(st.body_last + 1, "else")) return;
    const Statement* const inner = statement_of(body, st.last + 1);
    if (inner == nullptr || inner->first != st.last + 1 || !inner->word.empty()) return;
    const int sets = assignment_of(w.s, *inner);
    if (!w.s.is(sets, "=")) return;
    const std::string to = w.s.words(inner->first, sets - 1), c = w.s.words(st.first + 2, st.last - 1);
    const bool real = holds_real(w.s, inner->first, inner->last);
    for (const char* zero : {real ? "0.0f" : "0", "-__int_as_float(0x7f800000)"}) {
        const std::string value = w.s.words(sets + 1, inner->last - 1);
        w.replace(
            "uninitialised", 2, st.first, inner->last, fmt::format("{} = {} ? {} : {};", to, c, value, zero)
        );
    }
}

// An element that is read where an index is inside of its extent, and what does nothing elsewhere.
void guard_element(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || v->indirections == 0 || v->kind != ValueKind::real || !w.s.is(k + 1, "[")) return;
    const int last = end_of_element(w.s, k);
    const Statement* const st = statement_of(body, k);
    if ((w.s.word(last + 1).ends_with('=') && precedence(w.s, last + 1) == 0) || st == nullptr) return;
    const std::string text = w.s.words(k, last);
    const Statement element{k, last, {}, -1};
    for (const std::string& i : indices_of(w, element, last, k))
        for (const std::string& b : bounds_at(w, body, k)) {
            if (b == i || b.find('*') != b.npos) continue;
            for (const char* none : {"0.0f", "-__int_as_float(0x7f800000)", "__int_as_float(0x7f800000)"})
                w.replace(kRule, 3, k, last, fmt::format("({} < {} ? {} : {})", i, b, text, none));
        }
}

// Of a loop: another bound, or another of its numbers compared with it.
void replace_loop_bounds(Writer& w, const Body& body, const Statement& st) {
    if (st.word != "for" || !w.is_near(st.first)) return;
    int first = -1, second = -1;
    for (int k = st.first + 2; k < st.last; ++k) {
        if (is_opening(w.s.word(k)) && w.s.at(k).match > k) k = w.s.at(k).match;
        if (w.s.is(k, ";")) (first < 0 ? first : second) = k;
    }
    const Variable* const v = first < 0 ? nullptr : variable_at(w.s, first + 1);
    if (second < 0 || v == nullptr || !is_whole(*v)) return;
    for (const Variable* b : visible(w.s, first))
        if (is_whole(*b) && b != v)
            w.replace(kRule, 3, first + 1, second - 1, fmt::format("{} < {}", v->name, b->name));
    for (const std::string& e : whole_expressions(w.s, body, first))
        w.replace(kRule, 3, first + 1, second - 1, fmt::format("{} < {}", v->name, e));
}

}  // namespace

void add_guards(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st)) continue;
            if (st.word.empty()) add_returns(w, body, st);
            join_bounds(w, body, st);
            add_else(w, body, st);
            replace_loop_bounds(w, body, st);
        }
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) guard_element(w, body, k);
    });
}

}  // namespace wl::diagnosis::rewrite
