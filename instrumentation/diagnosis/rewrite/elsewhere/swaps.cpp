// What stands in one statement belongs in the next and the other way round; neighbours in a table of numbers.
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

void exchange(Rewrite& r, const Source& s, int a, int b) {
    const std::string first(s.word(a)), second(s.word(b));
    r.edits.push_back({s.at(a).begin, first.size(), second});
    r.edits.push_back({s.at(b).begin, second.size(), first});
}

// Of one shape: what differs are names and numbers.
bool reads_alike(const Source& s, const Statement& a, const Statement& b) {
    if (a.last - a.first != b.last - b.first) return false;
    for (int k = 0; k <= a.last - a.first; ++k) {
        const Token::Kind kind = s.at(a.first + k).kind;
        if (kind != s.at(b.first + k).kind) return false;
        if (kind == Token::Kind::sign && s.word(a.first + k) != s.word(b.first + k)) return false;
    }
    return true;
}

// `f(x[2], x[8]); g(x[3], x[9]);` of `f(x[2], x[9]); g(x[3], x[8]);`: one place of each.
void exchange_between(Writer& w, const Statement& a, const Statement& b) {
    const int line = w.s.at(a.first).line;
    std::vector<int> differ;
    for (int k = 0; k <= a.last - a.first; ++k)
        if (w.s.word(a.first + k) != w.s.word(b.first + k)) differ.push_back(k);
    if (differ.size() < 2) return;  // all that differs: the statements themselves in the other order
    for (const int k : differ) {
        const int one = a.first + k, other = b.first + k;
        const Variable *const u = variable_at(w.s, one), *const v = variable_at(w.s, other);
        const bool numbers = w.s.at(one).kind == Token::Kind::number;
        const bool names =
            u != nullptr && v != nullptr && u->from != one && v->from != other && alike(*u, *v);
        if (!numbers && !names) continue;
        Rewrite r{
            numbers ? "wrong_index" : "wrong_operand",
            1,
            fmt::format("{}, {}", w.s.word(one), w.s.word(other)),
            fmt::format("{}, {}", w.s.word(other), w.s.word(one)),
            line,
            {}};
        exchange(r, w.s, one, other);
        w.add(std::move(r));
    }
}

// `{0, 3, 4, ...}`: the tokens of its numbers; empty: it is no table of these.
std::vector<int> table_at(const Source& s, int open) {
    constexpr size_t kLeast = 4, kMost = 32;
    const int close = s.is(open, "{") && s.is(open - 1, "=") ? s.at(open).match : -1;
    std::vector<int> out;
    for (int k = open + 1; k < close; ++k) {
        if (s.is(k, ",") || s.is(k, "-") || s.is(k, "{") || s.is(k, "}")) continue;
        if (s.at(k).kind != Token::Kind::number) return {};
        if (s.is(k - 1, "-")) return {};
        out.push_back(k);
    }
    if (out.size() < kLeast || out.size() > kMost) out.clear();
    return out;
}

void add_exchanges_in(Writer& w, const std::vector<int>& table) {
    constexpr int kOnce = 2, kTwice = 3;  // as Rewrite::cost
    const auto put = [&](int cost, const std::vector<size_t>& at) {
        const int first = table[at.front()], last = table[at.back() + 1];
        Rewrite r{"wrong_constant", cost, w.s.words(first, last), "", w.s.at(first).line, {}};
        for (const size_t k : at) {
            if (w.s.word(table[k]) == w.s.word(table[k + 1])) return;
            exchange(r, w.s, table[k], table[k + 1]);
        }
        const size_t begin = w.s.at(first).begin;
        r.now = r.was;
        for (size_t k = r.edits.size(); k-- > 0;)
            r.now.replace(r.edits[k].begin - begin, r.edits[k].length, r.edits[k].text);
        w.add(std::move(r));
    };
    for (size_t k = 0; k + 1 < table.size(); ++k) {
        put(kOnce, {k});
        for (size_t other = k + 2; other + 1 < table.size(); ++other) put(kTwice, {k, other});
    }
}

}  // namespace

void add_swaps(Writer& w) {
    constexpr int kReach = 3;  // lines
    for (const Body& body : w.s.bodies)
        for (size_t a = 0; a < body.statements.size(); ++a)
            for (size_t b = a + 1; b < body.statements.size(); ++b) {
                const Statement &one = body.statements[a], &other = body.statements[b];
                if (w.s.at(other.first).line - w.s.at(one.first).line > kReach) break;
                const bool plain = w.s.is(one.last, ";") && w.s.is(other.last, ";") && one.last < other.first;
                const bool near = w.is_near(one.first) || w.is_near(other.first);
                if (plain && near && !is_mark(w.s, one) && reads_alike(w.s, one, other))
                    exchange_between(w, one, other);
            }
    for (int k = 1; k < w.s.count(); ++k)
        if (!w.s.at(k).directive && w.is_near(k))
            if (const std::vector<int> table = table_at(w.s, k); !table.empty()) add_exchanges_in(w, table);
}

}  // namespace wl::diagnosis::rewrite
