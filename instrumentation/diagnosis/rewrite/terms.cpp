// What is missing in an expression: a factor, a term, a step of one, a wider type.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char *kFactor = "missing_rescale", *kTerm = "partial_reduction", *kIndex = "wrong_index";
constexpr size_t kMost = 12;  // variables and elements that are put in at one place

struct AtHand {
    std::string text;
    int cost = 3;
};

// Numbers that may be a factor or a term; what the function does not use otherwise is looked for first.
std::vector<AtHand> at_hand(const Writer& w, const Body& body, int k, bool real) {
    const std::map<std::string, int> uses = uses_of(w.s, body);
    std::vector<AtHand> out;
    const auto unused = [&](const Variable& v) {
        const auto found = uses.find(v.name);
        return (found == uses.end() ? 0 : found->second) <= (v.parameter ? 0 : 1);
    };
    for (const Variable* v : visible(w.s, k)) {
        if (v->kind == ValueKind::boolean || v->kind == ValueKind::other) continue;
        const bool number = v->indirections == 0 && (v->kind == ValueKind::whole || real);
        if (number) out.push_back({v->name, unused(*v) ? 2 : 3});
        if (!real || v->indirections != 1 || v->kind != ValueKind::real || !v->parameter || !unused(*v))
            continue;
        for (const Variable* i : visible(w.s, k))
            if (is_whole(*i) && !i->of_file) out.push_back({fmt::format("{}[{}]", v->name, i->name), 2});
    }
    if (real)
        for (const auto& [text, from] : elements_of(w.s, body))
            if (all_known(w.s, from, text, k)) out.push_back({text, 3});
    std::stable_sort(out.begin(), out.end(), [](const AtHand& a, const AtHand& b) {
        return a.cost < b.cost;
    });
    if (out.size() > 2 * kMost) out.resize(2 * kMost);
    if (!real)
        for (const char* extent : {"gridDim.x", "blockDim.x"}) out.push_back({extent, 3});
    return out;
}

void add_real_terms(Writer& w, const Body& body, int first, int last) {
    const std::string text = w.s.words(first, last);
    const std::string e = is_simple(w.s, first, last) ? text : "(" + text + ")";
    for (const AtHand& a : at_hand(w, body, first, true)) {
        w.replace(kFactor, a.cost, first, last, e + " * " + a.text);
        if (a.text == text) continue;
        w.replace(kFactor, a.cost, first, last, e + " / " + a.text);
        const bool factor = precedence(w.s, first - 1) > 9 || precedence(w.s, last + 1) > 9;
        const char *open = factor ? "(" : "", *close = factor ? ")" : "";
        w.replace(kTerm, a.cost, first, last, fmt::format("{}{} + {}{}", open, text, a.text, close));
        w.replace(kTerm, a.cost, first, last, fmt::format("{}{} - {}{}", open, text, a.text, close));
    }
    for (const std::string& factor : w.context.factors)
        w.replace("constant_factor", 1, first, last, fmt::format("{} * {}", factor, e));
    w.replace("wrong_operation", 1, first, last, "-" + e);
    for (const char* form :
         {"1.0f / {}",
          "1.0f - {}",
          "{0} * {0}",
          "sqrtf({})",
          "fabsf({})",
          "fmaxf({}, 0.0f)",
          "1.0f + {}",
          "expf({})",
          "0.5f * {}",
          "2.0f * {}"})
        w.replace("wrong_operation", 3, first, last, fmt::format(fmt::runtime(form), e));
}

void add_whole_terms(Writer& w, const Body& body, int first, int last) {
    const std::string text = w.s.words(first, last);
    const std::string e = is_simple(w.s, first, last) ? text : "(" + text + ")";
    // A sum that is an operand of what binds tighter.
    const bool factor = precedence(w.s, first - 1) > 9 || precedence(w.s, last + 1) > 9;
    const auto sum = [&](const char* sign, const std::string& other) {
        return fmt::format(fmt::runtime(factor ? "({} {} {})" : "{} {} {}"), text, sign, other);
    };
    w.replace("boundary_off_by_one", 2, first, last, sum("+", "1"));
    w.replace("boundary_off_by_one", 2, first, last, sum("-", "1"));
    for (const char* form : {"2 * {}", "{} / 2"})
        w.replace(kIndex, 2, first, last, fmt::format(fmt::runtime(form), e));
    for (const AtHand& a : at_hand(w, body, first, false)) {
        if (a.text == text) continue;
        w.replace(kIndex, a.cost, first, last, sum("+", a.text));
        w.replace(kIndex, a.cost, first, last, e + " * " + a.text);
        w.replace(kIndex, 3, first, last, sum("-", a.text));
        w.replace(kIndex, 3, first, last, e + " % " + a.text);
        w.replace(kIndex, 3, first, last, e + " / " + a.text);
    }
    w.replace("overflow", 3, first, last, "static_cast<long long>(" + text + ")");
    w.replace("precision", 3, first, last, "static_cast<float>(" + text + ")");
}

// `a * columns + b`: of b, a row, and a, a column.
void add_places(Writer& w, int k) {
    if (!w.s.is(k, "+") || precedence(w.s, k) == 0) return;
    const Operands o = operands_of(w.s, k);
    int star = -1, depth = 0;
    for (int at = o.left; at < k; ++at) {
        if (is_opening(w.s.word(at))) ++depth;
        if (is_closing(w.s.word(at))) --depth;
        if (depth == 0 && w.s.is(at, "*") && precedence(w.s, at) > 0) star = at;
    }
    if (star < 0 || !is_simple(w.s, k + 1, o.right) || holds_real(w.s, o.left, o.right)) return;
    const std::string a = w.s.words(o.left, star - 1), b = w.s.words(k + 1, o.right);
    for (const Variable* n : visible(w.s, k))
        if (is_whole(*n) && n->name != a && n->name != b)
            w.replace("wrong_index", 2, o.left, o.right, fmt::format("{} * {} + {}", b, n->name, a));
}

// Elements and brackets as operands of a product or a sum.
void add_operand_terms(Writer& w, const Body& body, int k) {
    const Variable* const v = variable_at(w.s, k);
    const bool bracket = w.s.is(k, "(") && w.s.at(k).match > k;
    const bool element =
        v != nullptr && v->kind == ValueKind::real && v->indirections > 0 && w.s.is(k + 1, "[");
    if (!bracket && !element) return;
    const int last = bracket ? w.s.at(k).match : end_of_element(w.s, k);
    const bool written = is_assignment(w.s, last + 1);
    Span context{k, last};  // real where what it is multiplied by or added to is
    for (const int sign : {k - 1, last + 1})
        if (bracket && precedence(w.s, sign) > 0) {
            const Operands o = operands_of(w.s, sign);
            context = {std::min(context.first, o.left), std::max(context.last, o.right)};
        }
    const bool operand = element || context.first < k || context.last > last;
    if (operand && !written && holds_real(w.s, context.first, context.last)) add_real_terms(w, body, k, last);
}

// Of loops around it, the variables that a statement does not name.
std::vector<std::string> unnamed_loops(const Writer& w, const Body& body, const Statement& st) {
    std::vector<std::string> out;
    for (const Variable* v : visible(w.s, st.first)) {
        const Statement* const loop = is_whole(*v) && v->from > body.open ? loop_of(body, *v) : nullptr;
        if (loop == nullptr || loop == &st || loop->body_last < st.last) continue;
        bool named = false;
        for (int k = st.first; k <= st.last; ++k) named = named || variable_at(w.s, k) == v;
        if (!named) out.push_back(v->name);
    }
    return out;
}

// `(k0 + i / n) * m` for `i / n * m`, where nothing tells one step of a loop from another.
void add_step_of_loop(Writer& w, const Body& body, int k) {
    if (!w.s.is(k, "*") || precedence(w.s, k) == 0) return;
    const Operands o = operands_of(w.s, k);
    const Statement* const st = statement_of(body, k);
    if (st == nullptr || !st->word.empty() || o.left == k - 1 || holds_real(w.s, o.left, o.right)) return;
    const bool bracket = w.s.is(o.left, "(") && w.s.at(o.left).match == k - 1;
    const int first = bracket ? o.left + 1 : o.left, last = bracket ? k - 2 : k - 1;
    const std::string text = w.s.words(first, last);
    for (const std::string& v : unnamed_loops(w, body, *st))
        w.replace(
            kIndex, 2, first, last, fmt::format(fmt::runtime(bracket ? "{} + {}" : "({} + {})"), v, text)
        );
}

bool begins_expression(const Source& s, int k) {
    if (precedence(s, k) > 0) return false;
    const std::string_view w = s.word(k);
    if (w == "return" || w == "[") return true;
    if (w == "(") return s.at(std::max(k - 1, 0)).kind == Token::Kind::word && !s.is(k - 1, "if");
    return w == "=" || w == "+=" || w == "-=" || w == "*=" || w == ",";
}

// A number that should be what the function is given, or a real one; an index that should be what a table
// says.
void add_given(Writer& w, const Body& body, int k) {
    const bool number = w.s.at(k).kind == Token::Kind::number;
    const Variable* const v = variable_at(w.s, k);
    const bool index = v != nullptr && is_whole(*v) && v->from != k;
    if ((!number && !index) || w.s.is(k + 1, "=") || w.s.is(k - 1, ".")) return;
    const std::string text(w.s.word(k));
    const bool real = number && holds_real(w.s, k, k);
    if (number && text.find_first_not_of("0123456789") == text.npos)
        w.replace("precision", 2, k, k, text + ".0f");
    if (number)
        for (const AtHand& a : at_hand(w, body, k, real))
            if (a.cost == 2 || w.is_near(k)) w.replace("wrong_constant", a.cost, k, k, a.text);
    const std::map<std::string, int> uses = uses_of(w.s, body);
    for (const Variable* p : visible(w.s, k)) {
        const bool given = p->parameter || (p->of_file && p->kind == ValueKind::whole);
        if (index && given && p->indirections == 1 && !uses.contains(p->name))
            w.replace("wrong_index", 2, k, k, fmt::format("{}[{}]", p->name, text));
    }
}

// A batch or a plane that is not told apart: `blockIdx.z * h * w` for 0, where nothing else uses the axis.
void add_unused_axis(Writer& w, const Body& body, int k) {
    if (!w.s.is(k, "0") || !w.s.is(k - 1, "=")) return;
    for (const char* axis : {"y", "z"}) {
        bool used = false;
        for (int at = body.open; at < body.close; ++at)
            used = used || (w.s.is(at, "blockIdx") && w.s.is(at + 2, axis));
        if (used) continue;
        std::vector<const Variable*> extents;
        for (const Variable* p : visible(w.s, k))
            if (p->parameter && is_whole(*p)) extents.push_back(p);
        for (size_t a = 0; a < extents.size(); ++a) {
            const std::string one = fmt::format("blockIdx.{} * {}", axis, extents[a]->name);
            w.replace(kIndex, 1, k, k, one);
            for (size_t b = a + 1; b < extents.size(); ++b)
                w.replace(kIndex, 1, k, k, fmt::format("{} * {}", one, extents[b]->name));
        }
    }
}

// One more or less than a whole expression, of whichever line.
void add_steps(Writer& w, const Body& body, int k) {
    if (!begins_expression(w.s, k) || k + 1 >= body.close) return;
    const int last = end_of_expression(w.s, k + 1);
    if (last <= k + 1 || last - k > 20 || holds_real(w.s, k + 1, last)) return;
    const std::string text = w.s.words(k + 1, last);
    w.replace("boundary_off_by_one", 2, k + 1, last, text + " + 1");
    w.replace("boundary_off_by_one", 2, k + 1, last, text + " - 1");
}

}  // namespace

void add_terms(Writer& w) {
    const Pass& quotients = pass_of("quotients");
    for_each_token(w, [&](int k, const Body& body) {
        try_rows(w, quotients, k, body);
        add_given(w, body, k);
        add_places(w, k);
        add_unused_axis(w, body, k);
        if (!w.is_near(k)) return add_steps(w, body, k);
        add_operand_terms(w, body, k);
        add_step_of_loop(w, body, k);
        const Variable* const v = variable_at(w.s, k);
        const bool number = v != nullptr && v->indirections == 0 && !w.s.is(k + 1, "=") && v->from != k;
        const int end = v == nullptr ? k : end_of_element(w.s, k);
        const bool read = end > k && !is_assignment(w.s, end + 1);
        if (read && v->kind == ValueKind::whole) add_whole_terms(w, body, k, end);
        if (number && v->kind == ValueKind::whole) add_whole_terms(w, body, k, k);
        if (number && v->kind == ValueKind::real) add_real_terms(w, body, k, k);
        if (!begins_expression(w.s, k) || k + 1 >= body.close) return;
        const int last = end_of_expression(w.s, k + 1);
        if (last <= k || last - k > 60) return;
        if (holds_real(w.s, k + 1, last) && !w.s.is(k, "["))
            add_real_terms(w, body, k + 1, last);
        else if (last > k + 1)
            add_whole_terms(w, body, k + 1, last);
    });
}

}  // namespace wl::diagnosis::rewrite
