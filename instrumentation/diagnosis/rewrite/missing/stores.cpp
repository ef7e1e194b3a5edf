// Stores that are missing: of arrays that nobody writes, made of what is at hand there.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"
#include "instrumentation/diagnosis/rewrite/missing/subscripts.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "never_written";
constexpr size_t kMostValues = 10, kMostPlaces = 16, kMostGuarded = 4;
// Log priors: of two unused numbers, of one with unused factors.
constexpr int kOfTwo = 30, kBlended = 60;

// `update(p[i], g[i])` of a function of the source: it may write what it is handed.
bool is_handed_on(const Source& s, const Body& body, const Variable& v) {
    for (int k = body.open + 1; k < body.close; ++k)
        if (variable_at(s, k) == &v && handed_to(s, k, end_of_element(s, k)) != nullptr) return true;
    return false;
}

// An output that the function does not write, or its own memory that it only reads.
bool lacks_stores(const Facts& f, const Variable& v) {
    const bool kind = v.kind == ValueKind::real || v.kind == ValueKind::whole;
    if (!kind || v.indirections == 0 || v.constant || v.of_file) return false;
    const bool given = is_given(f.body, v);
    if ((!given && !is_own(f.body, v)) || (is_member(v) && is_named(f.s, v))) return false;
    if (is_ever(f, v, Event::Kind::fed) || is_handed_on(f.s, f.body, v)) return false;
    return given ? v.indirections == 1 : f.events.contains(&v) && is_shared(f.s, v);
}

struct Value {
    std::string text;
    int bias = 0;
};
using Values = std::vector<Value>;

void add_value(Values& out, std::string text, int bias, size_t most = ~size_t{0}) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const Value& v) { return v.text == text; });
    if (!known && out.size() < most) out.push_back({std::move(text), bias});
}

// `acc / sum`, `alpha * acc` of two that nobody makes anything of.
void add_unheard(const Facts& f, const Variable& of, int here, Values& out) {
    constexpr size_t kMost = 3;
    std::vector<const Variable*> all = unheard_at(f, of.kind, here);
    if (all.size() > kMost) all.resize(kMost);
    for (const Variable* v : all)
        if (!v->parameter) add_value(out, v->name, kUnheard);
    for (const Variable* a : all)
        for (const Variable* b : all) {
            if (a == b) continue;
            const std::vector<const char*> forms = a < b
                ? std::vector{"{} / {}", "{} * {}", "{} + {}", "{} - {}"}
                : std::vector{"{} / {}", "{} - {}"};
            for (const char* form : forms)
                add_value(out, fmt::format(fmt::runtime(form), a->name, b->name), kOfTwo);
        }
}

// Elements of the function's own arrays, those first of which nobody makes anything.
void add_own_elements(const Writer& w, const Facts& f, const Variable& of, int here, Values& out) {
    for (const Variable* v : visible(w.s, here)) {
        const bool own = v->kind == of.kind && v->indirections > 0 && is_own(f.body, *v);
        if (!own || !is_unheard(f, *v, here)) continue;
        for (const Subscript& i : subscripts_at(w, f.body, *v, here))
            add_value(out, v->name + i.text, kUnheard);
    }
    for (int k = f.body.open + 1; k < f.body.close; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const int last = end_of_element(w.s, k);
        const bool own = v != nullptr && v->kind == of.kind && is_own(f.body, *v) && v->from != k && last > k;
        if (own && all_known(w.s, k, w.s.words(k, last), here))
            add_value(out, w.s.words(k, last), 0, kMostValues);
    }
}

// Elements of what the function is given.
void add_given_elements(
    const Writer& w, const Facts& f, const Variable& of, int here, bool used, Values& out
) {
    for (const Variable* v : visible(w.s, here)) {
        const bool given =
            v->parameter && v->kind == of.kind && v->indirections == 1 && f.events.contains(v) == used;
        if (!given) continue;
        const size_t most = out.size() + kMostValues;
        for (const Subscript& i : subscripts_at(w, f.body, *v, here))
            add_value(out, v->name + i.text, i.bias, most);
    }
}

// `alpha * sum + beta * y[i]` of two factors that nobody asks for; `@` stands for the element.
void add_blended(const Facts& f, const Variable& of, int here, Values& out) {
    constexpr size_t kMost = 6;
    std::vector<const Variable*> all = unheard_at(f, of.kind, here);
    if (all.size() > kMost) all.resize(kMost);
    for (const Variable* x : all)
        for (const Variable* a : all)
            for (const Variable* b : all)
                if (of.parameter && !x->parameter && a->parameter && b->parameter && a != b)
                    add_value(out, fmt::format("{} * {} + {} * @", a->name, x->name, b->name), kBlended);
}

// Those first that nobody makes anything of, then variables; of what is given elements, the same.
Values values_at(const Writer& w, const Facts& f, const Variable& of, int here) {
    Values out;
    add_blended(f, of, here, out);
    add_unheard(f, of, here, out);
    if (of.parameter) add_own_elements(w, f, of, here, out);
    for (const bool used : {false, true}) {
        for (const Variable* v : visible(w.s, here)) {
            const bool is_used = f.events.contains(v);
            if (v->kind == of.kind && v->indirections == 0 && !v->of_file && is_used == used)
                add_value(out, v->name, 0, kMostValues);
        }
        if (!of.parameter) add_given_elements(w, f, of, here, used, out);
    }
    return out;
}

// `threadIdx.x == 0`, `row < n`: as the function writes them, and of what it looks elements up by.
std::vector<std::string> guards_at(const Writer& w, const Body& body, int here) {
    constexpr size_t kMost = 3;
    std::vector<std::string> out;
    for (const Statement& st : body.statements) {
        if (st.word != "if" || !w.s.is(st.first + 1, "(")) continue;
        const std::string text = w.s.words(st.first + 2, st.last - 1);
        if (all_known(w.s, st.first + 2, text, here)) add_new(out, text, kMost);
    }
    add_new(out, "threadIdx.x == 0", kMost + 1);
    return out;
}

std::string store_of(const Variable& v, const std::string& subscript, std::string value) {
    if (const size_t at = value.find('@'); at != value.npos) value.replace(at, 1, v.name + subscript);
    return fmt::format("{}{} = {};", v.name, subscript, value);
}

// As the empty body of a head: `if (row < n) ;`, `for (...) ;`.
void fill_body(Writer& w, const Facts& f, const Variable& v, const Statement& head) {
    const int at = head.body_last;
    const Values values = values_at(w, f, v, at);
    for (const Subscript& subscript : subscripts_at(w, f.body, v, at))
        for (const Value& value : values) {
            if (subscript.text == "[" + value.text + "]") continue;
            w.replace(kRule, 2, at, at, store_of(v, subscript.text, value.text));
            w.out.back().bias = value.bias + subscript.bias;
        }
}

void store(Writer& w, const Facts& f, const Variable& v, const Gap& gap) {
    const Values values = values_at(w, f, v, gap.here);
    const std::vector<std::string> guards = guards_at(w, f.body, gap.here);
    for (const Subscript& subscript : subscripts_at(w, f.body, v, gap.here))
        for (size_t n = 0; n < values.size(); ++n) {
            if (subscript.text == "[" + values[n].text + "]") continue;
            const std::string text = store_of(v, subscript.text, values[n].text);
            const int bias = values[n].bias + subscript.bias;
            put(w, gap, kRule, 2, text, bias);
            for (size_t g = 0; g < guards.size() && n < kMostGuarded; ++g)
                put(w, gap, kRule, 3, fmt::format("if ({}) {}", guards[g], text), bias);
        }
}

}  // namespace

void add_stores(Writer& w) {
    for (const Body& body : w.s.bodies) {
        const Facts f = facts_of(w.s, body);
        for (const Variable& v : w.s.variables) {
            if (!lacks_stores(f, v)) continue;
            for (const Statement& st : body.statements)
                if (is_empty_head(w.s, st)) fill_body(w, f, v, st);
            size_t places = 0;
            for (size_t k = f.gaps.size(); k-- > 0 && places < kMostPlaces;) {
                if (!v.parameter && v.from > f.gaps[k].here) continue;
                store(w, f, v, f.gaps[k]), ++places;
            }
        }
    }
}

}  // namespace wl::diagnosis::rewrite
