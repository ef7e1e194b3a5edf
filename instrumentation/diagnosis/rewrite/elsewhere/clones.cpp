// Two blocks of a function that were made of one text: a statement that one of them lacks, or did not change
// with the others (Li and others, "CP-Miner", OSDI 2004).
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMostStatements = 12;  // of a block
constexpr int kReach = 24;              // lines between two blocks

using Block = std::vector<const Statement*>;

// The plain statements that a head governs itself.
Block block_of(const Source& s, const Body& body, const Statement& head) {
    Block out;
    for (const Statement& st : body.statements) {
        const bool inside = st.first > head.last && st.last <= head.body_last;
        const bool within = std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& o) {
            return o.body_last >= 0 && o.first > head.last && o.last < st.first && st.first <= o.body_last;
        });
        if (inside && !within && st.body_last < 0 && s.is(st.last, ";") && !is_mark(s, st))
            out.push_back(&st);
    }
    return out;
}

int length_of(const Statement& st) { return st.last - st.first + 1; }

// Word by word: what differs are names, numbers and signs in few places.
bool reads_alike(const Source& s, const Statement& a, const Statement& b) {
    if (length_of(a) != length_of(b) || a.word != b.word) return false;
    int same = 0;
    for (int k = 0; k < length_of(a); ++k) {
        if (s.at(a.first + k).kind != s.at(b.first + k).kind) return false;
        same += s.word(a.first + k) == s.word(b.first + k) ? 1 : 0;
    }
    return 2 * same >= length_of(a);
}

using Pair = std::pair<const Statement*, const Statement*>;

// In order, the longest such row of pairs.
std::vector<Pair> aligned(const Source& s, const Block& a, const Block& b) {
    std::vector<std::vector<int>> most(a.size() + 1, std::vector<int>(b.size() + 1));
    for (size_t i = a.size(); i-- > 0;)
        for (size_t j = b.size(); j-- > 0;)
            most[i][j] = reads_alike(s, *a[i], *b[j]) ? most[i + 1][j + 1] + 1
                                                      : std::max(most[i + 1][j], most[i][j + 1]);
    std::vector<Pair> out;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (reads_alike(s, *a[i], *b[j]))
            out.emplace_back(a[i++], b[j++]);
        else
            most[i + 1][j] >= most[i][j + 1] ? ++i : ++j;
    }
    return out;
}

// What one block says for the other's: a name anywhere, a sign or number between the same neighbours.
struct Mapping {
    std::map<std::string, std::map<std::string, int>> names;
    std::map<std::string, std::string> between;  // "i - s" to "+"
};

std::string around(const Source& s, int k) { return s.words(k - 1, k + 1); }

Mapping mapping_of(const Source& s, const std::vector<Pair>& pairs, const Statement* without) {
    Mapping out;
    for (const auto& [a, b] : pairs) {
        if (a == without) continue;
        for (int k = 0; k < length_of(*a); ++k) {
            const int from = a->first + k, to = b->first + k;
            if (s.at(from).kind == Token::Kind::word)
                ++out.names[std::string(s.word(from))][std::string(s.word(to))];
            else if (s.word(from) != s.word(to))
                out.between.emplace(around(s, from), s.word(to));
        }
    }
    return out;
}

// What most places say for the name.
std::string mapped(const Mapping& by, const std::string& name) {
    const auto found = by.names.find(name);
    if (found == by.names.end()) return name;
    const auto most =
        std::max_element(found->second.begin(), found->second.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    return most->first;
}

std::string mapped(const Source& s, const Statement& st, const Mapping& by) {
    std::string out;
    size_t at = s.at(st.first).begin;
    for (int k = st.first; k <= st.last; ++k) {
        std::string word(s.word(k));
        if (s.at(k).kind == Token::Kind::word) {
            word = mapped(by, word);
        } else if (const auto found = by.between.find(around(s, k)); found != by.between.end()) {
            word = found->second;
        }
        out += s.text.substr(at, s.at(k).begin - at) + word;
        at = s.at(k).end;
    }
    return out;
}

const char* rule_of(const Source& s, const Statement& st) {
    const int sets = assignment_of(s, st);
    if (sets < 0) return "wrong_order";
    if (s.is(sets, "*=") || s.is(sets, "/=")) return "missing_rescale";
    if (!s.is(sets, "=")) return "partial_reduction";
    return s.is(sets - 1, "]") ? "never_written" : "stale_tile";
}

// Behind the twin of the statement before it; of the first one before the first.
void put_missing(
    Writer& w, const Block& from, const std::vector<Pair>& pairs, size_t k, const std::string& text
) {
    constexpr int kCost = 2;
    const Statement* behind = nullptr;
    for (size_t i = 0; i < k; ++i)
        for (const auto& [a, b] : pairs)
            if (a == from[i]) behind = b;
    const char* const rule = rule_of(w.s, *from[k]);
    if (behind != nullptr)
        put_behind(w, 0, rule, behind->last, text, kCost);
    else
        put_before(w, 0, rule, pairs.front().second->first, text, kCost);
}

void complete(Writer& w, const Block& from, const Block& to) {
    const std::vector<Pair> pairs = aligned(w.s, from, to);
    const bool twins = pairs.size() >= 2 && 2 * pairs.size() >= std::min(from.size(), to.size());
    if (!twins) return;
    const auto stands = [&](const std::string& text) {
        return std::any_of(to.begin(), to.end(), [&](const Statement* st) {
            return w.s.words(st->first, st->last) == text;
        });
    };
    for (size_t k = 0; k < from.size(); ++k) {
        const auto twin =
            std::find_if(pairs.begin(), pairs.end(), [&](const Pair& p) { return p.first == from[k]; });
        const bool has = twin != pairs.end();
        const std::string text = mapped(w.s, *from[k], mapping_of(w.s, pairs, has ? from[k] : nullptr));
        if (stands(text)) continue;
        if (has)
            w.replace("wrong_operand", 2, twin->second->first, twin->second->last, text);
        else if (!declares(w.s, *from[k]))
            put_missing(w, from, pairs, k, text);
    }
}

}  // namespace

void add_clones(Writer& w) {
    for (const Body& body : w.s.bodies) {
        std::vector<std::pair<const Statement*, Block>> blocks;
        for (const Statement& st : body.statements) {
            if (st.body_last < 0) continue;
            Block block = block_of(w.s, body, st);
            if (block.size() >= 2 && block.size() <= kMostStatements)
                blocks.emplace_back(&st, std::move(block));
        }
        for (const auto& [a, from] : blocks)
            for (const auto& [b, to] : blocks) {
                const bool apart = a->body_last < b->first || b->body_last < a->first;
                const bool close = std::abs(w.s.at(a->first).line - w.s.at(b->first).line) <= kReach;
                const bool near = std::any_of(to.begin(), to.end(), [&](const Statement* st) {
                    return w.is_near(st->first);
                });
                if (apart && close && near) complete(w, from, to);
            }
    }
}

}  // namespace wl::diagnosis::rewrite
