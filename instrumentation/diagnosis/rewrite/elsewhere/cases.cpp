// One case more or less: a second value that a condition asks for, a value that one element alone gets, an
// expression of a name in place of the name.
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

void add_once(std::vector<std::string>& all, std::string text, size_t most) {
    if (all.size() < most && std::find(all.begin(), all.end(), text) == all.end())
        all.push_back(std::move(text));
}

// `-1`, `level + 1`: of whole numbers, no array's element.
bool is_small_whole(const Source& s, const Span& at) {
    constexpr int kLongest = 4;  // tokens
    bool any = false;
    for (int k = at.first; k <= at.last; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v != nullptr && !is_whole(*v)) return false;
        const bool name = v == nullptr && s.at(k).kind == Token::Kind::word;
        if (name || s.is(k, "(") || s.is(k, "&") || s.is(k, "[")) return false;
        any = any || v != nullptr || s.at(k).kind == Token::Kind::number;
    }
    return any && at.last - at.first < kLongest && !holds_real(s, at.first, at.last);
}

// Whole numbers that the function hands on or compares: `level + 1` of `f(v, level + 1)`, with those first
// that stand beside the text.
std::vector<std::string> values_beside(const Source& s, const Body& body, const std::string& text, int here) {
    constexpr size_t kMost = 12;
    std::vector<std::string> beside, others;
    for (int k = body.open + 1; k < body.close; ++k) {
        if (!s.is(k, "(") || s.at(k).match < k || s.at(k - 1).kind != Token::Kind::word) continue;
        if (s.is(k - 1, "if") || s.is(k - 1, "for") || s.is(k - 1, "while")) continue;
        const std::vector<Span> all = arguments_of(s, k);
        const bool names = std::any_of(all.begin(), all.end(), [&](const Span& a) {
            return s.words(a.first, a.last) == text;
        });
        for (const Span& a : all) {
            const std::string value = s.words(a.first, a.last);
            if (is_small_whole(s, a) && all_known(s, a.first, value, here))
                add_once(names ? beside : others, value, kMost);
        }
    }
    for (const std::string& e : whole_expressions(s, body, here)) add_once(others, e, kMost);
    for (std::string& e : others) add_once(beside, std::move(e), kMost);
    std::erase(beside, text);
    return beside;
}

// `v == a || v == b` of `v == a`.
void ask_for_another(Writer& w, const Body& body, int k) {
    const bool equal = w.s.is(k, "=="), other = w.s.is(k, "!=");
    if ((!equal && !other) || precedence(w.s, k) == 0) return;
    const Operands o = operands_of(w.s, k);
    if (holds_real(w.s, o.left, o.right)) return;
    const std::string left = w.s.words(o.left, k - 1), right = w.s.words(k + 1, o.right),
                      text = w.s.words(o.left, o.right);
    const auto joins = [&](int at) { return w.s.is(at, "&&") || w.s.is(at, "||"); };
    const bool joined = joins(o.left - 1) || joins(o.right + 1);
    for (const std::string& value : values_beside(w.s, body, right, o.left)) {
        if (value == left) continue;
        const std::string now =
            fmt::format("{} {} {} {} {}", text, equal ? "||" : "&&", left, w.s.word(k), value);
        w.replace("wrong_condition", 2, o.left, o.right, joined ? "(" + now + ")" : now);
    }
}

// `(level + 1) & 1` of `level & 1`: what the function makes of the name elsewhere.
void make_of_name(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || !is_whole(*v) || !is_operand(w.s, k)) return;
    if (precedence(w.s, k - 1) == 0 && precedence(w.s, k + 1) == 0) return;
    for (const std::string& e : whole_expressions(w.s, body, k)) {
        const std::vector<std::string_view> words = words_in(w.s, e);
        const bool of_it = std::find(words.begin(), words.end(), v->name) != words.end();
        if (of_it && words.size() <= 5) w.replace("wrong_index", 2, k, k, "(" + e + ")");
    }
}

// Conditions that single out one element, `v == source ? ...`, `if (t == 0)`; the nearest first.
std::vector<std::string> single_cases(const Source& s, const Body& body, int here) {
    constexpr size_t kMost = 6;
    constexpr int kLongest = 8;  // tokens
    std::vector<std::pair<int, std::string>> all;
    for (int k = body.open + 1; k < body.close; ++k) {
        if (!s.is(k, "==") || precedence(s, k) == 0) continue;
        const Operands o = operands_of(s, k);
        const std::string text = s.words(o.left, o.right);
        if (o.right - o.left < kLongest && !holds_real(s, o.left, o.right) &&
            all_known(s, o.left, text, here))
            all.emplace_back(std::abs(k - here), text);
    }
    std::sort(all.begin(), all.end());
    std::vector<std::string> out;
    for (const auto& [away, text] : all) add_once(out, text, kMost);
    return out;
}

// `out[v] = v == source ? 1 : 0;` of `out[v] = 0;`.
void set_one_apart(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    const bool number = sets > 0 && w.s.is(sets, "=") && w.s.is(sets + 2, ";") &&
        w.s.at(sets + 1).kind == Token::Kind::number;
    const bool element = number && w.s.is(sets - 1, "]");
    if (!element) return;
    const std::string was(w.s.word(sets + 1));
    const bool real = holds_real(w.s, st.first, st.last - 1);
    for (const std::string& c : single_cases(w.s, body, st.first))
        for (const char* now : real ? std::vector{"1.0f", "0.0f"} : std::vector{"1", "0", "-1"})
            if (was != now)
                w.replace(
                    "wrong_initial_value", 2, sets + 1, sets + 1, fmt::format("{} ? {} : {}", c, now, was)
                );
}

}  // namespace

void add_cases(Writer& w) {
    for_each_token(w, [&](int k, const Body& body) {
        if (!w.is_near(k)) return;
        ask_for_another(w, body, k), make_of_name(w, body, k);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (w.is_near(st.first) && !is_mark(w.s, st)) set_one_apart(w, body, st);
}

}  // namespace wl::diagnosis::rewrite
