// What is of two and stands for one: `log_add(end[n - 1], end[n - 2])` for `end[n - 1]`, by functions that
// the source calls.
#include "instrumentation/diagnosis/rewrite/declarations.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "partial_reduction";
constexpr size_t kMostFunctions = 4, kMostOthers = 8;

// Of two real numbers: "fmaxf", "log_add".
std::vector<std::string> functions_of_two(const Source& s) {
    std::vector<std::string> out;
    for (const Body& body : s.bodies)
        for (int k = body.open + 1; k < body.close && out.size() < kMostFunctions; ++k) {
            const bool call = s.at(k).kind == Token::Kind::word && s.is(k + 1, "(") && s.at(k + 1).match > k;
            if (!call || s.is(k - 1, ".") || s.word(k).starts_with("WL_")) continue;
            const int close = s.at(k + 1).match, comma = end_of_expression(s, k + 2) + 1;
            const bool two = s.is(comma, ",") && end_of_expression(s, comma + 1) + 1 == close;
            if (!two || !holds_real(s, k + 2, comma - 1) || !holds_real(s, comma + 1, close - 1)) continue;
            std::string name(s.word(k));
            if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
        }
    return out;
}

// `a[i - 1]` and `a[i + 1]` of `a[i]`; of `a[i - 1]` also `a[i - 2]` and `a[i]`.
std::vector<std::string> neighbours_of(const Source& s, int name, int last) {
    if (!s.is(last, "]") || s.at(last).match != name + 1) return {};
    const int first = name + 2, end = last - 1;
    const std::string array(s.word(name)), index = s.words(first, end);
    std::vector<std::string> out;
    const auto add = [&](const std::string& i) { out.push_back(fmt::format("{}[{}]", array, i)); };
    const bool step = end - first >= 2 && s.at(end).kind == Token::Kind::number &&
        (s.is(end - 1, "-") || s.is(end - 1, "+")) && precedence(s, end - 1) > 0;
    if (step) {
        const std::string before = s.words(first, end - 2);
        const long by = std::strtol(s.words(end, end).c_str(), nullptr, 0);
        add(before);
        add(fmt::format("{} {} {}", before, s.word(end - 1), by + 1));
        if (by > 1) add(fmt::format("{} {} {}", before, s.word(end - 1), by - 1));
    } else {
        add(index + " - 1"), add(index + " + 1");
    }
    return out;
}

// An element, combined with one beside it or with another of the function's numbers.
void combine(Writer& w, const Body& body, const std::vector<std::string>& functions, int k) {
    const Variable* const v = variable_at(w.s, k);
    if (v == nullptr || v->kind != ValueKind::real || v->from == k) return;
    const int last = end_of_element(w.s, k);
    const bool sets = is_assignment(w.s, last + 1);
    const bool number = last == k ? v->indirections == 0 : v->indirections == 1;
    if (!number || sets) return;
    const std::string text = w.s.words(k, last);
    std::vector<std::string> others = neighbours_of(w.s, k, last);
    for (const Variable* u : visible(w.s, k))
        if (u != v && u->kind == ValueKind::real && u->indirections == 0 && !u->of_file)
            others.push_back(u->name);
    for (const auto& [element, from] : elements_of(w.s, body))
        if (element != text && all_known(w.s, from, element, k)) others.push_back(element);
    if (others.size() > kMostOthers) others.resize(kMostOthers);
    for (const std::string& f : functions)
        for (const std::string& other : others)
            w.replace(kRule, 2, k, last, fmt::format("{}({}, {})", f, text, other));
}

bool joins(const Source& s, int k) {
    static constexpr std::array<std::string_view, 4> kSigns = {"+", "-", "*", "/"};
    return precedence(s, k) > 0 && std::find(kSigns.begin(), kSigns.end(), s.word(k)) != kSigns.end();
}

// A term or a factor on the wrong side of a call's bracket: `gelu(x) + b` for `gelu(x + b)`,
// `sqrtf(v + eps)` for `sqrtf(v) + eps`, and both the other way round.
void move_over_bracket(Writer& w, int k) {
    const Source& s = w.s;
    const int open = k + 1, close = s.is(open, "(") ? s.at(open).match : -1;
    const bool call = s.at(k).kind == Token::Kind::word && close > open + 1 && !s.word(k).starts_with("__");
    if (!call || kind_of_type(s, std::string(s.word(k))) != ValueKind::other) return;
    const int first = open + 1, last = close - 1;
    if (end_of_expression(s, first) != last || !holds_real(s, first, last)) return;
    const std::string f(s.word(k)), argument = in_brackets(s, first, last);
    const auto put_it = [&](int from, int to, const std::string& now) {
        put(w, kRare, "wrong_operand", from, to, now);
    };
    if (const int sign = close + 1; joins(s, sign) && operands_of(s, sign).left == k) {
        const int right = operands_of(s, sign).right;
        put_it(k, right, fmt::format("{}({} {} {})", f, argument, s.word(sign), s.words(sign + 1, right)));
    }
    if (const int sign = k - 1; joins(s, sign) && operands_of(s, sign).right == close) {
        const int left = operands_of(s, sign).left;
        put_it(left, close, fmt::format("{}({} {} {})", f, s.words(left, sign - 1), s.word(sign), argument));
    }
    for (int sign = first + 1; sign < last; ++sign) {
        if (is_opening(s.word(sign)) && s.at(sign).match > sign) sign = s.at(sign).match;
        if (!joins(s, sign)) continue;
        const Operands o = operands_of(s, sign);
        if (o.left != first || o.right != last) continue;
        const std::string left = s.words(first, sign - 1), right = s.words(sign + 1, last);
        const std::string by(s.word(sign));
        const bool term = precedence(s, k - 1) > 0 || precedence(s, close + 1) > 0;
        put_it(
            k, close, fmt::format(fmt::runtime(term ? "({}({}) {} {})" : "{}({}) {} {}"), f, left, by, right)
        );
        put_it(
            k, close, fmt::format(fmt::runtime(term ? "({} {} {}({}))" : "{} {} {}({})"), left, by, f, right)
        );
    }
}

// Of an element of whole numbers those of its array that lie as far away as others that the statement looks
// at: of `kind[s]` beside `before[s - 2]` `kind[s - 2]`.
std::vector<std::string> as_far_away(const Source& s, const Statement& st, int name, int last) {
    if (s.at(last).match != name + 1 || last != name + 3) return {};
    const std::string index = s.words(name + 2, last - 1);
    std::vector<std::string> out;
    for (int k = st.first; k + 2 < std::max(st.last, st.body_last); ++k) {
        const bool step = s.is(k, "[") && s.is(k + 1, index) && (s.is(k + 2, "-") || s.is(k + 2, "+"));
        if (!step || s.at(k).match != k + 4) continue;
        std::string element = fmt::format("{}[{}]", s.word(name), s.words(k + 1, k + 3));
        if (std::find(out.begin(), out.end(), element) == out.end()) out.push_back(std::move(element));
    }
    return out;
}

// `kind[s] != kind[s - 2]`: what is compared with another element of its array.
void compare_elements(Writer& w, const Statement& st, const Span& condition, const std::string& all) {
    for (int k = condition.first; k <= condition.last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const int last = end_of_element(w.s, k);
        if (v == nullptr || v->kind != ValueKind::whole || v->indirections != 1 || last == k) continue;
        const std::string element = w.s.words(k, last);
        for (const std::string& other : as_far_away(w.s, st, k, last))
            for (const char* sign : {"!=", "=="})
                put(w,
                    kTelling,
                    "wrong_condition",
                    condition.first,
                    condition.last,
                    fmt::format("{} && {} {} {}", all, element, sign, other));
    }
}

// `own != label[i - 1]`: what is told from the one beside it.
void compare_neighbours(Writer& w, const Body& body, const Statement& st) {
    constexpr size_t kMost = 24;
    const bool guard = st.word == "if" && w.s.is(st.first + 1, "(");
    int first = guard ? st.first + 2 : -1, end = guard ? st.last - 1 : -1;
    for (const Variable& v : w.s.variables)
        if (v.kind == ValueKind::boolean && v.from > st.first && v.from < st.last && w.s.is(v.from + 1, "="))
            first = v.from + 2, end = end_of_expression(w.s, first);
    if (first < 0 || end <= first) return;
    const std::string text = w.s.words(first, end);
    const std::string all = text.find("||") == text.npos ? text : "(" + text + ")";
    compare_elements(w, st, {first, end}, all);
    struct Pair {
        std::string name, element;
        bool taken;  // from the same array
    };
    std::vector<Pair> pairs;
    for (int k = body.open + 1; k < body.close; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const int last = end_of_element(w.s, k);
        if (v == nullptr || v->kind != ValueKind::whole || v->indirections != 1 || last == k) continue;
        if (!all_known(w.s, k, w.s.words(k, last), first)) continue;
        std::vector<std::string> elements = neighbours_of(w.s, k, last);
        elements.push_back(w.s.words(k, last));
        for (const Variable* u : visible(w.s, first)) {
            const bool own = is_whole(*u) && u->from > body.open;
            const Statement* const set = own ? statement_of(body, u->from) : nullptr;
            if (!own || text.find(u->name) == text.npos) continue;
            const bool taken = set != nullptr && k > set->first && k < set->last;
            for (const std::string& element : elements) pairs.push_back({u->name, element, taken});
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
        return x.taken > y.taken;
    });
    if (pairs.size() > kMost) pairs.resize(kMost);
    constexpr int kTaken = 12;
    for (const Pair& p : pairs)
        for (const char* sign : {"!=", "=="}) {
            w.replace(
                "wrong_condition", 3, first, end, fmt::format("{} && {} {} {}", all, p.name, sign, p.element)
            );
            w.out.back().bias = p.taken ? kTaken : 0;
        }
}

// `part[0] + part[1]` of `part[0]`, of an array of a few numbers.
void sum_elements(Writer& w, int k) {
    constexpr int kMost = 8;
    const Variable* const v = variable_at(w.s, k);
    const bool first = w.s.is(k + 1, "[") && w.s.is(k + 2, "0") && w.s.is(k + 3, "]");
    if (!first || v == nullptr || v->kind != ValueKind::real || v->from < 0) return;
    const int extent = v->from + 2;
    if (!w.s.is(extent - 1, "[") || !w.s.is(extent + 1, "]") || w.s.is(extent + 2, "[")) return;
    const int n = std::atoi(std::string(w.s.word(extent)).c_str());
    if (n < 2 || n > kMost || is_assignment(w.s, k + 4)) return;
    std::string sum = v->name + "[0]";
    for (int i = 1; i < n; ++i) sum += fmt::format(" + {}[{}]", v->name, i);
    w.replace(
        kRule, 1, k, k + 3, precedence(w.s, k - 1) + precedence(w.s, k + 4) > 0 ? "(" + sum + ")" : sum
    );
}

// `x = (1.0f - a) * x + a * y` of `x = a * y`: what is mixed with what was there.
void blend(Writer& w, const Statement& st) {
    constexpr size_t kMost = 6;  // shares
    const int sets = assignment_of(w.s, st), last = st.last - 1;
    if (!w.s.is(sets, "=") || !w.s.is(st.last, ";") || !holds_real(w.s, sets + 1, last)) return;
    const Variable* const to = variable_at(w.s, st.first);
    if (to == nullptr || to->from == st.first || end_of_element(w.s, st.first) != sets - 1) return;
    const std::string was = w.s.words(st.first, sets - 1), value = w.s.words(sets + 1, last);
    std::vector<std::string> shares;
    for (int k = sets + 1; k <= last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const bool share = v != nullptr && v->kind == ValueKind::real && v->indirections == 0 && v != to;
        if (share && std::find(shares.begin(), shares.end(), v->name) == shares.end())
            shares.push_back(v->name);
    }
    if (shares.size() > kMost) shares.resize(kMost);
    for (const std::string& a : shares)
        for (const char* form : {"(1.0f - {0}) * {1} + {2}", "{0} * {1} + {2}"})
            w.replace(kRule, 1, sets + 1, last, fmt::format(fmt::runtime(form), a, was, value));
}

}  // namespace

void add_combined(Writer& w) {
    const std::vector<std::string> functions = functions_of_two(w.s);
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) combine(w, body, functions, k), sum_elements(w, k), move_over_bracket(w, k);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (w.is_near(st.first) && !is_mark(w.s, st)) compare_neighbours(w, body, st), blend(w, st);
}

}  // namespace wl::diagnosis::rewrite
