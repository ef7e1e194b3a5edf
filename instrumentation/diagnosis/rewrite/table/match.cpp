// Patterns over tokens: from the anchor on forwards, and then backwards.
#include "instrumentation/diagnosis/rewrite/table/match.h"

#include "instrumentation/diagnosis/rewrite/declarations.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wl::diagnosis::rewrite {

namespace {

const Variable* of(const Match& m, int hole) {
    return hole < 0 ? nullptr : m.holes[static_cast<size_t>(hole)].variable;
}

bool has_word(const Match& m, int token, const std::string& word) {
    return token >= 0 && token < m.s.count() && m.s.is(token, word);
}

constexpr std::array<std::pair<std::string_view, VariableTest>, 16> kVariableTests = {
    {{"var", [](const Match&, const Variable&, int, int) { return true; }},
     {"whole", [](const Match&, const Variable& v, int, int) { return is_whole(v); }},
     {"real", [](const Match&, const Variable& v, int, int) { return is_real(v); }},
     {"number", [](const Match&, const Variable& v, int, int) { return is_whole(v) || is_real(v); }},
     {"wholes", [](const Match&, const Variable& v, int, int) { return v.kind == ValueKind::whole; }},
     {"reals", [](const Match&, const Variable& v, int, int) { return v.kind == ValueKind::real; }},
     {"bool",
      [](const Match&, const Variable& v, int, int) {
          return v.kind == ValueKind::boolean && v.indirections == 0;
      }},
     {"single", [](const Match&, const Variable& v, int, int) { return v.indirections == 0; }},
     {"own", [](const Match& m, const Variable& v, int, int) { return is_own(m.body, v); }},
     {"given", [](const Match& m, const Variable& v, int, int) { return is_given(m.body, v); }},
     {"of_file", [](const Match&, const Variable& v, int, int) { return v.of_file; }},
     {"constant", [](const Match&, const Variable& v, int, int) { return v.constant; }},
     {"operand", [](const Match& m, const Variable&, int token, int) { return is_operand(m.s, token); }},
     {"like",
      [](const Match& m, const Variable& v, int, int other) {
          return of(m, other) != nullptr && v.kind == of(m, other)->kind &&
              v.indirections == of(m, other)->indirections;
      }},
     {"beside",  // declared where it is, as members of a struct are
      [](const Match& m, const Variable& v, int, int other) {
          return of(m, other) != nullptr && of(m, other)->from == v.from;
      }},
     {"is", [](const Match& m, const Variable& v, int, int other) { return of(m, other) == &v; }}}
};

template <class Pairs>
auto named(const Pairs& all, std::string_view name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.first == name; });
    return found == all.end() ? nullptr : found->second;
}

bool fits_word(const Source& s, const Element& e, int k) {
    const bool one =
        std::any_of(e.words.begin(), e.words.end(), [&](const std::string& w) { return s.is(k, w); });
    return one && !is_template_angle(s, k);
}

// Joins two operands, wherever it does not stand before its only one.
bool is_operator(const Element& e) {
    static constexpr std::array<std::string_view, 18> kAll = {
        "||", "&&", "|", "^", "&", "==", "!=", "<", ">", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%"};
    return e.kind == Element::Kind::words &&
        std::find(kAll.begin(), kAll.end(), e.words.front()) != kAll.end();
}

// Sets the hole; false: it is set to something else already.
bool bind(Match& m, const Element& e, int first, int last) {
    if (last < first) return false;
    if (e.hole < 0) return true;
    Bound& hole = m.holes[static_cast<size_t>(e.hole)];
    const bool variable = e.kind == Element::Kind::variable || e.kind == Element::Kind::element;
    const bool named = variable || (e.kind == Element::Kind::operand && first == last);
    Bound now{first, last, named ? variable_at(m.s, first) : nullptr, m.s.words(first, last)};
    if (hole.first >= 0) return hole.text == now.text && hole.variable == now.variable;
    hole = std::move(now);
    return true;
}

// Before the `;`.
int end_of_statement(const Source& s, int k) {
    while (k < s.count() && !s.is(k, ";"))
        k = is_opening(s.word(k)) && s.at(k).match > k ? s.at(k).match + 1 : k + 1;
    return k - 1;
}

// The last token of what the element stands for, where that begins at `k`; -1: it does not.
int end_forwards(const Match& m, const Element& e, int k, bool of_anchor) {
    const Source& s = m.s;
    if (k >= s.count()) return -1;
    switch (e.kind) {
        case Element::Kind::words: return fits_word(s, e, k) ? k : -1;
        case Element::Kind::sets: return k;
        case Element::Kind::number: return s.at(k).kind == Token::Kind::number ? k : -1;
        case Element::Kind::variable:
        case Element::Kind::element: {
            const Variable* const v = variable_at(s, k);
            if (v == nullptr || !passes(m, e.tests, *v, k)) return -1;
            return e.kind == Element::Kind::variable ? k : end_of_element(s, k);
        }
        case Element::Kind::inside:
            return is_opening(s.word(k - 1)) ? s.at(k - 1).match - 1 : end_of_statement(s, k);
        case Element::Kind::operand:
            if (!of_anchor) return end_of_expression(s, k);
            return precedence(s, k - 1) == 0 ? -1 : operands_of(s, k - 1).right;
    }
    return -1;
}

// The first token of what the element stands for, where that ends at `k`; -1: it does not.
int begin_backwards(const Match& m, const Element& e, int k, bool of_anchor) {
    const Source& s = m.s;
    if (k < 0) return -1;
    switch (e.kind) {
        case Element::Kind::inside: return is_closing(s.word(k + 1)) ? s.at(k + 1).match + 1 : -1;
        case Element::Kind::operand:
            return !of_anchor || precedence(s, k + 1) == 0 ? -1 : operands_of(s, k + 1).left;
        case Element::Kind::element: return -1;
        default: return end_forwards(m, e, k, of_anchor);
    }
}

bool holds(const Match& m, const Condition& c) {
    const Bound hole = c.hole < 0 ? Bound{} : m.holes[static_cast<size_t>(c.hole)];
    const bool fits = c.words.empty()
        ? c.holds(m, hole, {})
        : std::any_of(c.words.begin(), c.words.end(), [&](const std::string& word) {
              return c.holds(m, hole, word);
          });
    return fits != c.negated;
}

// Joined by a sign to what is real.
bool joins_real(const Match& m, const Bound& h) {
    for (const int sign : {h.first - 1, h.last + 1}) {
        if (precedence(m.s, sign) == 0) continue;
        const Operands o = operands_of(m.s, sign);
        if (holds_real(m.s, o.left, o.right)) return true;
    }
    return false;
}

constexpr std::array<std::pair<std::string_view, HoleCondition>, 20> kSiteConditions = {
    {{"simple",
      [](const Match& m, const Bound& h, const std::string&) { return is_simple(m.s, h.first, h.last); }},
     {"number",
      [](const Match& m, const Bound& h, const std::string&) {
          return m.s.at(h.first).kind == Token::Kind::number;
      }},
     {"has",
      [](const Match& m, const Bound& h, const std::string& word) {
          return says(m.s, h.first, h.last, word);
      }},
     {"is", [](const Match&, const Bound& h, const std::string& word) { return h.text == word; }},
     {"begins",
      [](const Match& m, const Bound& h, const std::string& word) { return has_word(m, h.first, word); }},
     {"before",
      [](const Match& m, const Bound&, const std::string& word) { return has_word(m, m.first - 1, word); }},
     {"after",
      [](const Match& m, const Bound&, const std::string& word) { return has_word(m, m.last + 1, word); }},
     {"alone",  // all that is set there
      [](const Match& m, const Bound&, const std::string&) {
          return has_word(m, m.first - 1, "=") && has_word(m, m.last + 1, ";");
      }},
     {"joins_real", [](const Match& m, const Bound& h, const std::string&) { return joins_real(m, h); }},
     {"operand",  // no part of a longer one
      [](const Match& m, const Bound& h, const std::string&) {
          const Operands o = operands_of(m.s, m.anchor);
          return h.first == o.left || h.last == o.right;
      }},
     {"type",
      [](const Match& m, const Bound& h, const std::string&) {
          return kind_of_type(m.s, h.text) != ValueKind::other;
      }},
     {"then",  // the second one after it
      [](const Match& m, const Bound&, const std::string& word) { return has_word(m, m.last + 2, word); }},
     {"statement",
      [](const Match& m, const Bound&, const std::string& word) { return has_word(m, m.here, word); }},
     {"token", [](const Match&, const Bound& h, const std::string&) { return h.first == h.last; }},
     {"whole",
      [](const Match&, const Bound& h, const std::string&) {
          return h.variable != nullptr && is_whole(*h.variable);
      }},
     {"constant",
      [](const Match&, const Bound& h, const std::string&) {
          return h.variable != nullptr && h.variable->constant;
      }},
     {"anchor",
      [](const Match& m, const Bound&, const std::string& word) { return has_word(m, m.anchor, word); }},
     {"function",
      [](const Match& m, const Bound&, const std::string& word) {
          return says(m.s, m.body.open, m.body.close - 1, word);
      }},
     {"real",
      [](const Match& m, const Bound&, const std::string&) {
          int first = m.anchor, last = m.anchor;
          for (const Bound& h : m.holes)
              if (h.first >= 0) first = std::min(first, h.first), last = std::max(last, h.last);
          return holds_real(m.s, first, last);
      }},
     {"real_value",
      [](const Match& m, const Bound& h, const std::string&) { return holds_real(m.s, h.first, h.last); }}}
};

}  // namespace

VariableTest variable_test(std::string_view name) { return named(kVariableTests, name); }
HoleCondition hole_condition(std::string_view name) { return named(kSiteConditions, name); }

bool passes(const Match& m, const std::vector<Test>& tests, const Variable& v, int token) {
    return std::all_of(tests.begin(), tests.end(), [&](const Test& t) {
        return t.holds(m, v, token, t.other) != t.negated;
    });
}

std::optional<Match> match_at(
    const Source& s, const Body& body, const Row& row, int token, int here, const Bound* unread
) {
    const int count = static_cast<int>(row.pattern.size());
    const auto element = [&](int k) -> const Element& { return row.pattern[static_cast<size_t>(k)]; };
    const Element& begin = element(row.anchor);
    if (begin.kind == Element::Kind::words && !fits_word(s, begin, token)) return std::nullopt;
    Match m{s, body, row, token, here, std::vector<Bound>(row.holes.size())};
    for (size_t k = 0; k < row.holes.size() && unread != nullptr; ++k)
        if (row.holes[k] == "unread") m.holes[k] = *unread;
    int k = token;
    std::vector<Span> spans(row.pattern.size());
    for (int at = row.anchor; at < count; ++at) {
        const int last = end_forwards(m, element(at), k, at == row.anchor + 1 && is_operator(begin));
        if (last < k || !bind(m, element(at), k, last)) return std::nullopt;
        spans[static_cast<size_t>(at)] = {k, last};
        k = last + 1;
    }
    k = token - 1;
    for (int at = row.anchor - 1; at >= 0; --at) {
        const int first = begin_backwards(m, element(at), k, at == row.anchor - 1);
        if (first < 0 || !bind(m, element(at), first, k)) return std::nullopt;
        spans[static_cast<size_t>(at)] = {first, k};
        k = first - 1;
    }
    const bool at_end = row.marked == count;
    m.first = at_end ? spans.back().last + 1 : spans[static_cast<size_t>(row.marked)].first;
    m.last = row.end == row.marked ? m.first - 1 : spans[static_cast<size_t>(row.end - 1)].last;
    const bool all = std::all_of(row.where.begin(), row.where.end(), [&](const std::vector<Condition>& some) {
        return std::any_of(some.begin(), some.end(), [&](const Condition& c) { return holds(m, c); });
    });
    return all ? std::optional(std::move(m)) : std::nullopt;
}

}  // namespace wl::diagnosis::rewrite
