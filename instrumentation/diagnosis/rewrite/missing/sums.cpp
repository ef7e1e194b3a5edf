// Sums that nobody feeds, maxima that nobody takes; and what the empty body of a head should say.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"
#include "instrumentation/diagnosis/rewrite/missing/subscripts.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMostStarved = 3, kMostFood = 24, kMostUnheard = 24, kMostPlaces = 8;

// Elements of arrays that the function does not read, and their products.
std::vector<std::string> unheard_elements(const Writer& w, const Facts& f, const Variable& v, int here) {
    constexpr size_t kMostArrays = 3, kMostEach = 6;
    std::vector<std::vector<std::string>> arrays;
    std::vector<std::string> out;
    for (const Variable* u : visible(w.s, here)) {
        const bool kind = u->kind == v.kind && u->indirections > 0 && arrays.size() < kMostArrays;
        const bool own_one = kind && is_own(f.body, *u) && is_ever(f, *u, Event::Kind::fed);
        const bool input = kind && is_given(f.body, *u) && u->constant;
        if ((!own_one && !input) || is_ever(f, *u, Event::Kind::heard)) continue;
        std::vector<std::string> elements;
        for (const Subscript& i : subscripts_at(w, f.body, *u, here))
            add_new(elements, u->name + i.text, kMostEach);
        arrays.insert(arrays.begin(), std::move(elements));  // in the order in which they are declared
    }
    for (size_t a = 0; a < arrays.size(); ++a)
        for (size_t b = a + 1; b < arrays.size(); ++b)
            for (const std::string& x : arrays[a])
                for (const std::string& y : arrays[b]) out.push_back(fmt::format("{} * {}", x, y));
    for (const auto& own : arrays) out.insert(out.end(), own.begin(), own.end());
    for (const Variable* u : unheard_at(f, v.kind, here))
        for (const auto& own : arrays)
            for (const std::string& x : own)
                if (u != &v) out.push_back(u->name + " * " + x);
    return out;
}

// Of numbers that nobody makes anything of, and of arrays that nobody reads.
std::vector<std::string> unheard_food(const Writer& w, const Facts& f, const Variable& v, int here) {
    std::vector<std::string> out;
    const std::vector<const Variable*> numbers = unheard_at(f, v.kind, here);
    for (const Variable* u : numbers) {
        if (u == &v || u->parameter) continue;
        add_new(out, u->name, kMostUnheard);
        if (v.kind == ValueKind::real) add_new(out, fmt::format("{0} * {0}", u->name), kMostUnheard);
        for (const Variable* x : numbers)
            if (x != u && x != &v) add_new(out, u->name + " * " + x->name, kMostUnheard);
    }
    for (const std::string& e : unheard_elements(w, f, v, here)) add_new(out, e, 2 * kMostUnheard);
    return out;
}

// What it may be fed with besides: what others are, what the function reads, arguments of its calls.
std::vector<std::string> food_at(const Writer& w, const Body& body, const Variable& v, int here) {
    constexpr int kLongest = 24;  // tokens
    std::vector<std::string> out;
    const auto add = [&](int first, int last) {
        const std::string text = w.s.words(first, last);
        const bool fits = last >= first && last - first < kLongest && text.find('{') == text.npos;
        if (fits && all_known(w.s, first, text, here)) add_new(out, text, kMostFood);
    };
    for (int k = body.open + 1; k < body.close; ++k) {
        if (w.s.at(k).directive) continue;
        const bool adds = w.s.is(k, "+=") && precedence(w.s, k) == 0;
        const bool call = w.s.is(k, "(") && w.s.at(k - 1).kind == Token::Kind::word && !w.s.is(k - 1, "for");
        if (!adds && !call) continue;
        const int last = end_of_expression(w.s, k + 1);
        if (v.kind == ValueKind::real && !holds_real(w.s, k + 1, last)) continue;
        if (adds) add(k + 1, last);
        // `row[c] * scale` of `expf(row[c] * scale - m)`, and its arguments.
        int minus = -1;
        for (int at = k + 1; at <= last; ++at) {
            if (is_opening(w.s.word(at)) && w.s.at(at).match > at) at = w.s.at(at).match;
            if (w.s.is(at, "-") && precedence(w.s, at) > 0) minus = at;
        }
        if (minus > k + 1) add(k + 1, minus - 1);
        if (call && last > k + 1) add(k + 1, last);
        if (call && w.s.at(k).match > k) add(k - 1, w.s.at(k).match);
    }
    if (v.kind == ValueKind::real)
        for (const auto& [text, from] : elements_of(w.s, body)) add(from, end_of_element(w.s, from));
    for (const Variable* u : visible(w.s, here))
        if (u != &v && u->kind == v.kind && u->indirections == 0 && u->from > body.open)
            add_new(out, u->name, kMostFood);
    return out;
}

struct Place {
    Gap gap;
    int empty = -1;  // a token that the text replaces; -1: none
};

// Empty bodies of heads, and gaps, where the variable is known; those of inner loops first.
std::vector<Place> places_of(const Writer& w, const Facts& f, int from, int to) {
    const Body& body = f.body;
    std::vector<Place> out;
    for (const Statement& st : body.statements) {
        if (st.first > from && st.last < to && is_empty_head(w.s, st)) out.push_back({{}, st.body_last});
    }
    std::vector<Gap> gaps;
    for (const Gap& g : f.gaps)
        if (g.here > from && g.here <= to) gaps.push_back(g);
    const auto loops = [&](const Gap& g) {
        return std::count_if(body.statements.begin(), body.statements.end(), [&](const Statement& st) {
            return (st.word == "for" || st.word == "while") && g.here > st.last + 1 &&
                g.here <= st.body_last && st.first > from;
        });
    };
    std::stable_sort(gaps.begin(), gaps.end(), [&](const Gap& a, const Gap& b) {
        return loops(a) > loops(b);
    });
    for (const Gap& g : gaps)
        if (out.size() < kMostPlaces) out.push_back({g, -1});
    return out;
}

void put_at(Writer& w, const Place& p, const char* rule, int cost, const std::string& text, int bias) {
    if (p.empty < 0) return put(w, p.gap, rule, cost, text, bias);
    w.replace(rule, cost, p.empty, p.empty, text);
    w.out.back().bias = bias;
}

void feed(Writer& w, const Facts& f, const Variable& v) {
    const bool real = v.kind == ValueKind::real;
    for (const Place& p : places_of(w, f, v.from, v.to)) {
        const int here = p.empty < 0 ? p.gap.here : p.empty;
        const std::vector<std::string> unheard = unheard_food(w, f, v, here);
        for (const bool first : {true, false})
            for (const std::string& food : first ? unheard : food_at(w, f.body, v, here)) {
                const int bias = first ? kUnheard : 0;
                const auto add = [&](int cost, const std::string& text) {
                    put_at(w, p, "partial_reduction", cost, text, bias);
                };
                add(1, fmt::format("{} += {};", v.name, food));
                const bool product = first && food.find('*') != food.npos;
                if (!real || product) continue;
                add(first ? 2 : 1, fmt::format("{0} = fmaxf({0}, {1});", v.name, food));
                add(2, fmt::format("{0} = fminf({0}, {1});", v.name, food));
                if (!first) add(2, fmt::format("{0} += ({1}) * ({1});", v.name, food));
            }
    }
}

// `if (lane == expert) logit = -INFINITY;` of `if (lane == expert) ;`: a number that the function sets, to
// what another is set to.
void fill_empty(Writer& w, const Body& body) {
    constexpr size_t kMost = 8;
    std::vector<std::string> values;
    for (const Statement& st : body.statements)
        for (int k = st.first; k < st.last; ++k) {
            const bool sets = w.s.is(k, "=") && precedence(w.s, k) == 0;
            const int last = sets ? end_of_expression(w.s, k + 1) : k;
            if (sets && last - k <= 2 && variable_at(w.s, last) == nullptr)
                add_new(values, w.s.words(k + 1, last), kMost);
        }
    for (const Statement& st : body.statements) {
        if (!is_empty_head(w.s, st)) continue;
        const Place p{{}, st.body_last};
        for (const Variable* v : visible(w.s, st.body_last)) {
            const bool number = v->kind == ValueKind::real || v->kind == ValueKind::whole;
            if (!number || v->indirections > 0 || v->constant || v->parameter || v->from < body.open)
                continue;
            std::vector<std::string> all = values;
            if (v->kind == ValueKind::real) all.emplace_back("-__int_as_float(0x7f800000)");
            for (const std::string& value : all)
                put_at(w, p, "stale_tile", 1, fmt::format("{} = {};", v->name, value), 0);
        }
    }
}

// `else buffer[r][s] = {};` behind a copy that is made where there is something to copy.
void clear_otherwise(Writer& w, const Statement& st) {
    if (st.word != "if" || w.s.is(st.body_last + 1, "else")) return;
    for (int k = st.last + 1; k < st.body_last; ++k) {
        const bool copy = w.s.word(k).find("memcpy_async") != std::string_view::npos && w.s.is(k + 1, "(");
        if (!copy) continue;
        const int first = k + 2, last = end_of_expression(w.s, first);
        const std::string to =
            w.s.is(first, "&") ? w.s.words(first + 1, last) : "*(" + w.s.words(first, last) + ")";
        constexpr int kLikely = 15;  // a log prior
        w.insert(
            "uninitialised",
            1,
            w.s.at(st.body_last).end,
            w.s.at(st.body_last).line,
            fmt::format(" else {} = {{}};", to)
        );
        w.out.back().bias = kLikely;
        return;
    }
}

}  // namespace

void add_sums(Writer& w, const Facts& f) {
    size_t starved = 0;
    for (const Variable& v : w.s.variables)
        if (starved < kMostStarved && is_starved(f, v)) feed(w, f, v), ++starved;
    fill_empty(w, f.body);
    for (const Statement& st : f.body.statements)
        if (!is_mark(w.s, st)) clear_otherwise(w, st);
}

}  // namespace wl::diagnosis::rewrite
