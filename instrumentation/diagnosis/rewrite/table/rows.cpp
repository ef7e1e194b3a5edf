// What a row puts where its pattern stands.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/match.h"

#include <algorithm>
#include <optional>
#include <string>

namespace wl::diagnosis::rewrite {

namespace {

bool is_real_number(const Bound& b) { return b.variable != nullptr && b.variable->kind == ValueKind::real; }

// `a`, `${in a}`: in brackets unless it is simple, `${bare a}`: without its own, `${zero a}`, `${one a}`: of
// its type.
std::string formed(const Match& m, std::string_view form, const Bound& b) {
    if (form == "zero") return is_real_number(b) ? "0.0f" : "0";
    if (form == "one") return is_real_number(b) ? "1.0f" : "1";
    if (form == "in" && b.first >= 0) return in_brackets(m.s, b.first, b.last);
    const bool bracket =
        form == "bare" && b.first >= 0 && m.s.is(b.first, "(") && m.s.at(b.first).match == b.last;
    return bracket ? m.s.words(b.first + 1, b.last - 1) : b.text;
}

std::string filled(const Match& m, std::string_view put) {
    const auto is_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    std::string out;
    for (size_t k = 0; k < put.size();) {
        if (put[k] != '$') {
            out += put[k++];
            continue;
        }
        const bool brace = put[++k] == '{';
        const size_t end = brace ? put.find('}', k) : put.size();
        const size_t name = brace ? put.find(' ', k) + 1 : k;
        size_t last = name;
        while (last < end && is_name(put[last])) ++last;
        const auto hole = std::find(m.row.holes.begin(), m.row.holes.end(), put.substr(name, last - name));
        const std::string_view form = brace ? put.substr(k + 1, name - k - 2) : std::string_view();
        out += formed(m, form, m.holes[static_cast<size_t>(hole - m.row.holes.begin())]);
        k = brace ? end + 1 : last;
    }
    return out;
}

// Each of the words for the one that stands there.
void put_others(Writer& w, const Match& m) {
    constexpr int kHardly = -30;  // as odds, of `-0.0f`
    const bool negative = w.s.is(m.first - 1, "-") && precedence(w.s, m.first - 1) == 0;
    for (const std::string& other : m.row.pattern.front().words) {
        if (w.s.is(m.first, other)) continue;
        w.replace(m.row.rule.c_str(), m.row.cost, m.first, m.last, other);
        w.out.back().bias = negative && other.starts_with('0') ? kHardly : m.row.prior;
    }
}

void put_all(Writer& w, const Match& m) {
    const char* const rule = m.row.rule.c_str();
    if (m.row.put.empty()) return put_others(w, m);
    for (const std::string& put : m.row.put) {
        const std::string now = filled(m, put);
        if (m.first <= m.last)
            w.replace(rule, m.row.cost, m.first, m.last, now);
        else if (now.starts_with(' '))
            w.insert(rule, m.row.cost, w.s.at(m.first - 1).end, w.s.at(m.first - 1).line, now);
        else
            w.insert(rule, m.row.cost, w.s.at(m.first).begin, w.s.at(m.first).line, now);
        w.out.back().bias = m.row.prior;
    }
}

// Texts of what can stand for a hole there, with the variables that they are.
std::vector<Bound> choices_at(const Writer& w, const Match& m, const Choices& c, int here) {
    std::vector<Bound> out;
    if (c.products) {
        for (std::string& e : whole_expressions(w.s, m.body, here))
            if (e.find('*') != e.npos) out.push_back({-1, -1, nullptr, std::move(e)});
        return out;
    }
    for (const Variable* v : visible(w.s, here)) {
        if (!passes(m, c.tests, *v, -1)) continue;
        if (m.row.most > 0 && out.size() == m.row.most) break;
        out.push_back({-1, -1, v, v->name});
    }
    return out;
}

// `here`: where they have to be known.
void choose(Writer& w, Match& m, size_t at, int here) {
    if (at == m.row.each.size()) return put_all(w, m);
    const Choices& c = m.row.each[at];
    for (Bound& b : choices_at(w, m, c, here)) {
        if (b.variable != nullptr && !passes(m, c.later, *b.variable, -1)) continue;
        m.holes[static_cast<size_t>(c.hole)] = std::move(b);
        choose(w, m, at + 1, here);
    }
}

void try_row(Writer& w, const Row& row, int token, int here, const Body& body, const Bound* unread) {
    std::optional<Match> m = match_at(w.s, body, row, token, here, unread);
    if (m) choose(w, *m, 0, here);
}

std::optional<Bound> bound_to(const Variable* v) {
    return v == nullptr ? std::nullopt : std::optional(Bound{-1, -1, v, v->name});
}

}  // namespace

void try_rows(Writer& w, const Pass& pass, int token, const Body& body, const Variable* unread) {
    const bool near = w.is_near(token);
    const std::optional<Bound> given = bound_to(unread);
    for (const Row& row : pass.rows)
        if (near || !row.near) try_row(w, row, token, token, body, given ? &*given : nullptr);
}

void try_rows(Writer& w, const Pass& pass, const Statement& st, const Body& body, const Variable* unread) {
    const bool near = w.is_near(st.first);
    const std::optional<Bound> given = bound_to(unread);
    const int sets = st.word == "return" ? st.first : assignment_of(w.s, st);
    for (const Row& row : pass.rows) {
        if (!near && row.near) continue;
        const bool of_sign = row.pattern[static_cast<size_t>(row.anchor)].kind == Element::Kind::sets;
        const int first = of_sign ? sets : st.first, last = row.inside ? st.last : first;
        for (int k = first; k >= 0 && k <= last; ++k)
            try_row(w, row, k, st.first, body, given ? &*given : nullptr);
    }
}

}  // namespace wl::diagnosis::rewrite
