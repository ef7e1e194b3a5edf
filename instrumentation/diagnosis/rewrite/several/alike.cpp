// The same mistake at each of a few pieces that read alike: `d.x -= rintf(d.x / box.x);` and the like of y
// and z, the arguments of a call, what one declaration sets.
#include "instrumentation/diagnosis/rewrite/several/alike.h"

#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace wl::diagnosis::rewrite {

namespace {

constexpr int kLess = 12;          // a log prior: several places beside one
constexpr size_t kMost = 900;      // changes
constexpr size_t kMostPieces = 4;  // of a group
constexpr int kNear = 12;          // lines from one piece to the next
constexpr int kLeast = 5;          // tokens of a statement or expression: shorter ones read alike by chance
constexpr int kLeastBeside = 3;    // of what stands between commas

struct Piece {
    int first = 0, last = 0;  // tokens
    bool part = false;        // of a statement
    bool beside = false;      // between the commas of others
};
using Group = std::vector<Piece>;

// "w.w-=w.w*(w)(w.w/w.w)": names and numbers apart, everything else as it stands.
std::string shape_of(const Source& s, const Piece& p) {
    std::string out;
    for (int k = p.first; k <= p.last; ++k) {
        const Token::Kind kind = s.at(k).kind;
        out += kind == Token::Kind::word  ? std::string("w")
            : kind == Token::Kind::number ? "n"
                                          : std::string(s.word(k));
        out += ' ';
    }
    return out;
}

// "d", "x" of the token `d.x`.
std::vector<std::string> parts_of(std::string_view token) {
    std::vector<std::string> out(1);
    for (const char c : token)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
            out.back() += c;
        else if (!out.back().empty())
            out.emplace_back();
    return out;
}

// "mx" and "my": all but one letter are the same.
bool is_other_axis(const std::string& a, const std::string& b) {
    int other = 0;
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) other += a[k] != b[k] ? 1 : 0;
    return a.size() == b.size() && other == 1;
}

int length_of(const Piece& p) { return p.last - p.first + 1; }

// Which name of one stands for which of the other; nothing where one stands for two, or all are others. Short
// ones have to be the same, word by word.
std::optional<std::map<std::string, std::string>> names_of(const Source& s, const Piece& a, const Piece& b) {
    std::map<std::string, std::string> out;
    const bool copied = a.part == b.part && (a.part || length_of(a) >= kLeast);
    if (copied && s.words(a.first, a.last) == s.words(b.first, b.last)) return out;
    if (!a.beside && length_of(a) < kLeast) return std::nullopt;
    int same = 0, other = 0;
    for (int k = 0; k <= a.last - a.first; ++k) {
        if (s.at(a.first + k).kind == Token::Kind::sign) continue;
        if (s.at(a.first + k).kind == Token::Kind::number) {
            (s.word(a.first + k) == s.word(b.first + k) ? same : other) += 1;
            continue;
        }
        const std::vector<std::string> from = parts_of(s.word(a.first + k)),
                                       to = parts_of(s.word(b.first + k));
        if (from.size() != to.size()) return std::nullopt;
        for (size_t part = 0; part < from.size(); ++part) {
            const auto [known, fresh] = out.emplace(from[part], to[part]);
            if (!fresh && known->second != to[part]) return std::nullopt;
            (from[part] == to[part] ? same : other) += 1;
        }
    }
    const bool axes = std::all_of(out.begin(), out.end(), [](const auto& names) {
        return names.first == names.second || is_other_axis(names.first, names.second);
    });
    const int fewest = a.beside && b.beside && axes ? 0 : a.part && b.part ? 1 : 2;
    return other > 0 && same >= fewest ? std::optional(std::move(out)) : std::nullopt;
}

// Between the commas of a pair of brackets, or of a declaration.
void add_between_commas(const Source& s, int first, int last, std::vector<Piece>& out) {
    int from = first;
    std::vector<Piece> pieces;
    for (int k = first; k <= last; ++k) {
        const bool opens = s.is(k, "(") || s.is(k, "{") || s.is(k, "[");
        if (opens && s.at(k).match > k && s.at(k).match <= last) k = s.at(k).match;
        if (!s.is(k, ",")) continue;
        pieces.push_back({from, k - 1, true, true});
        from = k + 1;
    }
    pieces.push_back({from, last, true, true});
    if (pieces.size() > 1) out.insert(out.end(), pieces.begin(), pieces.end());
}

// `2 * g` counts where its statement says it once more.
bool is_short(const Source& s, const Body& body, const Piece& p, const std::vector<Piece>& all) {
    if (p.beside || length_of(p) >= kLeast) return false;
    const Statement* const st = statement_of(body, p.first);
    return !p.part || std::none_of(all.begin(), all.end(), [&](const Piece& o) {
        return o.first != p.first && o.part && statement_of(body, o.first) == st &&
            s.words(o.first, o.last) == s.words(p.first, p.last);
    });
}

std::vector<Piece> pieces_of(const Source& s, const Body& body) {
    std::vector<Piece> out;
    for (const Statement& st : body.statements) {
        if (is_mark(s, st)) continue;
        out.push_back({st.first, st.last});
        const int sets = assignment_of(s, st);
        if (declares(s, st) && sets > 0) add_between_commas(s, sets - 1, st.last - 1, out);
        for (int k = st.first; k <= st.last; ++k) {
            if (precedence(s, k) > 0 && !is_template_angle(s, k)) {
                const Operands o = operands_of(s, k);
                if (o.left >= st.first && o.right < st.last) out.push_back({o.left, o.right, true});
            }
            if ((s.is(k, "(") || s.is(k, "{")) && s.at(k).match > k + 1 && s.at(k).match <= st.last)
                add_between_commas(s, k + 1, s.at(k).match - 1, out);
        }
    }
    const std::vector<Piece> all = out;
    std::erase_if(out, [&](const Piece& p) {
        return length_of(p) < kLeastBeside || is_short(s, body, p, all);
    });
    // An argument that is a sum is one piece.
    std::stable_sort(out.begin(), out.end(), [](const Piece& a, const Piece& b) {
        return std::tuple(a.first, a.last, !a.beside) < std::tuple(b.first, b.last, !b.beside);
    });
    const auto same = [](const Piece& a, const Piece& b) { return a.first == b.first && a.last == b.last; };
    out.erase(std::unique(out.begin(), out.end(), same), out.end());
    return out;
}

// Of pieces that read alike those that stand near each other.
std::vector<Group> groups_of(const Source& s) {
    std::vector<Group> out;
    for (const Body& body : s.bodies) {
        std::map<std::string, Group> by_shape;
        for (const Piece& p : pieces_of(s, body)) {
            const bool own = !p.beside && length_of(p) < kLeast;  // of its statement alone
            const std::string place = own ? std::to_string(statement_of(body, p.first)->first) : "";
            by_shape[place + shape_of(s, p)].push_back(p);
        }
        for (auto& [shape, all] : by_shape) {
            std::sort(all.begin(), all.end(), [](const Piece& a, const Piece& b) {
                return a.first < b.first;
            });
            Group near;
            const auto close = [&] {
                if (near.size() > 1 && near.size() <= kMostPieces) out.push_back(near);
                near.clear();
            };
            for (const Piece& p : all) {
                const bool apart = !near.empty() &&
                    (s.at(p.first).line - s.at(near.back().last).line > kNear ||
                     p.first <= near.back().last || !names_of(s, near.front(), p));
                if (apart) close();
                near.push_back(p);
            }
            close();
        }
    }
    return out;
}

std::string renamed(const std::string& text, const std::map<std::string, std::string>& names) {
    std::string out;
    for (size_t k = 0; k < text.size();) {
        const auto is_of_name = [&](size_t i) {
            return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
        };
        size_t end = k;
        while (end < text.size() && is_of_name(end)) ++end;
        const std::string word = text.substr(k, std::max<size_t>(end - k, 1));
        const auto known = names.find(word);
        out += known == names.end() ? word : known->second;
        k += word.size();
    }
    return out;
}

// The token that begins at the offset, or (`ends`) ends there; -1: none of the piece.
int token_at(const Source& s, const Piece& p, size_t offset, bool ends) {
    for (int k = p.first; k <= p.last; ++k)
        if ((ends ? s.at(k).end : s.at(k).begin) == offset) return k;
    return -1;
}

// The edit of one piece as one of another.
std::optional<Edit> moved(
    const Source& s,
    const Edit& e,
    const Piece& from,
    const Piece& to,
    const std::map<std::string, std::string>& names
) {
    const auto there = [&](int token) { return s.at(to.first + token - from.first); };
    int first = token_at(s, from, e.begin, false);
    if (e.length == 0 && first < 0) {
        first = token_at(s, from, e.begin, true);
        return first < 0 ? std::nullopt : std::optional(Edit{there(first).end, 0, renamed(e.text, names)});
    }
    if (first < 0) return std::nullopt;
    if (e.length == 0) return Edit{there(first).begin, 0, renamed(e.text, names)};
    const int last = token_at(s, from, e.begin + e.length, true);
    if (last < first) return std::nullopt;
    return Edit{there(first).begin, there(last).end - there(first).begin, renamed(e.text, names)};
}

// With the same at all other pieces of the group; nothing where it cannot be done there.
std::optional<Rewrite> at_all(const Source& s, const Rewrite& one, const Group& group) {
    Rewrite out = one;
    for (size_t k = 1; k < group.size(); ++k) {
        const auto names = names_of(s, group.front(), group[k]);
        for (const Edit& e : one.edits) {
            auto other = names ? moved(s, e, group.front(), group[k], *names) : std::nullopt;
            if (!other) return std::nullopt;
            const std::string was = s.text.substr(other->begin, other->length);
            if (other->text == was) return std::nullopt;
            out.besides.push_back({was, renamed(one.now, *names), s.at(group[k].first).line});
            out.edits.push_back(std::move(*other));
        }
    }
    std::sort(out.edits.begin(), out.edits.end(), [](const Edit& a, const Edit& b) {
        return a.begin < b.begin;
    });
    for (size_t k = 1; k < out.edits.size(); ++k)
        if (out.edits[k - 1].begin + out.edits[k - 1].length > out.edits[k].begin) return std::nullopt;
    const Piece &a = group.front(), &b = group.back();
    const bool twice = s.words(a.first, a.last) == s.words(b.first, b.last);  // one word, said again
    out.log_prior -= twice ? 0 : kLess;
    // A centre is one along all axes.
    constexpr int kCentre = 30;
    if (one.now.ends_with(" + 0.5f)")) out.log_prior += kCentre;
    return out;
}

}  // namespace

std::vector<Rewrite> alike_of(const Source& s, const Rewrite& one) {
    std::vector<Rewrite> out;
    if (one.edits.size() != 1 || !one.besides.empty()) return out;
    const Edit& e = one.edits.front();
    for (Group group : groups_of(s)) {
        const auto holds = std::find_if(group.begin(), group.end(), [&](const Piece& p) {
            const size_t begin = s.at(p.first).begin, end = s.at(p.last).end;
            return e.begin >= begin && e.begin + e.length <= end && (e.length > 0 || e.begin > begin);
        });
        if (holds == group.end()) continue;
        std::rotate(group.begin(), holds, holds + 1);
        if (auto together = at_all(s, one, group)) out.push_back(std::move(*together));
    }
    return out;
}

void add_alike(const Source& s, std::vector<Rewrite>& all) {
    const std::vector<Group> groups = groups_of(s);
    std::vector<Rewrite> out;
    for (const Group& group : groups) {
        const size_t begin = s.at(group.front().first).begin, end = s.at(group.front().last).end;
        for (const Rewrite& r : all) {
            const bool within = r.edits.size() == 1 && r.besides.empty() && r.edits.front().begin >= begin &&
                r.edits.front().begin + r.edits.front().length <= end &&
                (r.edits.front().length > 0 || r.edits.front().begin > begin);
            if (!within) continue;
            if (auto together = at_all(s, r, group)) out.push_back(std::move(*together));
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const Rewrite& a, const Rewrite& b) {
        return score(a) < score(b);
    });
    if (out.size() > kMost) out.resize(kMost);
    all.insert(all.end(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
}

}  // namespace wl::diagnosis::rewrite
