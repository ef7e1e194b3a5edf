// `alpha * t * t * d` of `alpha * d`, `i < n * n` of `i < n`; `expf(x - most)` with `most + logf(sum)`.
#include "instrumentation/diagnosis/rewrite/several/powers.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 6;  // numbers at one place

// Real numbers that the function is given, or that it makes once.
std::vector<const Variable*> given_reals(const Source& s, const Body& body, int k) {
    std::vector<const Variable*> out;
    for (const Variable* v : visible(s, k)) {
        const bool fixed = is_given(body, *v) || v->of_file || (is_member(*v) && v->from < body.open);
        if (is_real(*v) && fixed && v->from != k && out.size() < kMost) out.push_back(v);
    }
    return out;
}

// What a product begins with, and what stands alone.
void take_square(Writer& w, const Body& body, int k) {
    const Variable* const x = variable_at(w.s, k);
    const int open = bracket_before(w.s, k);
    const bool most =
        open > 0 && (w.s.is(open - 1, "fmaxf") || w.s.is(open - 1, "fminf"));  // never taken then
    const bool inside = w.s.is(k - 1, "*") || w.s.is(k - 1, "/") || most;
    if (x == nullptr || !is_real(*x) || !is_operand(w.s, k) || inside) return;
    const Statement* const st = statement_of(body, k);
    const int sets = st == nullptr ? -1 : assignment_of(w.s, *st);
    const int bias = sets > 0 && w.s.is(sets, "+=") ? 0 : kTelling;  // once, not at each term
    for (const Variable* y : given_reals(w.s, body, k)) {
        if (y == x) continue;
        put(w, bias, "missing_rescale", k, k, fmt::format("{0} * {1} * {1}", x->name, y->name));
        if (w.s.is(k + 1, "*") || w.s.is(k + 1, "/")) continue;
        put(w, bias, "missing_rescale", k, k, fmt::format("{0} / ({1} * {1})", x->name, y->name));
    }
}

struct Call {
    int name = 0, close = 0;  // tokens
};
std::vector<Call> calls_of(const Source& s, const Body& body, const std::vector<std::string>& names) {
    std::vector<Call> out;
    for (int k = body.open + 1; k < body.close; ++k)
        if (s.is(k + 1, "(") &&
            std::any_of(names.begin(), names.end(), [&](const std::string& n) { return s.is(k, n); }))
            out.push_back({k, s.at(k + 1).match});
    return out;
}

Edit put_at(size_t at, std::string text) { return {at, 0, std::move(text)}; }

// The logarithm of a sum of exponents, both without the largest of them.
void count_from_largest(Writer& w, const Body& body) {
    const Source& s = w.s;
    for (const Call& log : calls_of(s, body, {"logf", "__logf", "log"}))
        for (const Call& exp : calls_of(s, body, {"expf", "__expf", "exp"})) {
            const Statement* const st = statement_of(body, exp.name);
            const Variable* const sum = variable_at(s, log.name + 2);
            if (st == nullptr || sum == nullptr || exp.name > log.name || log.close != log.name + 3) continue;
            const int sets = assignment_of(s, *st);
            if (sets < 0 || variable_at(s, sets - 1) != sum || !w.is_near(exp.name)) continue;
            const std::vector<const Variable*> at_log = visible(s, log.name);
            for (const Variable* most : visible(s, exp.name)) {
                const bool known = std::find(at_log.begin(), at_log.end(), most) != at_log.end();
                if (!is_real(*most) || most == sum || !known || most->of_file) continue;
                Rewrite r{"overflow", 2, "", "", s.at(exp.name).line, {}};
                r.was = s.words(exp.name, exp.close);
                r.now = fmt::format("{} - {})", s.words(exp.name, exp.close - 1), most->name);
                const std::string whole = s.words(log.name, log.close);
                r.besides = {
                    {whole, fmt::format("{} + {}", most->name, whole), s.at(log.name).line}
                };
                r.edits = {
                    put_at(s.at(exp.close).begin, " - " + most->name),
                    put_at(s.at(log.name).begin, most->name + " + ")};
                const std::string less =
                    fmt::format("{} - {}", s.words(exp.name + 2, exp.close - 1), most->name);
                r.bias = s.text.find(less) == s.text.npos ? kTelling : 2 * kTelling;
                w.add(std::move(r));
            }
        }
}

// `2.0f * a * b` of `a * b` beside `a * a` and `b * b`: of a square the mixed term.
void take_mixed_twice(Writer& w, int k) {
    const bool sum = w.s.is(k, "+") || w.s.is(k, "-");
    if (!sum || precedence(w.s, k) == 0 || w.s.is(operands_of(w.s, k).right + 1, "+") ||
        w.s.is(operands_of(w.s, k).right + 1, "-"))
        return;
    std::vector<Span> terms = terms_of(w.s, k);
    const auto has_square = [&](const std::string& name) {
        return std::any_of(terms.begin(), terms.end(), [&](const Span& t) {
            int times = 0;
            for (int at = t.first; at <= t.last; ++at) times += w.s.is(at, name) ? 1 : 0;
            return times == 2;
        });
    };
    for (const Span& t : terms) {
        const Variable *const a = variable_at(w.s, t.first), *const b = variable_at(w.s, t.first + 2);
        const bool mixed = a != nullptr && b != nullptr && a != b && w.s.is(t.first + 1, "*");
        if (!mixed || a->kind != ValueKind::real || !has_square(a->name) || !has_square(b->name)) continue;
        put(w, 2 * kTelling, "constant_factor", t.first, t.first, "2.0f * " + a->name);
    }
}

}  // namespace

void add_powers(Writer& w) {
    const Pass& rows = pass_of("powers");
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) take_square(w, body, k), take_mixed_twice(w, k), try_rows(w, rows, k, body);
    });
    for (const Body& body : w.s.bodies) count_from_largest(w, body);
}

}  // namespace wl::diagnosis::rewrite
