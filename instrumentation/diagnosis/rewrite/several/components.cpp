// `(e.w - e.y)` of `(e.z - e.x)`: the other axis of several components at once.
#include "instrumentation/diagnosis/rewrite/several/components.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

using Axes = std::vector<std::pair<std::string_view, std::string_view>>;
const std::vector<Axes> kAxes = {
    {{"x", "y"},  {"y", "x"}, {"z", "w"}, {"w", "z"}},
    {{"x", "z"},           {"y", "w"},            {"z", "x"},  {"w", "y"}},
    {{"x", "y"}, {"y", "z"},           {"z", "x"}          },
    {{"x", "z"}, {"y", "x"}, {"z", "y"}},
};

// The word with the other component, which may be a word of its own; empty: it has none.
std::string turned(const Source& s, int k, const Axes& axes) {
    const std::string name(s.word(k));
    const std::string_view member = s.is(k - 1, ".") ? std::string_view(name) : member_of(name);
    for (const auto& [from, to] : axes)
        if (member == from) return name.substr(0, name.size() - member.size()) + std::string(to);
    return {};
}

// A difference or a product of two components, as a whole.
void turn(Writer& w, int k) {
    if (precedence(w.s, k) == 0 || is_template_angle(w.s, k)) return;
    const Operands o = operands_of(w.s, k);
    constexpr int kLongest = 13;  // tokens
    if (o.right - o.left + 1 > kLongest) return;
    for (const Axes& axes : kAxes) {
        std::string now;
        int changed = 0;
        for (int t = o.left; t <= o.right; ++t) {
            const std::string other = turned(w.s, t, axes);
            changed += other.empty() ? 0 : 1;
            if (t > o.left) now += w.s.text.substr(w.s.at(t - 1).end, w.s.at(t).begin - w.s.at(t - 1).end);
            now += other.empty() ? std::string(w.s.word(t)) : other;
        }
        if (changed > 1 && all_known(w.s, o.left, now, o.left))
            put(w, kRare, "wrong_operand", o.left, o.right, now);
    }
}

struct Value {
    const Variable* of = nullptr;
    Span text;
};
std::vector<Value> declared_in(const Source& s, const Body& body) {
    std::vector<Value> out;
    for (const Variable& v : s.variables) {
        if (!is_own(body, v) || !s.is(v.from + 1, "=")) continue;
        const int last = end_of_expression(s, v.from + 2);
        if (last > v.from + 2)
            out.push_back({
                &v, {v.from + 2, last}
            });
    }
    return out;
}

// "blockIdx.x" of "blockIdx.y", "w" of "h": names stand for names.
bool reads_as(const Source& s, int a, int b) {
    return s.word(a) == s.word(b) || (s.at(a).kind == Token::Kind::word && s.at(b).kind == Token::Kind::word);
}

// `x0 = blockIdx.x * kBlock - 1` beside `y0 = blockIdx.y * kBlock - 1`: what follows in one follows in both.
void end_as_twin(Writer& w, const Body& body) {
    constexpr int kLines = 3, kLongest = 4, kLeast = 3;  // lines between them; tokens
    const std::vector<Value> all = declared_in(w.s, body);
    for (const Value& a : all)
        for (const Value& b : all) {
            const int length = a.text.last - a.text.first + 1, rest = b.text.last - b.text.first + 1 - length;
            const bool near = std::abs(w.s.at(a.text.first).line - w.s.at(b.text.first).line) <= kLines;
            if (rest < 2 || rest > kLongest || length < kLeast || !near || !alike(*a.of, *b.of)) continue;
            bool same = precedence(w.s, b.text.first + length) > 0;
            int equal = 0;
            for (int k = 0; k < length && same; ++k) {
                same = reads_as(w.s, a.text.first + k, b.text.first + k);
                equal += w.s.word(a.text.first + k) == w.s.word(b.text.first + k) ? 1 : 0;
            }
            const std::string end = w.s.words(b.text.first + length, b.text.last);
            if (!same || 2 * equal < length || !w.is_near(a.text.first)) continue;
            put(w,
                kTelling,
                "boundary_off_by_one",
                a.text.first,
                a.text.last,
                w.s.words(a.text.first, a.text.last) + " " + end);
        }
}

// `m.xy - m.x * m.y` of `m.xy`, beside `m.xx - m.x * m.x`: what others take off in products of its own.
void subtract_as_twins(Writer& w, const Body& body) {
    constexpr int kLines = 4;
    const std::vector<Value> all = declared_in(w.s, body);
    for (const Variable& a : w.s.variables) {
        const bool alone = is_own(body, a) && w.s.is(a.from + 1, "=") &&
            end_of_expression(w.s, a.from + 2) == a.from + 2 && variable_at(w.s, a.from + 2) != nullptr;
        if (!alone || !w.is_near(a.from)) continue;
        std::vector<std::string> names;
        for (const Value& b : all) {
            const int k = b.text.first;
            const bool less =
                b.text.last == k + 4 && (w.s.is(k + 1, "-") || w.s.is(k + 1, "+")) && w.s.is(k + 3, "*");
            if (!less || !alike(*b.of, a) || std::abs(w.s.at(k).line - w.s.at(a.from).line) > kLines)
                continue;
            names.emplace_back(w.s.word(k + 2)), names.emplace_back(w.s.word(k + 4));
        }
        for (size_t x = 0; x < names.size(); ++x)
            for (size_t y = x; y < names.size(); ++y) {
                const std::string was(w.s.word(a.from + 2));
                put(w,
                    kTelling,
                    "partial_reduction",
                    a.from + 2,
                    a.from + 2,
                    was + " - " + names[x] + " * " + names[y]);
            }
    }
}

}  // namespace

void add_components(Writer& w) {
    for_each_token(w, [&](int k, const Body&) {
        if (w.is_near(k)) turn(w, k);
    });
    for (const Body& body : w.s.bodies) end_as_twin(w, body), subtract_as_twins(w, body);
}

}  // namespace wl::diagnosis::rewrite
