// Other operands, whatever they are: an element for a variable, another element; factors of two terms
// exchanged.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "wrong_operand";
constexpr size_t kMost = 16;  // operands that are tried at one place

struct Operand {
    Span at;
    std::string text;
    ValueKind kind = ValueKind::other;
    bool element = false;
};

bool is_number(ValueKind k) { return k == ValueKind::real || k == ValueKind::whole; }

bool is_operand(const Source& s, int k, Operand& out) {
    const Variable* const v = variable_at(s, k);
    if (v == nullptr || v->from == k || !is_number(v->kind)) return false;
    const int last = end_of_element(s, k);
    int dimensions = 0;
    for (int at = k + 1; at <= last; at = s.at(at).match + 1) ++dimensions;
    if (dimensions != v->indirections) return false;
    out = {
        {k, last},
        s.words(k, last), v->kind, dimensions > 0
    };
    return is_read(s, out.at);
}

// What the function reads, each once; of variables those of its own.
std::vector<Operand> operands_in(const Source& s, const Body& body) {
    std::vector<Operand> out;
    for (int k = body.open + 1; k < body.close; ++k) {
        Operand o;
        if (s.at(k).directive || !is_operand(s, k, o)) continue;
        const bool known =
            std::any_of(out.begin(), out.end(), [&](const Operand& p) { return p.text == o.text; });
        if (!known) out.push_back(std::move(o));
    }
    return out;
}

bool is_read_in(const Source& s, const Body& body, const Variable& v) {
    for (int k = body.open + 1; k < body.close; ++k)
        if (variable_at(s, k) == &v && v.from != k && is_read(s, {k, k})) return true;
    return false;
}

// An element for a variable or the other way round, and one element for another.
void replace_operand(Writer& w, const Body& body, const std::vector<Operand>& all, int k) {
    Operand own;
    if (!w.is_near(k) || !is_operand(w.s, k, own)) return;
    size_t put = 0;
    for (const Operand& o : all) {
        const bool other = o.text != own.text && o.kind == own.kind && (o.element || own.element);
        const bool worth = own.kind == ValueKind::real || (o.element && own.element);
        if (!other || !worth || !all_known(w.s, o.at.first, o.text, k)) continue;
        w.replace(kRule, 2, own.at.first, own.at.last, o.text);
        if (++put == kMost) break;
    }
    // What is set and not read yet.
    for (const Variable* v : visible(w.s, k)) {
        const bool fits = own.element && v->kind == ValueKind::real && v->indirections == 0 && !v->of_file;
        if (fits && own.kind == v->kind && !is_read_in(w.s, body, *v))
            w.replace(kRule, 1, own.at.first, own.at.last, v->name);
    }
}

// Factors of a term; none where it is no product.
std::vector<Span> factors_of(const Source& s, const Span& term) {
    std::vector<Span> out;
    int first = term.first;
    for (int k = term.first; k <= term.last; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (precedence(s, k) != 10) continue;
        if (!s.is(k, "*")) return {};
        out.push_back({first, k - 1});
        first = k + 1;
    }
    if (!out.empty()) out.push_back({first, term.last});
    return out;
}

// `a * b + c * d`: `c * b + a * d`.
void exchange_factors(Writer& w, int k) {
    const bool sum = (w.s.is(k, "+") || w.s.is(k, "-")) && precedence(w.s, k) > 0;
    if (!sum) return;
    const std::vector<Span> terms = terms_of(w.s, k);
    if (terms.size() < 2) return;
    const std::vector<Span> a = factors_of(w.s, terms[terms.size() - 2]), b = factors_of(w.s, terms.back());
    if (a.size() != 2 || b.size() != 2) return;
    for (const Span& other : b) {
        const std::string first = w.s.words(a[0].first, a[0].last),
                          second = w.s.words(other.first, other.last);
        if (first == second) continue;
        Rewrite r{
            kRule,
            1,
            fmt::format("{}, {}", first, second),
            fmt::format("{}, {}", second, first),
            w.s.at(a[0].first).line,
            {}};
        r.edits.push_back({w.s.at(a[0].first).begin, first.size(), second});
        r.edits.push_back({w.s.at(other.first).begin, second.size(), first});
        w.add(std::move(r));
    }
}

}  // namespace

void add_operands(Writer& w) {
    for (const Body& body : w.s.bodies) {
        const std::vector<Operand> all = operands_in(w.s, body);
        for (int k = body.open + 1; k < body.close; ++k) {
            const Statement* const st = w.s.at(k).directive ? nullptr : statement_of(body, k);
            if (st == nullptr || is_mark(w.s, *st)) continue;
            replace_operand(w, body, all, k);
            exchange_factors(w, k);
        }
    }
}

}  // namespace wl::diagnosis::rewrite
