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

// Itself, or by a variable that it is made of.
bool names_thread(const Source& s, const Body& body, int first, int last, bool made_of = true) {
    for (int k = first; k <= last; ++k) {
        for (const char* word : {"threadIdx", "blockIdx", "lane", "warp"})
            if (s.is(k, word)) return true;
        const Variable* const v = made_of ? variable_at(s, k) : nullptr;
        const bool own = v != nullptr && v->from != k && is_own(body, *v) && s.is(v->from + 1, "=");
        if (own && names_thread(s, body, v->from + 2, end_of_expression(s, v->from + 2), false)) return true;
    }
    return false;
}

// Who has nothing to do leaves: behind the declaration of its index.
void add_returns(Writer& w, const Body& body, const Statement& st) {
    for (const Variable& v : w.s.variables) {
        if (v.from < st.first || v.from > st.last || !is_whole(v) || v.of_file || v.parameter) continue;
        if (!names_thread(w.s, body, st.first, st.last)) continue;
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

// Its extent is made only behind it: `const int pairs = dim / 2;`.
void return_beyond_own(Writer& w, const Body& body, const Statement& st) {
    constexpr size_t kMost = 4;
    for (const Variable& n : w.s.variables) {
        const bool extent =
            n.from > st.first && n.from < st.last && is_whole(n) && n.constant && is_own(body, n);
        size_t taken = 0;
        for (const Variable* v : visible(w.s, st.first)) {
            if (!extent || taken == kMost) break;
            if (!is_whole(*v) || !is_own(body, *v) || loop_of(body, *v) != nullptr) continue;
            ++taken;
            const Token& last = w.s.at(st.last);
            w.insert(kRule, 2, last.end, last.line, fmt::format(" if ({} >= {}) return;", v->name, n.name));
        }
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
    if (is_assignment(w.s, last + 1) || st == nullptr) return;
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
    const std::string bound = w.s.words(first + 3, second - 1);
    const bool below = w.s.is(first + 2, "<") || w.s.is(first + 2, "<=");
    for (const std::string& e : whole_expressions(w.s, body, first)) {
        w.replace(kRule, 3, first + 1, second - 1, fmt::format("{} < {}", v->name, e));
        if (below) w.replace(kRule, 3, first + 3, second - 1, fmt::format("{} + {}", bound, e));
    }
}

// `solid[i]` as `if (solid[i])`, `!solid[i]` and `a && solid[i]` have it.
bool is_asked(const Source& s, int name, int last) {
    const std::string_view before = s.word(name - 1), behind = s.word(last + 1);
    const bool heads = before == "(" && (s.is(name - 2, "if") || s.is(name - 2, "while"));
    const bool ends = behind == ")" || behind == "&&" || behind == "||" || behind == "?" || behind == ";";
    return ends && (heads || behind == "?" || before == "!" || before == "&&" || before == "||");
}

// Elements of tables that say yes or no: those that the function asks elsewhere, and those that are given
// and that it does not name.
std::vector<std::string> answers_at(const Writer& w, const Body& body, int here) {
    constexpr size_t kMostTables = 2, kMostPlaces = 6;
    std::vector<std::string> out;
    size_t tables = 0;
    for (const Variable* t : visible(w.s, here)) {
        const bool table =
            t->indirections == 1 && (t->kind == ValueKind::whole || t->kind == ValueKind::boolean);
        if (!table) continue;
        bool asked = false, named = false;
        std::vector<std::string> places;
        for (int k = body.open + 1; k < body.close; ++k) {
            if (variable_at(w.s, k) != t || t->from == k) continue;
            named = true;
            const int last = end_of_element(w.s, k);
            if (last == k || !is_asked(w.s, k, last)) continue;
            asked = true;
            const std::string text = w.s.words(k + 2, last - 1);
            if (all_known(w.s, k + 2, text, here)) places.push_back(text);
        }
        if ((!asked && (named || !t->parameter)) || tables++ == kMostTables) continue;
        for (const Variable* i : visible(w.s, here))
            if (is_whole(*i) && !i->parameter && i->from > body.open && places.size() < kMostPlaces)
                places.push_back(i->name);
        for (const std::string& i : places) {
            const std::string text = fmt::format("{}[{}]", t->name, i);
            if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
        }
    }
    return out;
}

// `r != k` of two numbers of the function itself that the statement names.
std::vector<std::string> differences_in(const Writer& w, const Body& body, const Statement& st) {
    std::vector<const Variable*> own;
    for (int k = st.first; k <= st.last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const bool counts = v != nullptr && is_whole(*v) && v->from > body.open && v->from < st.first;
        if (counts && std::find(own.begin(), own.end(), v) == own.end()) own.push_back(v);
    }
    std::vector<std::string> out;
    for (size_t a = 0; a < own.size(); ++a)
        for (size_t b = a + 1; b < own.size(); ++b) out.push_back(own[a]->name + " != " + own[b]->name);
    return out;
}

// `if (!solid[cell])` before a statement, and beside what a guard asks already.
void ask_more(Writer& w, const Body& body, const Statement& st) {
    constexpr int kAsked = -12;  // a log prior: other guards are likelier
    const bool plain = st.word.empty() && w.s.is(st.last, ";"), guard = st.word == "if";
    if (!w.is_near(st.first) || declares(w.s, st) || (!plain && !guard)) return;
    std::vector<std::string> all;
    for (const std::string& answer : answers_at(w, body, st.first))
        all.push_back(answer), all.push_back("!" + answer);
    if (plain)
        for (std::string& c : differences_in(w, body, st)) all.push_back(std::move(c));
    const size_t from = w.out.size();
    for (const std::string& c : all) {
        if (plain) {
            w.insert(kRule, 2, w.s.at(st.first).begin, w.s.at(st.first).line, "if (" + c + ") ");
            continue;
        }
        const std::string text = w.s.words(st.first + 2, st.last - 1);
        for (const char* join : {"{} && {}", "{} || {}"})
            w.replace(kRule, 2, st.first + 2, st.last - 1, fmt::format(fmt::runtime(join), text, c));
    }
    for (size_t k = from; k < w.out.size(); ++k) w.out[k].bias = kAsked;
}

}  // namespace

void add_guards(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st)) continue;
            ask_more(w, body, st);
            if (st.word.empty()) add_returns(w, body, st), return_beyond_own(w, body, st);
            join_bounds(w, body, st);
            add_else(w, body, st);
            replace_loop_bounds(w, body, st);
        }
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) guard_element(w, body, k);
    });
}

}  // namespace wl::diagnosis::rewrite
