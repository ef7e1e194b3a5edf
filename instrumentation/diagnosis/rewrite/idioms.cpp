// What right programs nearly always say: remainders of what is not negative, functions of what they are
// defined for, what lies behind an extent counted from there, inner loops that begin or end where an outer
// one is, what is read from the other end.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/several/borders.h"
#include "instrumentation/diagnosis/rewrite/several/both.h"
#include "instrumentation/diagnosis/rewrite/several/components.h"
#include "instrumentation/diagnosis/rewrite/several/copies.h"
#include "instrumentation/diagnosis/rewrite/several/forgotten.h"
#include "instrumentation/diagnosis/rewrite/several/forms.h"
#include "instrumentation/diagnosis/rewrite/several/formulas.h"
#include "instrumentation/diagnosis/rewrite/several/orders.h"
#include "instrumentation/diagnosis/rewrite/several/powers.h"
#include "instrumentation/diagnosis/rewrite/several/rounds.h"
#include "instrumentation/diagnosis/rewrite/several/sides.h"
#include "instrumentation/diagnosis/rewrite/several/tails.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kIndex = "wrong_index";

// `x < n`, `x >= n`: a number of the function itself and an extent.
struct Beyond {
    const Variable* x = nullptr;
    std::string extent;
    bool less = false;
};
Beyond comparison_in(const Source& s, const Span& condition) {
    const Variable* const x = variable_at(s, condition.first);
    const int sign = condition.first + 1;
    const bool compares = s.is(sign, "<") || s.is(sign, ">=");
    if (x == nullptr || !is_whole(*x) || !compares || sign >= condition.last) return {};
    if (!is_simple(s, sign + 1, condition.last) || holds_real(s, sign + 1, condition.last)) return {};
    return {x, s.words(sign + 1, condition.last), s.is(sign, "<")};
}

// Where x is at least n, `x - n` for x: at one place, or at all.
void count_from(Writer& w, const Beyond& b, const Span& where) {
    std::vector<int> places;
    for (int k = where.first; k <= where.last; ++k) {
        const bool sets = is_assignment(w.s, k + 1);
        const bool from = w.s.is(k + 1, "-") && w.s.is(k + 2, b.extent);
        if (variable_at(w.s, k) == b.x && !sets && !from) places.push_back(k);
    }
    Rewrite all{kIndex, 1, b.x->name, b.x->name + " - " + b.extent, 0, {}};
    for (const int k : places) {
        const bool tight = precedence(w.s, k - 1) > 9 || precedence(w.s, k + 1) > 9 || w.s.is(k - 1, "-");
        const std::string now =
            fmt::format(fmt::runtime(tight ? "({} - {})" : "{} - {}"), b.x->name, b.extent);
        w.replace(kIndex, 1, k, k, now);
        if (all.line == 0) all.line = w.s.at(k).line;
        all.edits.push_back({w.s.at(k).begin, b.x->name.size(), now});
    }
    if (places.size() > 1) w.add(std::move(all));
}

void count_from_extents(Writer& w, const Body& body) {
    for (const Statement& st : body.statements) {
        if (st.word != "if" || is_mark(w.s, st)) continue;
        const Beyond b = comparison_in(w.s, {st.first + 2, st.last - 1});
        if (b.x == nullptr) continue;
        const bool otherwise = w.s.is(st.body_last + 1, "else");
        const Statement* const other = otherwise ? statement_of(body, st.body_last + 2) : nullptr;
        const bool block = w.s.is(st.body_last + 2, "{");
        const int end = block ? w.s.at(st.body_last + 2).match : other != nullptr ? other->last : -1;
        if (!b.less) count_from(w, b, {st.last + 1, st.body_last});
        if (b.less && otherwise && end > 0) count_from(w, b, {st.body_last + 2, end});
    }
    for (int k = body.open + 1; k < body.close; ++k) {
        Choice c;
        if (w.s.at(k).directive || !choice_at(w.s, k, c)) continue;
        const Beyond b = comparison_in(w.s, c.condition);
        if (b.x != nullptr) count_from(w, b, b.less ? c.no : c.yes);
    }
}

// `a[n - 1 - k]` of `a[k]` where k counts to n: the other way round.
void count_down(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    const Statement* const loop = v == nullptr || v->from == k ? nullptr : loop_of(body, *v);
    if (loop == nullptr || k <= loop->last || k > loop->body_last) return;
    int open = bracket_before(w.s, k);
    while (w.s.is(open, "(")) open = bracket_before(w.s, open);
    if (!w.s.is(open, "[")) return;
    int less = v->from;
    while (less < loop->last && (variable_at(w.s, less) != v || !w.s.is(less + 1, "<"))) ++less;
    if (less >= loop->last) return;
    int end = less + 2;
    while (end < loop->last && !w.s.is(end, ";")) ++end;
    const bool tight = precedence(w.s, k - 1) > 9 || precedence(w.s, k + 1) > 9 || w.s.is(k - 1, "-");
    const char* form = tight ? "({} - 1 - {})" : "{} - 1 - {}";
    w.replace(kIndex, 1, k, k, fmt::format(fmt::runtime(form), in_brackets(w.s, less + 2, end - 1), v->name));
}

// `v > n - 1 ? n - 1 : v` of `v > n ? n : v`, and one more.
void clamp_lower(Writer& w, const Body& body, int k) {
    Choice c;
    if (!choice_at(w.s, k, c)) return;
    constexpr int kLeast = 7;  // precedence of comparisons
    int sign = c.condition.first;
    while (sign < c.condition.last && precedence(w.s, sign) != kLeast) ++sign;
    if (sign >= c.condition.last || body.close < c.no.last) return;
    const Span bound{sign + 1, c.condition.last};
    const std::string text = w.s.words(bound.first, bound.last);
    for (const Span& branch : {c.yes, c.no}) {
        if (w.s.words(branch.first, branch.last) != text || !is_simple(w.s, branch.first, branch.last))
            continue;
        for (const char* by : {" - 1", " + 1"}) {
            Rewrite r{"boundary_off_by_one", 1, text, text + by, w.s.at(bound.first).line, {}};
            for (const Span& place : {bound, branch}) r.edits.push_back({w.s.at(place.last).end, 0, by});
            w.add(std::move(r));
        }
    }
}

// `x >> 16` of `x & 0xffff`, and the other way round: the upper bits for the lower.
void other_field(Writer& w, int k) {
    const bool shifts = w.s.is(k, ">>"), masks = w.s.is(k, "&");
    if ((!shifts && !masks) || precedence(w.s, k) == 0 || w.s.at(k + 1).kind != Token::Kind::number) return;
    const Operands o = operands_of(w.s, k);
    const auto n = std::strtoull(std::string(w.s.word(k + 1)).c_str(), nullptr, 0);
    if (o.right != k + 1 || (masks && (n & (n + 1)) != 0) || n == 0 || (shifts && n > 31)) return;
    const int bits = shifts ? static_cast<int>(n) : std::popcount(n);
    if (bits > 31) return;
    if (shifts) {
        w.replace("wrong_operation", 1, k, k + 1, fmt::format("& 0x{:x}u", (1ULL << bits) - 1));
        const std::string whole = w.s.words(o.left, k - 1);
        return w.replace(
            "wrong_operation", 1, o.left, k + 1, fmt::format("({} & ~{})", whole, (1ULL << bits) - 1)
        );
    }
    w.replace("wrong_operation", 1, k, k + 1, fmt::format(">> {}", bits));
    if (bits != 16) w.replace("wrong_operation", 1, k, k + 1, fmt::format(">> {}", 32 - bits));
}

// The token behind `(int`, `(signed char` or another type of whole numbers; the same where there is none.
int past_whole_type(const Source& s, int k) {
    static constexpr std::array<std::string_view, 14> kTypes = {
        "int",
        "unsigned",
        "signed",
        "char",
        "short",
        "long",
        "int8_t",
        "uint8_t",
        "int16_t",
        "uint16_t",
        "int32_t",
        "uint32_t",
        "int64_t",
        "uint64_t"};
    while (std::find(kTypes.begin(), kTypes.end(), s.word(k)) != kTypes.end()) ++k;
    return k;
}

// `(int)floorf(x)` of `(int)x`: below zero the integer under it; at one place, or at all of the statement.
void round_down(Writer& w, const Statement& st) {
    for (const char* form : {"floorf({})", "rintf({})", "ceilf({})"}) {
        Rewrite all{"wrong_operation", 1, "", "", w.s.at(st.first).line, {}};
        for (int k = st.first; k + 3 <= st.last; ++k) {
            const int type = w.s.is(k, "(") ? past_whole_type(w.s, k + 1) : k + 1;
            const bool cast = type > k + 1 && w.s.is(type, ")");
            const bool bracket = cast && w.s.is(type + 1, "(") && w.s.at(type + 1).match > type;
            const bool call =
                w.s.is(k, "static_cast") && past_whole_type(w.s, k + 2) == k + 3 && w.s.is(k + 4, "(");
            const bool function = w.s.is(k, "int") && w.s.is(k + 1, "(") && w.s.at(k + 1).match > k;
            const Variable* const v = cast ? variable_at(w.s, type + 1) : nullptr;
            const bool name = v != nullptr && v->kind == ValueKind::real && !w.s.is(type + 2, "(");
            const int first = name ? type + 1 : bracket ? type + 2 : function ? k + 2 : k + 5;
            const int last = name ? end_of_element(w.s, type + 1)
                : bracket         ? w.s.at(type + 1).match - 1
                : call            ? w.s.at(k + 4).match - 1
                : function        ? w.s.at(k + 1).match - 1
                                  : -1;
            if (last < first || !holds_real(w.s, first, last)) continue;
            const std::string was = w.s.words(first, last), now = fmt::format(fmt::runtime(form), was);
            w.replace("wrong_operation", 1, first, last, now);
            if (all.was.empty()) all.was = was, all.now = now, all.line = w.s.at(first).line;
            all.edits.push_back({w.s.at(first).begin, w.s.at(last).end - w.s.at(first).begin, now});
        }
        constexpr int kAll = 35;  // a log prior
        all.bias = kAll;
        if (all.edits.size() > 1) w.add(std::move(all));
    }
}

// `const float spread = eps / n;` of `const float spread = eps;`: nobody gives another name to what has one.
void scale_renamed(Writer& w, const Statement& st) {
    constexpr size_t kMost = 6;
    for (const Variable& v : w.s.variables) {
        const bool here = v.from >= st.first && v.from <= st.last && v.kind == ValueKind::real && v.constant;
        const int k = v.from + 2;
        const Variable* const u = here && w.s.is(v.from + 1, "=") ? variable_at(w.s, k) : nullptr;
        const bool alone = w.s.is(k + 1, ";") || w.s.is(k + 1, ",");
        if (u == nullptr || !alone || u->kind != ValueKind::real || u->indirections > 0) continue;
        size_t taken = 0;
        for (const Variable* n : visible(w.s, st.first)) {
            const bool whole = is_whole(*n) && n->parameter,
                       real = n->kind == ValueKind::real && n->indirections == 0;
            if (n == u || (!whole && !real) || ++taken > kMost) continue;
            for (const char* form : {"{} / {}", "{} * {}"})
                w.replace("missing_rescale", 1, k, k, fmt::format(fmt::runtime(form), u->name, n->name));
        }
    }
}

// `1.0f - w.x - w.y - w.z` of `1.0f - w.x - w.y`.
void add_next_component(Writer& w, int k) {
    if ((!w.s.is(k, "+") && !w.s.is(k, "-")) || precedence(w.s, k) == 0) return;
    const Operands o = operands_of(w.s, k);
    const std::string left = w.s.words(o.left, k - 1), right = w.s.words(k + 1, o.right);
    constexpr std::string_view kAxes = "xyzw";
    const size_t axis = right.size() > 2 && right[right.size() - 2] == '.' ? kAxes.find(right.back()) : 0;
    if (axis == 0 || axis == kAxes.npos || axis + 1 == kAxes.size()) return;
    const std::string base = right.substr(0, right.size() - 1);
    if (left.find(base + kAxes[axis - 1]) == left.npos || w.s.is(o.right + 1, w.s.word(k))) return;
    w.replace(
        "partial_reduction",
        1,
        k + 1,
        o.right,
        fmt::format("{} {} {}{}", right, w.s.word(k), base, kAxes[axis + 1])
    );
}

// Variables of the loops around this one.
std::vector<std::string> outer_loops(const Writer& w, const Body& body, const Statement& st) {
    std::vector<std::string> out;
    for (const Variable* v : visible(w.s, st.first)) {
        const Statement* const loop = is_whole(*v) && v->from > body.open ? loop_of(body, *v) : nullptr;
        if (loop != nullptr && loop != &st && loop->body_last >= st.last) out.push_back(v->name);
    }
    return out;
}

// `for (r = k + 1; r < n; ...)` of `for (r = 0; r < n; ...)`, and `r < k`.
void make_triangular(Writer& w, const Body& body, const Statement& st) {
    if (st.word != "for" || !w.s.is(st.first + 1, "(")) return;
    int first = -1, second = -1;
    for (int k = st.first + 2; k < st.last; ++k) {
        if (is_opening(w.s.word(k)) && w.s.at(k).match > k) k = w.s.at(k).match;
        if (w.s.is(k, ";")) (first < 0 ? first : second) = k;
    }
    int sets = st.first + 2;
    while (sets < first && !w.s.is(sets, "=")) ++sets;
    const Variable* const v = variable_at(w.s, first + 1);
    const bool compares = second > first + 3 && (w.s.is(first + 2, "<") || w.s.is(first + 2, "<="));
    if (first < 0 || sets >= first - 1 || v == nullptr || !is_whole(*v) || !compares) return;
    for (const std::string& outer : outer_loops(w, body, st)) {
        for (const char* form : {"{}", "{} + 1"})
            w.replace("wrong_initial_value", 1, sets + 1, first - 1, fmt::format(fmt::runtime(form), outer));
        for (const char* sign : {"<", "<="})
            w.replace(
                "wrong_condition", 1, first + 1, second - 1, fmt::format("{} {} {}", v->name, sign, outer)
            );
    }
}

}  // namespace

void add_idioms(Writer& w) {
    const Pass &rows = pass_of("idioms"), &zeros = pass_of("zeros"),
               &of_statements = pass_of("idioms_statements");
    add_formulas(w), add_forms(w), add_forgotten(w), add_powers(w), add_components(w), add_borders(w),
        add_tails(w), add_orders(w), add_copies(w), add_rounds(w), add_sides(w), add_both(w);
    for_each_token(w, [&](int k, const Body& body) {
        try_rows(w, rows, k, body);
        clamp_lower(w, body, k);
        if (w.is_near(k)) add_next_component(w, k);
        if (w.is_near(k)) count_down(w, body, k), other_field(w, k);
        try_rows(w, zeros, k, body);
    });
    for (const Body& body : w.s.bodies) {
        count_from_extents(w, body);
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st))
                make_triangular(w, body, st), round_down(w, st), scale_renamed(w, st),
                    try_rows(w, of_statements, st, body);
    }
}

}  // namespace wl::diagnosis::rewrite
