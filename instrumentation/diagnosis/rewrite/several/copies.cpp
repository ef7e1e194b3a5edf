// `at = (at + 1) & (n - 1);` of `++at;`, `border(costs, i)` of `0`, `a[2 * y]` of `a[y]`: each as it is
// written elsewhere. `t >> 1 & 1` of a second `t & 1`.
#include "instrumentation/diagnosis/rewrite/several/copies.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMost = 6;  // texts at one place

void add_once(std::vector<std::string>& all, std::string text) {
    if (all.size() < kMost && std::find(all.begin(), all.end(), text) == all.end())
        all.push_back(std::move(text));
}

// Sets a number that is there already: `++at;`, `at += 1;`, `at = f(at);`. Its name's token; -1: it does not.
int name_set(const Source& s, const Statement& st) {
    if (!st.word.empty() || !s.is(st.last, ";") || st.body_last >= 0 || declares(s, st)) return -1;
    const bool before = s.is(st.first, "++") || s.is(st.first, "--");
    const int name = before ? st.first + 1 : st.first;
    const Variable* const v = variable_at(s, name);
    if (v == nullptr || v->indirections > 0 || v->constant) return -1;
    const bool behind = s.is(name + 1, "++") || s.is(name + 1, "--");
    return before || behind || is_assignment(s, name + 1) ? name : -1;
}

void set_as_elsewhere(Writer& w, const Statement& st) {
    const int name = name_set(w.s, st);
    if (name < 0) return;
    const std::string was = w.s.words(st.first, st.last);
    std::vector<std::string> texts;
    for (const Body& body : w.s.bodies)
        for (const Statement& other : body.statements) {
            const int of = other.first == st.first ? -1 : name_set(w.s, other);
            if (of < 0 || w.s.word(of) != w.s.word(name)) continue;
            const std::string text = w.s.words(other.first, other.last);
            if (text != was && all_known(w.s, other.first, text, st.first)) add_once(texts, text);
        }
    for (const std::string& text : texts) put(w, kRare, "wrong_index", st.first, st.last, text);
}

// Calls of the source's own functions that give something, as they stand anywhere.
std::vector<std::pair<std::string, int>> own_calls(const Source& s) {
    std::vector<std::pair<std::string, int>> out;
    for (const Body& callee : s.bodies) {
        const int name = name_of(s, callee);
        if (name < 0 || gives_nothing(s, callee)) continue;
        for (const Body& body : s.bodies)
            for (int k = body.open + 1; k < body.close; ++k)
                if (s.word(k) == s.word(name) && s.is(k + 1, "(") && s.at(k + 1).match > k)
                    out.emplace_back(s.words(k, s.at(k + 1).match), k);
    }
    return out;
}

// A value that is one number or one name, and that a function of the source could give.
void call_as_elsewhere(Writer& w, const std::vector<std::pair<std::string, int>>& calls, const Body& body) {
    for (int k = body.open + 1; k < body.close; ++k) {
        const int value = k + 1;
        const bool single = w.s.is(value + 1, ",") || w.s.is(value + 1, ";");
        const bool plain = w.s.at(value).kind == Token::Kind::number || is_operand(w.s, value);
        if (!w.s.is(k, "=") || !single || !plain || !w.is_near(value)) continue;
        std::vector<std::string> texts;
        for (const auto& [text, from] : calls)
            if (from != value && all_known(w.s, from, text, value)) add_once(texts, text);
        for (const std::string& text : texts) put(w, kRare, "wrong_initial_value", value, value, text);
    }
}

// `2 * y`, wherever a function says that: by the name that is multiplied.
std::vector<std::pair<const Variable*, std::string>> products_of(const Source& s, const Body& body) {
    std::vector<std::pair<const Variable*, std::string>> out;
    for (int k = body.open + 1; k < body.close; ++k) {
        if (!s.is(k, "*") || precedence(s, k) == 0) continue;
        const auto is_factor = [&](int at) {
            const Variable* const v = variable_at(s, at);
            return s.at(at).kind == Token::Kind::number || (v != nullptr && v->of_file && is_whole(*v));
        };
        for (const auto& [name, factor] : {std::pair(k + 1, k - 1), std::pair(k - 1, k + 1)}) {
            const Variable* const v = variable_at(s, name);
            if (v == nullptr || !is_whole(*v) || !is_operand(s, name) || !is_factor(factor)) continue;
            std::pair one(v, s.words(k - 1, k + 1));
            if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
        }
    }
    return out;
}

void multiply_as_elsewhere(Writer& w, const Body& body, const Statement& st) {
    const auto products = products_of(w.s, body);
    for (const auto& [v, text] : products) {
        std::vector<int> places;
        for (int k = st.first; k <= st.last; ++k) {
            const bool alone = precedence(w.s, k - 1) < 10 && precedence(w.s, k + 1) < 10;
            if (variable_at(w.s, k) == v && is_operand(w.s, k) && alone) places.push_back(k);
        }
        for (const int k : places) put(w, kRare, "wrong_index", k, k, text);
        if (places.size() > 1) put_at_all(w, kRare + kTogether, "wrong_index", places, text);
    }
}

// How far apart the rows of an array lie: `i * pitch` of `a[i * pitch + k]`, and of `a + i * pitch`.
struct Stride {
    const Variable* array = nullptr;
    int token = 0;  // of the number
};
std::vector<Stride> strides_of(const Source& s, const Body& body) {
    std::vector<Stride> out;
    for (int k = body.open + 1; k < body.close; ++k) {
        const Variable* const n = s.is(k - 1, "*") && precedence(s, k - 1) > 0 ? variable_at(s, k) : nullptr;
        if (n == nullptr || !is_whole(*n) || precedence(s, k + 1) >= precedence(s, k - 1)) continue;
        const int open = bracket_before(s, k);
        const bool subscript = open > 0 && s.is(open, "[");
        int name = subscript ? open - 1 : operands_of(s, k - 1).left - 2;
        if (!subscript && !s.is(name + 1, "+")) continue;
        const Variable* const a = name > 0 ? variable_at(s, name) : nullptr;
        if (a != nullptr && a->indirections > 0) out.push_back({a, k});
    }
    return out;
}

void lie_as_elsewhere(Writer& w, const Body& body) {
    const std::vector<Stride> all = strides_of(w.s, body);
    const std::map<std::string, int> uses = uses_of(w.s, body);
    const auto used = [&](const Stride& at) {
        const auto found = uses.find(std::string(w.s.word(at.token)));
        return found == uses.end() ? 0 : found->second;
    };
    // What is named less was made for this.
    for (const Stride& here : all)
        for (const Stride& other : all)
            if (here.array == other.array && w.s.word(here.token) != w.s.word(other.token) &&
                w.is_near(here.token) &&
                all_known(w.s, other.token, std::string(w.s.word(other.token)), here.token))
                put(w,
                    used(here) > used(other) ? 2 * kTelling : kRare,
                    "wrong_leading_dimension",
                    here.token,
                    here.token,
                    std::string(w.s.word(other.token)));
}

// Two digits of one number, taken apart: the second one is the next.
void take_next_digit(Writer& w, const Body& body, int k) {
    constexpr int kReach = 3;  // lines
    const bool bits = w.s.is(k, "&"), rest = w.s.is(k, "%");
    if ((!bits && !rest) || precedence(w.s, k) == 0 || w.s.at(k + 1).kind != Token::Kind::number) return;
    const int first = operands_of(w.s, k).left;
    const std::string number(w.s.word(k + 1)), of = w.s.words(first, k - 1), whole = w.s.words(first, k + 1);
    unsigned mask = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), mask);
    if (error != std::errc{} || end != number.data() + number.size() || mask == 0) return;
    bool twice = false;
    for (int other = body.open + 1; other < body.close && !twice; ++other) {
        const bool close = std::abs(w.s.at(other).line - w.s.at(k).line) <= kReach;
        if (other == k || !close || w.s.word(other) != w.s.word(k) || w.s.word(other + 1) != number) continue;
        twice = w.s.words(operands_of(w.s, other).left, other + 1) == whole;
    }
    if (!twice) return;
    int width = 0;
    while (mask >> width != 0) ++width;
    const char* const form = !bits ? "{0} / {2} % {2}" : first == k - 1 ? "{} >> {} & {}" : "({}) >> {} & {}";
    put(w, kTelling, "wrong_index", first, k + 1, fmt::format(fmt::runtime(form), of, width, number));
}

}  // namespace

void add_copies(Writer& w) {
    const auto calls = own_calls(w.s);
    for (const Body& body : w.s.bodies) {
        call_as_elsewhere(w, calls, body);
        lie_as_elsewhere(w, body);
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
            set_as_elsewhere(w, st);
            multiply_as_elsewhere(w, body, st);
        }
    }
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) take_next_digit(w, body, k);
    });
}

}  // namespace wl::diagnosis::rewrite
