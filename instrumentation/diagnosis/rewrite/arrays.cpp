// How arrays are looked up as a rule: the element before this one, elements of a few side by side or one
// array behind the other, nothing beyond the end for the last element.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kIndex = "wrong_index";

// `name[...][subscript]`, the last of its brackets.
struct Element {
    int name = -1;
    Span subscript;
    int last = -1;  // the bracket that closes it
};
Element element_at(const Source& s, int k) {
    const Variable* const v = variable_at(s, k);
    if (v == nullptr || v->indirections == 0 || !s.is(k + 1, "[")) return {};
    const int last = end_of_element(s, k), open = last > k ? s.at(last).match : -1;
    if (open <= k || last - open < 2 || holds_real(s, open + 1, last - 1)) return {};
    return {
        k, {open + 1, last - 1},
         last
    };
}

const char* zero_of(const Variable& v) { return v.kind == ValueKind::real ? "0.0f" : "0"; }

std::string with_subscript(const Source& s, const Element& e, const std::string& now) {
    return s.words(e.name, e.subscript.first - 1) + now + "]";
}

// `a[2 * i]` and `a[2 * i + 1]` for `a[i]` and `a[n + i]` of one statement, and the other way round.
void lay_out_otherwise(Writer& w, const Element& a, const Element& b) {
    const std::string one = w.s.words(a.subscript.first, a.subscript.last),
                      two = w.s.words(b.subscript.first, b.subscript.last);
    const auto both = [&](const std::string& first, const std::string& second) {
        Rewrite r{
            kIndex, 2, w.s.words(a.name, a.last), with_subscript(w.s, a, first), w.s.at(a.name).line, {}};
        r.besides = {
            {w.s.words(b.name, b.last), with_subscript(w.s, b, second), w.s.at(b.name).line}
        };
        for (const auto& [e, now] : {std::pair(a, first), std::pair(b, second)}) {
            const size_t begin = w.s.at(e.subscript.first).begin;
            r.edits.push_back({begin, w.s.at(e.subscript.last).end - begin, now});
        }
        w.add(std::move(r));
    };
    const std::string i = in_brackets(w.s, a.subscript.first, a.subscript.last);
    if (two.ends_with("+ " + one) || two.starts_with(one + " +"))
        both(fmt::format("2 * {}", i), fmt::format("2 * {} + 1", i));
    const bool doubled = one.starts_with("2 * ") && two == one + " + 1";
    if (!doubled) return;
    const std::string plain = one.substr(4);
    for (const Variable* n : visible(w.s, a.name))
        if (is_whole(*n) && n->parameter) both(plain, fmt::format("{} + {}", n->name, plain));
}

void pair_elements(Writer& w, const Statement& st) {
    std::vector<Element> all;
    constexpr size_t kMost = 8;
    for (int k = st.first; k <= st.last && all.size() < kMost; ++k)
        if (const Element e = element_at(w.s, k); e.name >= 0) all.push_back(e), k = e.last;
    for (size_t k = 1; k < all.size(); ++k)
        if (variable_at(w.s, all[k - 1].name) == variable_at(w.s, all[k].name))
            lay_out_otherwise(w, all[k - 1], all[k]);
}

// Of `min(j, n - 1)`: `j` and `n`.
struct Clamp {
    std::string index, extent;
};
Clamp clamp_in(const Source& s, const Span& e) {
    if (!s.is(e.first, "min") || !s.is(e.first + 1, "(") || s.at(e.first + 1).match != e.last) return {};
    const std::vector<Span> both = arguments_of(s, e.first + 1);
    if (both.size() != 2) return {};
    for (const auto& [index, end] : {std::pair(both[0], both[1]), std::pair(both[1], both[0])})
        if (s.is(end.last, "1") && s.is(end.last - 1, "-") && end.last - 2 >= end.first)
            return {s.words(index.first, index.last), s.words(end.first, end.last - 2)};
    return {};
}

// What stands for nothing: zero, and what is set to be it and never read.
std::vector<std::string> nothings(const Source& s, const Body& body, const Variable& array) {
    std::vector<std::string> out = {zero_of(array)};
    if (array.kind == ValueKind::other) out = {array.type + "{}"};
    for (const Variable& v : s.variables) {
        if (!is_own(body, v) || v.type != array.type || v.indirections > 0) continue;
        int uses = 0;
        for (int k = body.open; k < body.close; ++k) uses += variable_at(s, k) == &v ? 1 : 0;
        if (uses == 1) out.insert(out.begin(), v.name);
    }
    return out;
}

// `(j < n ? a[j] : 0)` of `a[min(j, n - 1)]`: nothing stands for what is beyond, not the last again.
void leave_out_beyond(Writer& w, const Body& body, int k) {
    const Element e = element_at(w.s, k);
    const Clamp c = e.name < 0 ? Clamp{} : clamp_in(w.s, e.subscript);
    if (c.index.empty()) return;
    for (const std::string& nothing : nothings(w.s, body, *variable_at(w.s, k)))
        w.replace(
            "wrong_condition",
            1,
            e.name,
            e.last,
            fmt::format("({} < {} ? {} : {})", c.index, c.extent, with_subscript(w.s, e, c.index), nothing)
        );
}

// A quotient and a remainder of one number: by the same.
void divide_alike(Writer& w, const Statement& st) {
    struct Part {
        std::string of;
        Span by;
    };
    std::vector<Part> quotients, remainders;
    for (int k = st.first; k <= st.last; ++k) {
        const bool rest = w.s.is(k, "%");
        if ((!rest && !w.s.is(k, "/")) || precedence(w.s, k) == 0) continue;
        const Operands o = operands_of(w.s, k);
        if (!holds_real(w.s, o.left, o.right))
            (rest ? remainders : quotients)
                .push_back({
                    w.s.words(o.left, k - 1), {k + 1, o.right}
            });
    }
    for (const Part& q : quotients)
        for (const Part& r : remainders) {
            const std::string by = w.s.words(q.by.first, q.by.last), other = w.s.words(r.by.first, r.by.last);
            if (q.of != r.of || by == other) continue;
            w.replace(kIndex, 1, r.by.first, r.by.last, by);
            w.replace(kIndex, 1, q.by.first, q.by.last, other);
        }
}

// `v[0][k]` and `v[1][k]` for `v[k][0]` and `v[k][1]`, wherever the statement has them.
void exchange_subscripts(Writer& w, const Statement& st) {
    std::map<const Variable*, std::vector<Rewrite>> by_array;
    for (int k = st.first; k <= st.last; ++k) {
        const Element e = element_at(w.s, k);
        const int close = e.name < 0 ? -1 : e.subscript.first - 2,
                  open = close > k ? w.s.at(close).match : -1;
        if (open <= k || !w.s.is(close, "]")) continue;
        const std::string first = w.s.words(open + 1, close - 1),
                          second = w.s.words(e.subscript.first, e.subscript.last);
        if (first == second) continue;
        const std::string now = fmt::format("[{}][{}]", second, first);
        const size_t begin = w.s.at(open).begin;
        by_array[variable_at(w.s, k)].push_back(
            {kIndex,
             1,
             w.s.words(open, e.last),
             now,
             w.s.at(k).line,
             {{begin, w.s.at(e.last).end - begin, now}}}
        );
    }
    for (auto& [array, all] : by_array) {
        if (all.size() < 2) continue;
        Rewrite r = all.front();
        for (size_t k = 1; k < all.size(); ++k) {
            r.edits.push_back(all[k].edits.front());
            r.besides.push_back({all[k].was, all[k].now, all[k].line});
        }
        r.bias = kTogether;
        w.add(std::move(r));
    }
}

// `min(TILE, n - base)` for `TILE`, as a first value or a bound: the last tile is not whole.
void end_with_the_array(Writer& w, const Body& body, const Statement& st, int k) {
    const bool value = w.s.is(k - 1, "=") && w.s.is(k + 1, ";");
    const bool bound = st.word == "for" && w.s.is(k - 1, "<") && w.s.is(k + 1, ";");
    const Variable* const v = variable_at(w.s, k);
    // What a template is given, or a macro, is written in capitals.
    const std::string_view word = w.s.word(k);
    const bool capitals =
        word.size() > 1 && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == word.npos;
    const bool fixed =
        capitals || (v != nullptr && is_whole(*v) && (v->of_file || v->constant) && !is_given(body, *v));
    if (!(value || bound) || !fixed) return;
    const bool whole_number = std::any_of(w.s.variables.begin(), w.s.variables.end(), [&](const Variable& u) {
        return u.from == k - 2 && is_whole(u);
    });
    if (value && !whole_number) return;
    constexpr size_t kMost = 5;
    std::vector<const Variable*> extents, from;
    for (const Variable* u : visible(w.s, st.first)) {
        if (!is_whole(*u) || u == v) continue;
        if (is_given(body, *u) && extents.size() < kMost) extents.push_back(u);
        if (is_own(body, *u) && from.size() < kMost) from.push_back(u);
    }
    const std::string whole = w.s.words(k, k);
    std::vector<std::string> begins;
    for (const Variable* u : from) begins.push_back(u->name);
    // `n * TILE`: of which tile it is.
    for (const Variable* u : from) begins.push_back(fmt::format("{} * {}", u->name, whole));
    for (const Variable* n : extents)
        for (const std::string& begin : begins)
            w.replace("boundary_off_by_one", 2, k, k, fmt::format("min({}, {} - {})", whole, n->name, begin));
}

// What a number stays below: `c < channels`, `c >= channels` and `c = i % channels`.
std::vector<std::string> extents_of(const Source& s, const Body& body, const Variable& v) {
    std::vector<std::string> out;
    const auto add = [&](int k) {
        const Variable* const n = variable_at(s, k);
        const bool fits = n != nullptr && is_whole(*n) && (is_given(body, *n) || n->constant);
        if (fits && std::find(out.begin(), out.end(), n->name) == out.end()) out.push_back(n->name);
    };
    for (int k = v.from + 1; !s.is(k, ";") && !s.is(k, ",") && k < body.close; ++k)
        if (s.is(k, "%")) add(k + 1);
    for (int k = v.from + 1; k < v.to; ++k)
        if (variable_at(s, k) == &v && (s.is(k + 1, "<") || s.is(k + 1, ">="))) add(k + 2);
    return out;
}

// `(image * channels + c)` of `c` in what is looked up: the part of what comes before all of it.
void put_outer_before(Writer& w, const Body& body, const Statement& st, int k) {
    constexpr size_t kMost = 6;
    const Variable* const v = variable_at(w.s, k);
    const bool operand = precedence(w.s, k - 1) > 0 || precedence(w.s, k + 1) > 0 || w.s.is(k - 1, "[");
    if (v == nullptr || !is_whole(*v) || !is_own(body, *v) || v->from == k || !operand) return;
    std::vector<std::string> outer;
    for (const Variable* u : visible(w.s, st.first))
        if (is_whole(*u) && is_own(body, *u) && u != v && outer.size() < kMost) outer.push_back(u->name);
    for (const char axis : w.context.axes) outer.push_back(std::string("blockIdx.") + axis);
    for (const std::string& n : extents_of(w.s, body, *v))
        for (const std::string& u : outer)
            w.replace(kIndex, 2, k, k, fmt::format("({} * {} + {})", u, n, v->name));
}

// What the source looks up arrays by, each text once.
std::vector<Span> subscripts_of(const Source& s) {
    std::vector<Span> out;
    std::set<std::string> known;
    for (const Body& body : s.bodies)
        for (int k = body.open + 1; k < body.close; ++k)
            if (const Element e = element_at(s, k); e.name >= 0)
                if (known.insert(s.words(e.subscript.first, e.subscript.last)).second)
                    out.push_back(e.subscript);
    return out;
}

// As another array is looked up, in whichever function: `x[i * count + s]` says what `rhs[at]` should. And
// without a table between: `weights[edge]` of `weights[targets[edge]]`.
void look_up_as_elsewhere(Writer& w, int k, const std::vector<Span>& all) {
    constexpr size_t kMost = 24;
    const Element e = element_at(w.s, k);
    if (e.name < 0 || w.s.at(e.subscript.first - 1).match != e.last || e.subscript.first != k + 2) return;
    const std::string own = w.s.words(e.subscript.first, e.subscript.last);
    size_t taken = 0;
    for (const Span& other : all) {
        const std::string text = w.s.words(other.first, other.last);
        if (text == own || other.first == other.last || !all_known(w.s, other.first, text, k)) continue;
        if (++taken <= kMost) w.replace(kIndex, 1, e.subscript.first, e.subscript.last, text);
    }
    const Element table = element_at(w.s, e.subscript.first);
    if (table.name < 0 || table.last != e.subscript.last) return;
    const Span place = table.subscript;
    w.replace(kIndex, 1, e.subscript.first, e.subscript.last, w.s.words(place.first, place.last));
}

// `y * stride` of `y * width * 3`: some factors of a longer product.
void replace_factors(Writer& w, int k) {
    if (!w.s.is(k, "*") || precedence(w.s, k) == 0) return;
    const Operands o = operands_of(w.s, k);
    int before = k - 1;
    if (is_closing(w.s.word(before)) && w.s.at(before).match > 0) before = w.s.at(before).match;
    while (before > o.left && precedence(w.s, before) != precedence(w.s, k)) --before;
    if (before <= o.left || !w.s.is(before, "*") || holds_real(w.s, o.left, o.right)) return;
    for (const Variable* v : visible(w.s, k))
        if (is_whole(*v) && !v->of_file) w.replace(kIndex, 2, before + 1, o.right, v->name);
}

}  // namespace

void add_arrays(Writer& w) {
    const Pass &before = pass_of("one_before_statements"), &identity = pass_of("identity_statements");
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st) && w.s.is(st.last, ";"))
                try_rows(w, before, st, body), pair_elements(w, st), divide_alike(w, st),
                    exchange_subscripts(w, st), try_rows(w, identity, st, body);
    const std::vector<Span> subscripts = subscripts_of(w.s);
    for_each_token(w, [&](int k, const Body& body) {
        leave_out_beyond(w, body, k);
        const Statement* const st = w.is_near(k) ? statement_of(body, k) : nullptr;
        if (st == nullptr) return;
        look_up_as_elsewhere(w, k, subscripts), replace_factors(w, k);
        end_with_the_array(w, body, *st, k);
        if (w.s.is(st->last, ";")) put_outer_before(w, body, *st, k);
    });
}

}  // namespace wl::diagnosis::rewrite
