// What is missing and stands nearly so elsewhere: a term, a statement, the same change at every place.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <set>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMostNames = 8;  // that stand for one name
constexpr int kReach = 12;        // lines between a statement and its analogue

std::vector<const Variable*> variables_in(const Source& s, int first, int last) {
    std::vector<const Variable*> out;
    for (int k = first; k <= last; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v != nullptr && v->from != k && std::find(out.begin(), out.end(), v) == out.end())
            out.push_back(v);
    }
    return out;
}

// Texts that differ from this in one variable, and in one small number of an index.
std::vector<std::string> analogues(const Writer& w, int first, int last, int here) {
    std::vector<std::string> out;
    const std::vector<const Variable*> known = visible(w.s, here);
    for (const Variable* v : variables_in(w.s, first, last)) {
        size_t taken = 0;
        for (const Variable* u : known) {
            if (u == v || !alike(*u, *v) || (u->of_file && !v->of_file)) continue;
            if (++taken > kMostNames) break;
            out.push_back(renamed(w.s, first, last, v->name, u->name));
        }
    }
    // `sum.y` of `sum.x`, wherever it stands.
    for (const char* axis : {"x", "y"}) {
        const std::string text = w.s.words(first, last), was = fmt::format(".{}", axis),
                          now = *axis == 'x' ? ".y" : ".x";
        std::string other = text;
        for (size_t at = other.find(was); at != other.npos; at = other.find(was, at + 1)) {
            const size_t end = at + was.size();
            const bool word =
                end < other.size() && (std::isalnum(static_cast<unsigned char>(other[end])) != 0);
            const bool builtin =
                at >= 3 && (other.compare(at - 3, 3, "Idx") == 0 || other.compare(at - 3, 3, "Dim") == 0);
            if (!word && !builtin) other.replace(at, was.size(), now);
        }
        if (other != text) out.push_back(std::move(other));
    }
    for (int k = first; k <= last; ++k) {
        const bool index = w.s.is(k - 1, "[") && w.s.is(k + 1, "]");
        if (!index || w.s.at(k).kind != Token::Kind::number) continue;
        const std::string other = w.s.is(k, "0") ? "1" : "0";
        const size_t at = w.s.at(k).begin - w.s.at(first).begin;
        out.push_back(w.s.words(first, last).replace(at, w.s.at(k).end - w.s.at(k).begin, other));
    }
    return out;
}

// `a[l] + a[r]` of `a[l] + a[r] + a[u]`.
void add_terms_alike(Writer& w, int k) {
    if (!w.s.is(k, "+") || precedence(w.s, k) == 0 || w.s.is(k - 1, "(") || !w.is_near(k)) return;
    const Operands o = operands_of(w.s, k);
    const bool last = !w.s.is(o.right + 1, "+") && !w.s.is(o.right + 1, "-");
    if (!last) return;
    const std::string text = w.s.words(o.left, o.right);
    for (const Span& term : terms_of(w.s, k)) {
        if (term.first > term.last || variables_in(w.s, term.first, term.last).size() < 2) continue;
        for (const std::string& other : analogues(w, term.first, term.last, term.first))
            w.replace("partial_reduction", 3, o.left, o.right, fmt::format("{} + {}", text, other));
    }
}

// `a * f(p) + b * f(q)` of `a * f(p) + b`: the factor of one term, with other names, is that of another.
void add_factors_alike(Writer& w, int k) {
    if (!w.s.is(k, "+") || precedence(w.s, k) == 0 || !w.is_near(k)) return;
    const std::vector<Span> terms = terms_of(w.s, k);
    for (const Span& from : terms) {
        int star = -1;
        for (int at = from.first; at <= from.last && star < 0; ++at) {
            if (is_opening(w.s.word(at)) && w.s.at(at).match > at) at = w.s.at(at).match;
            if (w.s.is(at, "*") && precedence(w.s, at) > 0) star = at;
        }
        if (star < 0) continue;
        for (const Span& to : terms) {
            if (to.first == from.first || !is_simple(w.s, to.first, to.last)) continue;
            std::vector<std::string> factors = analogues(w, star + 1, from.last, k);
            factors.push_back(w.s.words(star + 1, from.last));
            for (const std::string& factor : factors)
                w.replace(
                    "missing_rescale",
                    3,
                    to.first,
                    to.last,
                    fmt::format("{} * {}", w.s.words(to.first, to.last), factor)
                );
        }
    }
}

// Elements that the function reads, with another index, as a term of a whole expression.
void add_elements_alike(Writer& w, const Body& body, const Statement& st) {
    if (!st.word.empty() || !w.is_near(st.first) || !w.s.is(st.last, ";")) return;
    const int sets = assignment_of(w.s, st);
    const bool put = w.s.is(sets, "=") || w.s.is(sets, "+=");
    if (!put || !holds_real(w.s, sets + 1, st.last - 1)) return;
    const std::string e = in_brackets(w.s, sets + 1, st.last - 1);
    for (const auto& [text, from] : elements_of(w.s, body)) {
        if (!all_known(w.s, from, text, sets)) continue;
        for (const std::string& other : analogues(w, from, end_of_element(w.s, from), sets)) {
            w.replace("partial_reduction", 3, sets + 1, st.last - 1, fmt::format("{} + {}", e, other));
            w.replace("missing_rescale", 3, sets + 1, st.last - 1, fmt::format("{} * {}", e, other));
        }
    }
}

// `to.n = f(from.n, o);` of `to.n = from.n;` beside `to.x = f(from.x, o);`.
void add_calls_alike(Writer& w, const Body& body, const Statement& st) {
    const int sets = st.word.empty() && w.is_near(st.first) ? assignment_of(w.s, st) : -1;
    const Variable* const e = sets < 0 ? nullptr : variable_at(w.s, sets + 1);
    if (e == nullptr || end_of_element(w.s, sets + 1) != st.last - 1) return;
    const std::string own = w.s.words(sets + 1, st.last - 1);
    const int line = w.s.at(st.first).line;
    for (int k = body.open + 1; k < body.close; ++k) {
        const bool call = w.s.is(k + 1, "(") && w.s.at(k + 1).match > k && variable_at(w.s, k) == nullptr &&
            w.s.at(k).kind == Token::Kind::word && std::abs(w.s.at(k).line - line) <= kReach;
        const bool head = w.s.is(k, "if") || w.s.is(k, "for") || w.s.is(k, "while") || w.s.is(k, "sizeof");
        if (!call || head || (k >= st.first && k <= st.last)) continue;
        for (const Span& a : arguments_of(w.s, k + 1)) {
            const Variable* const v = variable_at(w.s, a.first);
            const bool element = v != nullptr && end_of_element(w.s, a.first) == a.last;
            const bool fits = element && (alike(*v, *e) || w.s.word(k).starts_with("__shfl"));
            if (!fits || w.s.words(a.first, a.last) == own) continue;
            const std::string behind = w.s.words(a.last + 1, w.s.at(k + 1).match);
            const std::string before =
                a.first == k + 2 ? w.s.words(k, k + 1) : w.s.words(k, a.first - 1) + " ";
            w.replace(
                "wrong_operation", 2, sets + 1, st.last - 1, fmt::format("{}{}{}", before, own, behind)
            );
        }
    }
}

const char* rule_of(const Source& s, const Statement& st) {
    for (int k = st.first; k <= st.last; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (s.is(k, "*=") || s.is(k, "/=")) return "missing_rescale";
        if (s.is(k, "+=") || s.is(k, "-=")) return "partial_reduction";
        if (s.is(k, "=")) return s.is(k - 1, "]") ? "never_written" : "stale_tile";
    }
    return "wrong_order";
}

bool is_statement_with_effect(const Source& s, const Statement& st) {
    if (!st.word.empty() || !s.is(st.last, ";") || st.body_last >= 0) return false;
    return !declares(s, st);
}

// `from[i] = from[j];` beside `key[i] = key[j];`: an array of another type, wherever the statement names it.
void add_other_arrays(const Writer& w, const Statement& other, int here, std::vector<std::string>& texts) {
    const Variable* const v = variable_at(w.s, other.first);
    if (v == nullptr || v->indirections == 0) return;
    for (const Variable* u : visible(w.s, here)) {
        const bool stands_in = u->indirections == v->indirections && u->type != v->type && !u->constant &&
            u->kind != ValueKind::other;
        if (stands_in) texts.push_back(renamed(w.s, other.first, other.last, v->name, u->name));
    }
}

// `h_out[at] = h_in[at];` of `c_out[at] = c_in[at];`: all names that differ from others in the same letters.
void add_renamed_alike(const Writer& w, const Statement& other, int here, std::vector<std::string>& texts) {
    const std::vector<const Variable*> named = variables_in(w.s, other.first, other.last),
                                       known = visible(w.s, here);
    const auto is_known = [&](const std::string& name, int indirections) {
        return std::any_of(known.begin(), known.end(), [&](const Variable* k) {
            return k->name == name && k->indirections == indirections;
        });
    };
    for (const Variable* v : named)
        for (const Variable* u : known) {
            if (u == v || u->indirections != v->indirections || u->name.size() < 2) continue;
            size_t head = 0, tail = 0;
            const size_t least = std::min(u->name.size(), v->name.size());
            while (head < least && u->name[head] == v->name[head]) ++head;
            while (tail + head < least &&
                   u->name[u->name.size() - 1 - tail] == v->name[v->name.size() - 1 - tail])
                ++tail;
            if (head + tail == 0 || (head > 0 && tail > 0)) continue;
            const std::string was = v->name.substr(head, v->name.size() - head - tail),
                              now = u->name.substr(head, u->name.size() - head - tail);
            if (was.empty() || now.empty()) continue;
            std::string text = w.s.words(other.first, other.last);
            size_t places = 0;
            for (int k = other.last; k >= other.first; --k) {
                const Variable* const p = variable_at(w.s, k);
                if (p == nullptr) continue;
                const bool fits = head > 0 ? p->name.ends_with(was) : p->name.starts_with(was);
                if (!fits) continue;
                const std::string to = head > 0 ? p->name.substr(0, p->name.size() - was.size()) + now
                                                : now + p->name.substr(was.size());
                if (!is_known(to, p->indirections)) continue;
                text.replace(w.s.at(k).begin - w.s.at(other.first).begin, p->name.size(), to), ++places;
            }
            if (places > 1) texts.insert(texts.begin(), text);
        }
}

// `sum *= old;` beside `acc *= old;`, `v[i] = v1;` beside `m[i] = m1;`: before it and behind it.
void add_statements_alike(Writer& w, const Body& body, const Statement& st) {
    const int line = w.s.at(st.first).line;
    if (!w.is_near(st.first) || !is_alone(w.s, st)) return;
    for (const Statement& other : body.statements) {
        const int away = std::abs(w.s.at(other.first).line - line);
        if (away > kReach || !is_statement_with_effect(w.s, other) || is_mark(w.s, other)) continue;
        if (!all_known(w.s, other.first, w.s.words(other.first, other.last), st.first)) continue;
        std::vector<std::string> texts = analogues(w, other.first, other.last, st.first);
        add_other_arrays(w, other, st.first, texts);
        add_renamed_alike(w, other, st.first, texts);
        // Two names exchanged at once, as `m` and `m1` for `v` and `v1`.
        const std::vector<const Variable*> named = variables_in(w.s, other.first, other.last);
        for (const Variable* v : named)
            for (const Variable* u : visible(w.s, st.first)) {
                const bool pair = v->indirections > 0 && u != v && alike(*u, *v) && !u->constant;
                const std::string was = v->name, now = u->name;
                if (!pair) continue;
                for (const Variable* p : named)
                    for (const Variable* q : visible(w.s, st.first)) {
                        const bool follows = p->name.starts_with(was) && p != v && q != p && alike(*p, *q) &&
                            q->name == now + p->name.substr(was.size());
                        if (!follows) continue;
                        const std::string first = renamed(w.s, other.first, other.last, was, now);
                        std::string both = first;
                        for (size_t at = both.find(p->name); at != both.npos;
                             at = both.find(p->name, at + q->name.size()))
                            both.replace(at, p->name.size(), q->name);
                        texts.insert(texts.begin(), both);
                    }
            }
        if (away > 2) texts.push_back(w.s.words(other.first, other.last));
        const int cost = away <= 3 ? 2 : 3;
        for (const std::string& text : texts) {
            w.insert(rule_of(w.s, other), cost, w.s.at(st.first).begin, line, text + " ");
            if (is_statement_with_effect(w.s, st))
                w.insert(rule_of(w.s, other), cost, w.s.at(st.last).end, line, " " + text);
        }
    }
}

// The same word at several places, and another for all of them.
void rename_at(
    Writer& w, const char* rule, int cost, const std::vector<int>& places, const std::string& now, int bias
) {
    Rewrite r{rule, cost, std::string(w.s.word(places.front())), now, w.s.at(places.front()).line, {}};
    for (const int k : places) r.edits.push_back({w.s.at(k).begin, r.was.size(), now});
    r.bias = bias;
    w.add(std::move(r));
}

// In one statement, wherever it stands: another variable in its place, or twice it.
void change_all(Writer& w, const Statement& st) {
    if (!w.is_near(st.first)) return;
    for (const Variable* v : variables_in(w.s, st.first, st.last)) {
        const bool real = v->kind == ValueKind::real;
        if (v->indirections > 0) continue;
        std::vector<int> places;
        for (int k = st.first; k <= st.last; ++k)
            if (variable_at(w.s, k) == v) places.push_back(k);
        if (places.size() < 2) continue;
        const auto put = [&](int cost, const std::string& now) {
            const bool whole = v->kind == ValueKind::whole;
            rename_at(w, whole ? "wrong_index" : "wrong_operand", cost, places, now, whole ? 0 : kTogether);
        };
        for (const Variable* u : visible(w.s, st.first))
            if (u != v && alike(*u, *v) && !u->of_file) {
                put(real ? 2 : 3, u->name);
                if (is_whole(*v)) put(3, fmt::format("{} * {}", u->name, v->name));
            }
        if (is_whole(*v)) put(3, "2 * " + v->name);
    }
}

// The same mistake at every place: a name that stands for another in all statements of a function.
void change_everywhere(Writer& w, const Body& body) {
    for (const Variable* v : variables_in(w.s, body.open, body.close)) {
        std::vector<int> places;
        std::set<int> lines;
        bool near = false, constant = true;
        for (int k = body.open; k < body.close; ++k) {
            if (variable_at(w.s, k) != v || v->from == k) continue;
            places.push_back(k), lines.insert(w.s.at(k).line);
            near = near || w.is_near(k);
            const bool assigned = is_assignment(w.s, k + 1);
            constant = constant && !assigned;
        }
        if (!near || !constant || lines.size() < 2 || v->kind == ValueKind::other) continue;
        size_t taken = 0;
        for (const Variable* u : visible(w.s, places.front())) {
            if (u == v || !alike(*u, *v) || (u->of_file && !v->of_file) || ++taken > kMostNames) continue;
            rename_at(w, "wrong_operand", 3, places, u->name, 0);
        }
    }
}

// `vec(a), vec(b)` for `point(a), point(b)`: another function of the file that takes as many, for one call
// and for all of the statement.
void call_another(Writer& w, const Statement& st) {
    if (!w.is_near(st.first)) return;
    const auto arity = [&](int name) { return arguments_of(w.s, name + 1).size(); };
    for (const Body& callee : w.s.bodies) {
        const int was = name_of(w.s, callee);
        std::vector<int> places;
        for (int k = st.first; k <= st.last && was >= 0; ++k)
            if (w.s.word(k) == w.s.word(was) && w.s.is(k + 1, "(")) places.push_back(k);
        if (places.empty() || arity(was) < 1) continue;
        for (const Body& other : w.s.bodies) {
            const int now = name_of(w.s, other);
            if (now < 0 || w.s.word(now) == w.s.word(was) || arity(now) != arity(was)) continue;
            const std::string name(w.s.word(now));
            for (const int k : places) w.replace("wrong_operation", 2, k, k, name);
            if (places.size() > 1) rename_at(w, "wrong_operation", 2, places, name, kTogether);
        }
    }
}

// `__shfl_xor_sync` for every `__shfl_down_sync` of a function that has several.
void change_shuffles(Writer& w, const Body& body) {
    constexpr std::array<std::string_view, 4> kShuffles = {
        "__shfl_xor_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_sync"};
    for (const std::string_view was : kShuffles) {
        std::vector<int> places;
        for (int k = body.open; k < body.close; ++k)
            if (w.s.is(k, was)) places.push_back(k);
        if (places.size() < 2) continue;
        for (const std::string_view now : kShuffles)
            if (now != was) rename_at(w, "wrong_operation", 1, places, std::string(now), kTogether);
    }
}

}  // namespace

void add_analogies(Writer& w) {
    for (const Body& body : w.s.bodies) change_everywhere(w, body), change_shuffles(w, body);
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st)) continue;
            add_statements_alike(w, body, st);
            add_elements_alike(w, body, st);
            add_calls_alike(w, body, st);
            change_all(w, st);
            call_another(w, st);
        }
    for_each_token(w, [&](int k, const Body&) { add_terms_alike(w, k), add_factors_alike(w, k); });
}

}  // namespace wl::diagnosis::rewrite
