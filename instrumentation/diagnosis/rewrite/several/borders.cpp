// What lies behind the border of an image: mirrored, repeated, or the nearest that there is.
#include "instrumentation/diagnosis/rewrite/several/borders.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

// `if (i >= n) return 2 * (n - 1) - i;` before `return i;`, of a function that is given both.
void ask_at_border(Writer& w, const Body& body, const Statement& st) {
    const Variable* const i =
        st.word == "return" && st.first + 2 == st.last ? variable_at(w.s, st.first + 1) : nullptr;
    if (i == nullptr || !is_whole(*i) || !is_given(body, *i) || !is_alone(w.s, st)) return;
    const auto before = [&](const std::string& text) {
        put_before(w, kTelling, "wrong_condition", st.first, text);
    };
    for (const char* what : {"-{}", "-{} - 1", "0"})
        before(fmt::format("if ({0} < 0) return {1};", i->name, fmt::format(fmt::runtime(what), i->name)));
    for (const Variable* n : visible(w.s, st.first)) {
        if (n == i || !is_whole(*n) || !is_given(body, *n)) continue;
        before(fmt::format("if ({} < 0) return {} + {};", i->name, i->name, n->name));
        for (const char* what :
             {"2 * ({1} - 1) - {0}",
              "max(2 * ({1} - 1) - {0}, 0)",
              "2 * {1} - 1 - {0}",
              "{1} - 1",
              "{0} - {1}"})
            before(fmt::format(
                "if ({0} >= {1}) return {2};",
                i->name,
                n->name,
                fmt::format(fmt::runtime(what), i->name, n->name)
            ));
    }
}

struct Clamp {
    Span call, what, by;
};
// `max(x - 1, 0)`, `min(x + 1, w - 1)`.
std::vector<Clamp> clamps_of(const Source& s, const Statement& st) {
    std::vector<Clamp> out;
    for (int k = st.first; k < st.last; ++k) {
        if ((!s.is(k, "max") && !s.is(k, "min")) || !s.is(k + 1, "(")) continue;
        const std::vector<Span> a = arguments_of(s, k + 1);
        if (a.size() == 2)
            out.push_back({
                {k, s.at(k + 1).match},
                a[0], a[1]
            });
    }
    return out;
}

// The extent `n` of `n - 1`.
std::string extent_of(const Source& s, const Span& by) {
    const bool less = by.last > by.first + 1 && s.is(by.last, "1") && s.is(by.last - 1, "-");
    return less ? s.words(by.first, by.last - 2) : "";
}

// `(x - 1 + w) % w` and `(x + 1) % w` of `max(x - 1, 0)` and `min(x + 1, w - 1)`.
void repeat(Writer& w, const Statement& st) {
    const std::vector<Clamp> all = clamps_of(w.s, st);
    for (const Clamp& c : all) {
        const std::string n = extent_of(w.s, c.by);
        if (n.empty()) continue;
        for (const Clamp& low : all) {
            const bool apart = low.call.last < c.call.first || c.call.last < low.call.first;
            if (!w.s.is(low.call.first, "max") || w.s.words(low.by.first, low.by.last) != "0" || !apart)
                continue;
            const auto edit = [&](const Clamp& at, const std::string& now) {
                const size_t begin = w.s.at(at.call.first).begin;
                return Edit{begin, w.s.at(at.call.last).end - begin, now};
            };
            const std::string below =
                fmt::format("({} + {}) % {}", w.s.words(low.what.first, low.what.last), n, n);
            const std::string above = fmt::format("({}) % {}", w.s.words(c.what.first, c.what.last), n);
            Rewrite r{
                "wrong_index",
                2,
                w.s.words(low.call.first, low.call.last),
                below,
                w.s.at(low.call.first).line,
                {}};
            r.besides = {
                {w.s.words(c.call.first, c.call.last), above, w.s.at(c.call.first).line}
            };
            r.edits = {edit(low, below), edit(c, above)};
            std::sort(r.edits.begin(), r.edits.end(), [](const Edit& a, const Edit& b) {
                return a.begin < b.begin;
            });
            r.bias = kTelling;
            w.add(std::move(r));
        }
    }
}

// `i = -i` with `2 * n - 2 - i` of `-i - 1` with `2 * n - 1 - i`, and the other way round: with the border
// itself once, or twice.
void mirror_otherwise(Writer& w, const Body& body) {
    const Source& s = w.s;
    for (int k = body.open + 1; k + 1 < body.close; ++k) {
        const Variable* const i = variable_at(s, k + 1);
        if (!s.is(k, "-") || precedence(s, k) > 0 || i == nullptr || !is_whole(*i) || !w.is_near(k)) continue;
        const bool twice = s.is(k + 2, "-") && s.is(k + 3, "1");
        for (int at = k + 2; at + 1 < body.close; ++at) {
            // `2 * n - 1 - i`
            const bool behind = s.is(at, "-") && variable_at(s, at + 1) == i && s.is(at - 2, "-") &&
                s.is(at - 1, twice ? "1" : "2") && s.is(at - 4, "*") && s.is(at - 5, "2");
            if (!behind) continue;
            Rewrite r{"wrong_index", 2, s.words(k, twice ? k + 3 : k + 1), "", s.at(k).line, {}};
            r.now = fmt::format("-{}{}", i->name, twice ? "" : " - 1");
            const size_t begin = s.at(k).begin;
            const Token& n = s.at(at - 1);
            r.edits = {
                {begin,   s.at(twice ? k + 3 : k + 1).end - begin, r.now            },
                {n.begin, n.end - n.begin,                         twice ? "2" : "1"}
            };
            r.besides = {
                {std::string(s.word(at - 1)), twice ? "2" : "1", n.line}
            };
            r.bias = kTelling;
            w.add(std::move(r));
            break;
        }
    }
}

// `max(i - by, 0)` of `i - by`, `min(i + by, n - 1)` of `i + by`: the last that there is.
void keep_inside(Writer& w, const Body& body, const Statement& st) {
    constexpr size_t kMost = 4;
    const Variable* const v = variable_set(w.s, st);
    const int sets = assignment_of(w.s, st), last = sets < 0 ? -1 : end_of_expression(w.s, sets + 1);
    if (v == nullptr || !is_whole(*v) || last <= sets + 1 || !w.s.is(sets, "=")) return;
    bool plus = false, minus = false;
    for (int k = sets + 1; k <= last; ++k) {
        if (is_opening(w.s.word(k)) && w.s.at(k).match > k) k = w.s.at(k).match;
        plus = plus || (w.s.is(k, "+") && precedence(w.s, k) > 0);
        minus = minus || (w.s.is(k, "-") && precedence(w.s, k) > 0);
    }
    const std::string text = w.s.words(sets + 1, last);
    if (minus) put(w, kTelling, "out_of_bounds", sets + 1, last, fmt::format("max({}, 0)", text));
    size_t taken = 0;
    for (const Variable* n : visible(w.s, st.first)) {
        const bool extent = plus && is_whole(*n) && is_given(body, *n);
        if (extent && taken++ < kMost)
            put(w, kRare, "out_of_bounds", sets + 1, last, fmt::format("min({}, {} - 1)", text, n->name));
    }
}

// `h[n - 1 + i]` of `h[-1 - i]`: what lies before the begin is kept from the other end.
void count_from_other_end(Writer& w, const Body& body, int k) {
    constexpr size_t kMost = 6;
    const Variable* const i = w.s.is(k, "-") && precedence(w.s, k) > 0 ? variable_at(w.s, k + 1) : nullptr;
    const int open = i == nullptr || !is_whole(*i) ? -1 : bracket_before(w.s, k);
    const bool bracket = open > 0 && (w.s.is(open, "(") || w.s.is(open, "[")) && w.s.at(open).match == k + 2;
    if (!bracket || holds_real(w.s, open + 1, k - 1)) return;
    size_t taken = 0;
    for (const Variable* n : visible(w.s, k)) {
        if (n == i || !is_extent(body, *n) || taken++ >= kMost) continue;
        for (const char* form : {"{} - 1 + {}", "{} + {}", "{} - 1 - {}"})
            put(w, kRare, "wrong_index", open + 1, k + 1, fmt::format(fmt::runtime(form), n->name, i->name));
    }
}

}  // namespace

void add_borders(Writer& w) {
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) count_from_other_end(w, body, k);
    });
    for (const Body& body : w.s.bodies) {
        mirror_otherwise(w, body);
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st) && w.is_near(st.first))
                ask_at_border(w, body, st), repeat(w, st), keep_inside(w, body, st);
    }
}

}  // namespace wl::diagnosis::rewrite
