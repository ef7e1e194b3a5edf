// Statements that are missing: what should be added to a sum, or taken into a maximum, that nobody feeds; and
// what the empty body of a head should say.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMostStarved = 3, kMostFood = 24, kMostPlaces = 10;

// Where it is set: behind its name, `=` or another; -1: it is not set there.
int sets_at(const Source& s, int k) {
    return s.word(k + 1).ends_with('=') && precedence(s, k + 1) == 0 ? k + 1 : -1;
}

// A number of the function itself that begins with a value, is read, and whose every assignment makes it of
// itself alone: a sum that is only reduced.
bool is_starved(const Source& s, const Body& body, const Variable& v) {
    const bool own = v.from > body.open && v.from < body.close && !v.parameter && !v.constant;
    const bool number = v.kind == ValueKind::real || v.kind == ValueKind::whole;
    if (!own || !number || v.indirections > 0 || !s.is(v.from + 1, "=") || loop_of(body, v) != nullptr)
        return false;
    if (!is_simple(s, v.from + 2, end_of_expression(s, v.from + 2))) return false;
    bool read = false;
    for (int k = v.from + 1; k < v.to; ++k) {
        if (variable_at(s, k) != &v) continue;
        const Statement* const st = statement_of(body, k);
        const int sets = sets_at(s, k);
        if (s.is(k + 1, "++") || s.is(k + 1, "--") || s.is(k - 1, "++") || s.is(k - 1, "--")) return false;
        read = read || sets < 0;
        if (sets < 0 || st == nullptr) continue;
        for (int at = sets + 1; at <= st->last; ++at) {
            const Variable* const u = variable_at(s, at);
            const bool handed_on = u != nullptr && u->indirections > 0 && !s.is(at + 1, "[");
            const bool inner = u != nullptr && u->from > st->first && u->from < st->last;
            if (u != nullptr && u != &v && u->kind == v.kind && !handed_on && !inner) return false;
        }
    }
    return read;
}

void add_new(std::vector<std::string>& out, std::string text) {
    if (out.size() < kMostFood && std::find(out.begin(), out.end(), text) == out.end())
        out.push_back(std::move(text));
}

// What it may be fed with: what others are, what the function reads, arguments of its calls.
std::vector<std::string> food_at(const Writer& w, const Body& body, const Variable& v, int here) {
    constexpr int kLongest = 24;  // tokens
    std::vector<std::string> out;
    const auto add = [&](int first, int last) {
        const std::string text = w.s.words(first, last);
        const bool fits = last >= first && last - first < kLongest && text.find('{') == text.npos;
        if (fits && all_known(w.s, first, text, here)) add_new(out, text);
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
            add_new(out, u->name);
    return out;
}

struct Place {
    int first = 0, last = -1;  // tokens that the text replaces; none: it is put behind `first`
};

// Empty bodies of heads, and behind the statements of loops, where the variable is known.
std::vector<Place> places_of(const Writer& w, const Body& body, int from, int to) {
    std::vector<Place> out, behind;
    for (const Statement& st : body.statements) {
        if (st.first <= from || st.last >= to || is_mark(w.s, st)) continue;
        if (st.body_last == st.last + 1 && w.s.is(st.body_last, ";") && st.word != "while")
            out.push_back({st.body_last, st.body_last});
        if (!w.is_near(st.first) || !st.word.empty() || !w.s.is(st.last, ";")) continue;
        const bool alone =
            w.s.is(st.first - 1, ";") || w.s.is(st.first - 1, "{") || w.s.is(st.first - 1, "}");
        if (alone) behind.push_back({st.last, -1});
    }
    out.insert(out.end(), behind.begin(), behind.end());
    if (out.size() > kMostPlaces) out.resize(kMostPlaces);
    return out;
}

void put(Writer& w, const Place& p, const char* rule, int cost, const std::string& text) {
    if (p.last >= 0)
        w.replace(rule, cost, p.first, p.last, text);
    else
        w.insert(rule, cost, w.s.at(p.first).end, w.s.at(p.first).line, " " + text);
}

void feed(Writer& w, const Body& body, const Variable& v) {
    const bool real = v.kind == ValueKind::real;
    for (const Place& p : places_of(w, body, v.from, v.to))
        for (const std::string& food : food_at(w, body, v, p.first)) {
            put(w, p, "partial_reduction", 1, fmt::format("{} += {};", v.name, food));
            if (!real) continue;
            put(w, p, "partial_reduction", 1, fmt::format("{0} = fmaxf({0}, {1});", v.name, food));
            put(w, p, "partial_reduction", 2, fmt::format("{0} = fminf({0}, {1});", v.name, food));
            put(w, p, "partial_reduction", 2, fmt::format("{0} += ({1}) * ({1});", v.name, food));
        }
}

// Sums and maxima over lanes that nobody takes: the whole loop before a statement, the body alone where a
// loop that halves its number has none.
void reduce_over_lanes(Writer& w, const Body& body) {
    constexpr size_t kMostNumbers = 4;
    const auto forms = {
        "{0} += __shfl_xor_sync(0xffffffffu, {0}, {1});",
        "{0} = fmaxf({0}, __shfl_xor_sync(0xffffffffu, {0}, {1}));"};
    for (const Statement& st : body.statements) {
        const bool empty = st.word == "for" && st.body_last == st.last + 1 && w.s.is(st.body_last, ";");
        const bool halves = empty && (w.s.is(st.last - 2, "/=") || w.s.is(st.last - 2, ">>="));
        const bool alone =
            w.s.is(st.first - 1, ";") || w.s.is(st.first - 1, "{") || w.s.is(st.first - 1, "}");
        if (is_mark(w.s, st) || (!halves && (!alone || !w.is_near(st.first)))) continue;
        size_t numbers = 0;
        for (const Variable* v : visible(w.s, st.first)) {
            const bool fits =
                v->kind == ValueKind::real && v->indirections == 0 && !v->constant && !v->of_file;
            if (!fits || numbers++ == kMostNumbers) continue;
            const std::string step = halves ? std::string(w.s.word(st.last - 3)) : "wl_i";
            for (const char* form : forms) {
                const std::string text = fmt::format(fmt::runtime(form), v->name, step);
                if (halves)
                    put(w, {st.body_last, st.body_last}, "partial_reduction", 1, text);
                else
                    w.insert(
                        "partial_reduction",
                        2,
                        w.s.at(st.first).begin,
                        w.s.at(st.first).line,
                        fmt::format("for (int wl_i = 16; wl_i > 0; wl_i /= 2) {} ", text)
                    );
            }
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
            if (sets && last - k <= 2 && variable_at(w.s, last) == nullptr && values.size() < kMost)
                add_new(values, w.s.words(k + 1, last));
        }
    for (const Statement& st : body.statements) {
        const bool empty = st.body_last == st.last + 1 && w.s.is(st.body_last, ";") && st.word != "while";
        if (!empty) continue;
        const Place p{st.body_last, st.body_last};
        for (const Variable* v : visible(w.s, st.body_last)) {
            const bool number = v->kind == ValueKind::real || v->kind == ValueKind::whole;
            if (!number || v->indirections > 0 || v->constant || v->parameter || v->from < body.open)
                continue;
            std::vector<std::string> all = values;
            if (v->kind == ValueKind::real) all.emplace_back("-__int_as_float(0x7f800000)");
            for (const std::string& value : all)
                put(w, p, "stale_tile", 1, fmt::format("{} = {};", v->name, value));
        }
    }
}

}  // namespace

void add_missing(Writer& w) {
    for (const Body& body : w.s.bodies) {
        size_t starved = 0;
        for (const Variable& v : w.s.variables)
            if (starved < kMostStarved && is_starved(w.s, body, v)) feed(w, body, v), ++starved;
        fill_empty(w, body);
        reduce_over_lanes(w, body);
    }
}

}  // namespace wl::diagnosis::rewrite
