// What is of two and stands for one: `log_add(end[n - 1], end[n - 2])` for `end[n - 1]`, by functions that
// the source calls.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
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
    const bool sets = w.s.word(last + 1).ends_with('=') && precedence(w.s, last + 1) == 0;
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
    size_t put = 0;
    for (int k = body.open + 1; k < body.close; ++k) {
        const Variable* const v = variable_at(w.s, k);
        const int last = end_of_element(w.s, k);
        if (v == nullptr || v->kind != ValueKind::whole || v->indirections != 1 || last == k) continue;
        if (!all_known(w.s, k, w.s.words(k, last), first)) continue;
        std::vector<std::string> elements = neighbours_of(w.s, k, last);
        elements.push_back(w.s.words(k, last));
        for (const std::string& element : elements)
            for (const Variable* u : visible(w.s, first)) {
                const bool own = u->kind == ValueKind::whole && u->indirections == 0 && u->from > body.open;
                if (!own || text.find(u->name) == text.npos || ++put > kMost) continue;
                for (const char* sign : {"!=", "=="})
                    w.replace(
                        "wrong_condition",
                        3,
                        first,
                        end,
                        fmt::format("{} && {} {} {}", all, u->name, sign, element)
                    );
            }
    }
}

}  // namespace

void add_combined(Writer& w) {
    const std::vector<std::string> functions = functions_of_two(w.s);
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) combine(w, body, functions, k);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (w.is_near(st.first) && !is_mark(w.s, st)) compare_neighbours(w, body, st);
}

}  // namespace wl::diagnosis::rewrite
