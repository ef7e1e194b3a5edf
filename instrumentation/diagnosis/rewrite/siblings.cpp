// Expressions that are written twice with other names: `y * stride + dy` says what `x + dx` lacks.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr int kReach = 12;        // lines between two siblings
constexpr int kLongest = 40;      // tokens
constexpr size_t kMostTexts = 6;  // of one sibling for another

// What a name is set to, or compared with.
struct Piece {
    int first = 0, last = 0;
    std::string name;
    bool condition = false;
};

using Renaming = std::vector<std::pair<std::string, std::string>>;

bool is_name(const Source& s, int k) {
    const bool member = s.is(k - 1, ".") || s.is(k - 1, "->");
    return s.at(k).kind == Token::Kind::word && !member && !s.is(k + 1, "(");
}

std::vector<std::string> names_in(const Source& s, const Piece& p) {
    std::vector<std::string> out;
    for (int k = p.first; k <= p.last; ++k) {
        const std::string w(s.word(k));
        if (is_name(s, k) && std::find(out.begin(), out.end(), w) == out.end()) out.push_back(w);
    }
    return out;
}

const Variable* known_as(const std::vector<const Variable*>& all, const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Variable* v) { return v->name == name; });
    return found == all.end() ? nullptr : *found;
}

void add_parts_of(const Source& s, int first, int last, std::vector<Piece>& out) {
    for (const auto& [begin, end] : conditions_in(s, first, last))
        if (end > begin && variable_at(s, begin) != nullptr)
            out.push_back({begin, end, std::string(s.word(begin)), true});
}

void add_head(const Source& s, const Statement& st, std::vector<Piece>& out) {
    const int open = st.first + 1;
    if (!s.is(open, "(")) return;
    if (st.word != "for") return add_parts_of(s, open + 1, st.last - 1, out);
    int first = -1;
    for (int k = open + 1; k < st.last; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (!s.is(k, ";")) continue;
        if (first >= 0) return add_parts_of(s, first + 1, k - 1, out);
        first = k;
    }
}

std::vector<Piece> pieces_of(const Writer& w, const Body& body) {
    std::vector<Piece> out;
    for (const Variable& v : w.s.variables) {
        const bool inside = v.from > body.open && v.from < body.close && w.s.is(v.from + 1, "=");
        if (inside) out.push_back({v.from + 2, end_of_expression(w.s, v.from + 2), v.name});
    }
    for (const Statement& st : body.statements) {
        if (is_mark(w.s, st)) continue;
        if (st.word == "if" || st.word == "while" || st.word == "for") add_head(w.s, st, out);
        if (!st.word.empty() || variable_at(w.s, st.first) == nullptr) continue;
        const int sign = end_of_element(w.s, st.first) + 1;
        if (!is_assignment(w.s, sign)) continue;
        if (variable_at(w.s, st.first)->from == st.first) continue;
        out.push_back({sign + 1, st.last - 1, std::string(w.s.word(st.first))});
    }
    std::erase_if(out, [](const Piece& p) { return p.last < p.first || p.last - p.first > kLongest; });
    return out;
}

// `dy` to `dx` as `sy` to `sx`: what differs in the names that are set differs in others, too.
Renaming by_target(const Piece& from, const Piece& to, const std::vector<const Variable*>& known) {
    const std::string &a = from.name, &b = to.name;
    size_t head = 0, tail = 0;
    while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
    while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    const std::string was = a.substr(head, a.size() - head - tail),
                      now = b.substr(head, b.size() - head - tail);
    Renaming out;
    if (was.empty() || now.empty()) return out;
    for (const Variable* v : known) {
        const size_t at = v->name.find(was);
        if (at == std::string::npos) continue;
        std::string other = v->name;
        other.replace(at, was.size(), now);
        const Variable* const u = known_as(known, other);
        if (u != nullptr && alike(*u, *v)) out.emplace_back(v->name, other);
    }
    return out;
}

std::string renamed_by(const Source& s, const Piece& p, const Renaming& renaming) {
    std::string out;
    size_t at = s.at(p.first).begin;
    for (int k = p.first; k <= p.last; ++k) {
        const auto found = std::find_if(renaming.begin(), renaming.end(), [&](const auto& r) {
            return is_name(s, k) && s.is(k, r.first);
        });
        if (found == renaming.end()) continue;
        out += s.text.substr(at, s.at(k).begin - at) + found->second;
        at = s.at(k).end;
    }
    return out + s.text.substr(at, s.at(p.last).end - at);
}

// Names of one that the other lacks stand for each other, in their order and one at a time.
std::vector<Renaming> renamings(const Writer& w, const Piece& from, const Piece& to) {
    const std::vector<const Variable*> known = visible(w.s, to.first);
    const std::vector<std::string> theirs = names_in(w.s, from), ours = names_in(w.s, to);
    const auto holds = [](const std::vector<std::string>& all, const std::string& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    const Renaming named = from.name == to.name ? Renaming{} : by_target(from, to, known);
    std::vector<std::string> left, free;
    for (const std::string& n : theirs)
        if (!holds(ours, n) &&
            std::none_of(named.begin(), named.end(), [&](const auto& r) { return r.first == n; }))
            left.push_back(n);
    for (const std::string& n : ours)
        if (!holds(theirs, n) &&
            std::none_of(named.begin(), named.end(), [&](const auto& r) { return r.second == n; }))
            free.push_back(n);
    std::vector<Renaming> out;
    Renaming in_order = named;
    for (size_t k = 0; k < std::min(left.size(), free.size()); ++k) in_order.emplace_back(left[k], free[k]);
    out.push_back(in_order);
    if (in_order.size() > named.size()) out.push_back(named);
    for (const std::string& was : left)
        for (const std::string& now : free) {
            Renaming one = named;
            one.emplace_back(was, now);
            if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
        }
    if (out.size() > kMostTexts) out.resize(kMostTexts);
    return out;
}

// Names of the text, which stood between these tokens, that are known where it is put.
bool is_known(const Writer& w, const Piece& from, const Renaming& renaming, int here) {
    const std::vector<const Variable*> known = visible(w.s, here);
    for (const std::string& n : names_in(w.s, from)) {
        const auto found =
            std::find_if(renaming.begin(), renaming.end(), [&](const auto& r) { return r.first == n; });
        const std::string& now = found == renaming.end() ? n : found->second;
        bool is_variable = false;
        for (int k = from.first; k <= from.last; ++k)
            is_variable = is_variable || (w.s.is(k, n) && variable_at(w.s, k) != nullptr);
        if (is_variable && known_as(known, now) == nullptr) return false;
    }
    return true;
}

// Of the longer one's words those that the other has in the same order.
double likeness(const Source& s, const Piece& a, const std::string& text) {
    const std::vector<std::string_view> other = words_in(s, text);
    const auto n = static_cast<size_t>(a.last - a.first + 1), m = other.size();
    std::vector<size_t> row(m + 1, 0);
    for (size_t i = 0; i < n; ++i) {
        size_t diagonal = 0;
        for (size_t j = 0; j < m; ++j) {
            const size_t above = row[j + 1];
            const bool same = s.word(a.first + static_cast<int>(i)) == other[j];
            row[j + 1] = same ? diagonal + 1 : std::max(above, row[j]);
            diagonal = above;
        }
    }
    return static_cast<double>(row[m]) / static_cast<double>(std::max({n, m, size_t{1}}));
}

const char* rule_of(const Source& s, const Piece& p) {
    if (p.condition) return "wrong_condition";
    return holds_real(s, p.first, p.last) ? "wrong_operation" : "wrong_index";
}

// Terms that a sibling's sum has besides: before the own ones and behind them.
void add_terms(Writer& w, const Piece& from, const Piece& to, const Renaming& renaming) {
    int plus = -1;
    for (int k = from.last; k > from.first && plus < 0; --k) {
        if (is_closing(w.s.word(k)) && w.s.at(k).match > 0) k = w.s.at(k).match;
        if (w.s.is(k, "+") && precedence(w.s, k) > 0) plus = k;
    }
    if (plus < 0) return;
    const std::string text = w.s.words(to.first, to.last);
    for (const Span& term : terms_of(w.s, plus)) {
        const Piece piece{term.first, term.last, {}};
        if (term.first > term.last || names_in(w.s, piece).empty()) continue;
        if (!is_known(w, piece, renaming, to.first)) continue;
        const std::string other = renamed_by(w.s, piece, renaming);
        if (text.find(other) != std::string::npos) continue;
        w.replace("partial_reduction", 2, to.first, to.last, fmt::format("{} + {}", other, text));
        w.replace("partial_reduction", 2, to.first, to.last, fmt::format("{} + {}", text, other));
    }
}

void add_of_sibling(Writer& w, const Piece& from, const Piece& to) {
    constexpr double kAlike = 0.4, kVeryAlike = 0.65;  // shares of words
    for (const Renaming& renaming : renamings(w, from, to)) {
        if (!is_known(w, from, renaming, to.first)) continue;
        const std::string text = renamed_by(w.s, from, renaming);
        const double share = likeness(w.s, to, text);
        if (share >= kAlike && share < 1)
            w.replace(rule_of(w.s, to), share >= kVeryAlike ? 1 : 2, to.first, to.last, text);
        if (!to.condition && w.is_near(to.first)) add_terms(w, from, to, renaming);
    }
}

// Heads of two loops: where one begins and ends, as the other does.
void add_heads(Writer& w, const Body& body) {
    for (const Statement& from : body.statements)
        for (const Statement& to : body.statements) {
            const bool loops = from.word == "for" && to.word == "for" && from.first != to.first;
            const bool close = std::abs(w.s.at(from.first).line - w.s.at(to.first).line) <= kReach;
            if (!loops || !close || !w.is_near(to.first)) continue;
            const Variable *theirs = nullptr, *ours = nullptr;
            for (const Variable& v : w.s.variables) {
                if (v.from > from.first && v.from < from.last && theirs == nullptr) theirs = &v;
                if (v.from > to.first && v.from < to.last && ours == nullptr) ours = &v;
            }
            if (theirs == nullptr || ours == nullptr || theirs->name == ours->name) continue;
            Piece a{from.first + 2, from.last - 1, theirs->name};
            const Piece b{to.first + 2, to.last - 1, ours->name};
            for (Renaming renaming : renamings(w, a, b)) {
                const auto own = std::pair(theirs->name, ours->name);
                if (std::find(renaming.begin(), renaming.end(), own) == renaming.end())
                    renaming.push_back(own);
                const std::string text = renamed_by(w.s, a, renaming);
                if (likeness(w.s, b, text) < 1) w.replace("wrong_index", 2, b.first, b.last, text);
            }
        }
}

}  // namespace

void add_siblings(Writer& w) {
    std::vector<std::vector<Piece>> all;
    for (const Body& body : w.s.bodies) all.push_back(pieces_of(w, body)), add_heads(w, body);
    for (const std::vector<Piece>& ours : all)
        for (const Piece& to : ours)
            for (const std::vector<Piece>& theirs : all)
                for (const Piece& from : theirs) {
                    const int lines = std::abs(w.s.at(from.first).line - w.s.at(to.first).line);
                    const bool own = &ours == &theirs, near = own && lines <= kReach;
                    const bool same = from.name == to.name && (own || w.is_near(to.first));
                    const bool apart = from.last < to.first || to.last < from.first;
                    if ((near || same) && apart && from.condition == to.condition)
                        add_of_sibling(w, from, to);
                }
}

}  // namespace wl::diagnosis::rewrite
