// Words in trigrams that stand elsewhere, and names that are used nowhere else.
#include "instrumentation/diagnosis/rewrite/likely.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace wl::diagnosis::rewrite {

namespace {

// What tells likely changes from others, and what each is worth: fitted with the log priors of the kinds
// (log_priors.cpp).
struct Signs {
    double known = 0,
           was_known = 0;  // shares of trigrams that stand elsewhere, of the new words and of the old
    int uses_at_last = 0, uses_no_more = 0;
    int constants_no_more = 0;  // of the file: what is wrong is what they are
    int more_words = 0, less_words = 0;
    bool alike = false;     // one name for another that reads nearly so
    bool in_idiom = false;  // a part of what programs say as it stands
    bool speaks = false;    // of what its statement names, and what was there does not
};

double worth(const Signs& s, const Rewrite& r) {
    constexpr double kKnown = 29, kWasKnown = -25, kUsesAtLast = 29, kUsesNoMore = -6, kMore = -13, kLess = 7,
                     kSeveral = -17, kPutIn = -3, kAlike = 8, kConstant = -20, kInIdiom = -40, kSpeaks = 14;
    constexpr int kMost = 2;  // names that count
    return kKnown * s.known + kWasKnown * s.was_known + kUsesAtLast * std::min(s.uses_at_last, kMost) +
        kUsesNoMore * std::min(s.uses_no_more, kMost) + kConstant * std::min(s.constants_no_more, 1) +
        kMore * std::log1p(s.more_words) + kLess * std::log1p(s.less_words) +
        (r.edits.size() > 1 ? kSeveral : 0) + (r.was.empty() ? kPutIn : 0) + (s.alike ? kAlike : 0) +
        (s.in_idiom ? kInIdiom : 0) + (s.speaks ? kSpeaks : 0);
}

// `beta1` and `beta2`, `c_out` and `h_out`: of three letters or more, all but one of them.
bool read_alike(std::string_view a, std::string_view b) {
    constexpr size_t kLeast = 3;
    if (a.size() != b.size() || a.size() < kLeast || a.find_first_of(" ()[]+*/") != a.npos) return false;
    size_t differ = 0;
    for (size_t k = 0; k < a.size(); ++k) differ += a[k] != b[k] ? 1 : 0;
    return differ == 1 && (std::isalpha(static_cast<unsigned char>(a.front())) != 0);
}

// Of `max_target` "max" and "target".
std::vector<std::string_view> parts_of(std::string_view name) {
    constexpr size_t kLeast = 4;
    std::vector<std::string_view> out;
    for (size_t at = 0; at < name.size();) {
        const size_t end = std::min(name.find('_', at), name.size());
        if (end - at >= kLeast) out.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

// `max_target` for `max_query` where `target` and `targets` are named: a part of the one name stands in
// another name of the statement, and no part of the other does.
bool speaks_of(const Source& s, const Rewrite& r) {
    if (r.edits.size() != 1 || words_of(r.now).size() != 1 || words_of(r.was).size() != 1) return false;
    const size_t at = r.edits.front().begin;
    const auto in = [&](const Body& b) { return s.at(b.open).begin < at && at < s.at(b.close).begin; };
    const auto body = std::find_if(s.bodies.begin(), s.bodies.end(), in);
    if (body == s.bodies.end()) return false;
    const auto st = std::find_if(body->statements.begin(), body->statements.end(), [&](const Statement& o) {
        return s.at(o.first).begin <= at && at < s.at(o.last).end;
    });
    if (st == body->statements.end()) return false;
    const auto is_named = [&](std::string_view part) {
        for (int k = st->first; k <= st->last; ++k)
            if (s.at(k).begin != at && s.word(k).find(part) != std::string_view::npos) return true;
        return false;
    };
    const auto named = [&](std::string_view name) {
        const std::vector<std::string_view> parts = parts_of(name);
        return std::any_of(parts.begin(), parts.end(), is_named);
    };
    return named(r.now) && !named(r.was);
}

using Words = std::vector<std::string_view>;

size_t hash_of(std::string_view a, std::string_view b, std::string_view c) {
    const std::hash<std::string_view> h;
    size_t out = h(a);
    out = out * 1000003 ^ h(b);
    return out * 1000003 ^ h(c);
}

struct Text {
    const Source& s;
    std::unordered_map<size_t, int> trigrams;  // how often

    std::string_view word(int k) const { return k < 0 || k >= s.count() ? std::string_view() : s.word(k); }
    size_t three(int k) const { return hash_of(word(k), word(k + 1), word(k + 2)); }
};

Text read(const Source& s) {
    Text out{s, {}};
    for (int k = -2; k < s.count(); ++k) ++out.trigrams[out.three(k)];
    return out;
}

// The first token that begins at this offset or behind it.
int token_from(const Source& s, size_t offset) {
    const auto at = std::lower_bound(s.tokens.begin(), s.tokens.end(), offset, [](const Token& t, size_t o) {
        return t.begin < o;
    });
    return static_cast<int>(at - s.tokens.begin());
}

void look_at_threes(const Text& text, const Rewrite& r, Signs& out) {
    int known = 0, all = 0, was_known = 0, was_all = 0;
    for (const Edit& e : r.edits) {
        const int first = token_from(text.s, e.begin), end = token_from(text.s, e.begin + e.length);
        Words now = {text.word(first - 2), text.word(first - 1)};
        for (const std::string_view w : words_in(text.s, e.text)) now.push_back(w);
        now.push_back(text.word(end)), now.push_back(text.word(end + 1));
        std::vector<size_t> gone;
        for (int k = first - 2; k < end; ++k) gone.push_back(text.three(k));
        for (const size_t three : gone)
            was_known += text.trigrams.at(three) > std::count(gone.begin(), gone.end(), three) ? 1 : 0,
                ++was_all;
        out.more_words += static_cast<int>(now.size()) - 4, out.less_words += end - first;
        for (size_t k = 0; k + 2 < now.size(); ++k) {
            const size_t three = hash_of(now[k], now[k + 1], now[k + 2]);
            const auto found = text.trigrams.find(three);
            const auto own = std::count(gone.begin(), gone.end(), three);
            known += found != text.trigrams.end() && found->second > own ? 1 : 0;
            ++all;
        }
    }
    out.known = all == 0 ? 1 : static_cast<double>(known) / all;
    out.was_known = was_all == 0 ? 1 : static_cast<double>(was_known) / was_all;
}

// What programs say as it stands, by offsets in the text.
struct Idiom {
    size_t begin = 0, end = 0;
    bool whole = false;  // as a whole it is hardly wrong either
};

// `(a + n - 1) / n`, from its bracket to its end.
void add_rounded_up(const Source& s, std::vector<Idiom>& out) {
    for (int k = 1; k + 1 < s.count(); ++k) {
        const int close = k - 1, open = s.is(k, "/") && s.is(close, ")") ? s.at(close).match : -1;
        if (open < 0 || precedence(s, k) == 0) continue;
        const int last = operands_of(s, k).right;
        const std::string tail = "+ " + s.words(k + 1, last) + " - 1";
        if (s.words(open + 1, close - 1).ends_with(tail)) out.push_back({s.at(open).begin, s.at(last).end});
    }
}

// `h ^= h >> 15`, `h ^ (h >> 16)`, `h *= 0x7feb352du`: any other number mixes bits as well, and what they
// fall on is right or wrong by chance.
void add_mixed(const Source& s, std::vector<Idiom>& out) {
    constexpr size_t kLong = 8;  // characters of a factor
    for (int k = 1; k + 1 < s.count(); ++k) {
        const bool sets = s.is(k, "^=") || s.is(k, "*=");
        if (!sets && (!s.is(k, "^") || precedence(s, k) == 0)) continue;
        const int first = sets ? k - 1 : operands_of(s, k).left;
        const int last = sets ? end_of_expression(s, k + 1) : operands_of(s, k).right;
        const bool factor = s.word(k + 1).starts_with("0x") && s.word(k + 1).size() >= kLong;
        if (s.is(k, "*=") ? factor : says(s, k + 1, last, ">>") || says(s, k + 1, last, "<<"))
            out.push_back({s.at(first).begin, s.at(sets ? last + 1 : last).end, true});
    }
}

bool is_in_one(const std::vector<Idiom>& all, const Rewrite& r) {
    return std::any_of(r.edits.begin(), r.edits.end(), [&](const Edit& e) {
        return std::any_of(all.begin(), all.end(), [&](const Idiom& idiom) {
            const bool part = e.length < idiom.end - idiom.begin && e.begin != idiom.end;
            return e.begin >= idiom.begin && e.begin + e.length <= idiom.end && (part || idiom.whole);
        });
    });
}

// How often a function's text, its head included, names what.
using Uses = std::map<std::string_view, int, std::less<>>;
struct Function {
    size_t begin = 0, end = 0;
    Uses uses;
};

std::vector<Function> functions_of(const Source& s) {
    std::vector<Function> out;
    for (const Body& b : s.bodies) {
        int first = b.open;
        while (first > 0 && !s.is(first - 1, ";") && !s.is(first - 1, "}")) --first;
        Function f{s.at(first).begin, s.at(b.close).end, {}};
        for (int k = first; k <= b.close; ++k)
            if (s.at(k).kind == Token::Kind::word && !s.is(k - 1, ".")) ++f.uses[s.word(k)];
        out.push_back(std::move(f));
    }
    return out;
}

const Statement* loop_of(const Source& s, const Variable& v) {
    for (const Body& body : s.bodies)
        if (v.from > body.open && v.from < body.close) return loop_of(body, v);
    return nullptr;
}

// How often each variable is named where it is known, its declaration with it; in the order of s.variables. A
// loop counts with its variable: what its body makes of that is what is asked for.
std::vector<int> namings_of(const Source& s) {
    std::vector<int> out(s.variables.size());
    std::vector<const Statement*> loops;
    for (const Variable& v : s.variables) loops.push_back(loop_of(s, v));
    for (int k = 0; k < s.count(); ++k) {
        const Variable* const v = variable_at(s, k);
        if (v == nullptr) continue;
        const auto at = static_cast<size_t>(v - s.variables.data());
        const Statement* const loop = loops[at];
        const bool in_head = loop != nullptr && k >= loop->first && k <= loop->last && k != v->from;
        if (!in_head) ++out[at];
    }
    // A member is named by functions that have the struct by another name.
    std::map<std::string_view, int> of_members;
    for (int k = 0; k < s.count(); ++k) ++of_members[member_of(s.word(k))];
    for (size_t k = 0; k < out.size(); ++k) {
        const Variable& v = s.variables[k];
        if (is_member(v)) out[k] = of_members[member_of(v.name)];
        out[k] += v.from >= 0 ? 1 : 0;
    }
    return out;
}

struct Namings {
    const Source& s;
    std::vector<Function> functions;
    std::vector<int> of_variables;
};

// What it uses that nobody did, and what nobody uses behind it.
void look_at_uses(const Namings& all, const Rewrite& r, Signs& out) {
    const Source& s = all.s;
    const std::vector<Function>& functions = all.functions;
    if (r.edits.empty()) return;
    const size_t at = r.edits.front().begin;
    const auto f = std::find_if(functions.begin(), functions.end(), [&](const Function& o) {
        return at >= o.begin && at < o.end;
    });
    if (f == functions.end()) return;
    Uses more;
    for (const Edit& e : r.edits) {
        for (const std::string_view w : words_in(s, e.text)) ++more[w];
        const std::string_view was = std::string_view(s.code).substr(e.begin, e.length);
        for (const std::string_view w : words_in(s, was)) --more[w];
    }
    const int here = token_from(s, at);
    const auto variable_of = [&](std::string_view name) {
        const Variable* found = nullptr;
        for (const Variable& v : s.variables)
            if (v.name == name && v.from < here && v.to > here) found = &v;
        return found;
    };
    for (const auto& [name, n] : more) {
        const auto in_function = f->uses.find(name);
        const Variable* const v = variable_of(name);
        if (v == nullptr) continue;
        const bool names = in_function != f->uses.end();
        const int anywhere = all.of_variables[static_cast<size_t>(v - s.variables.data())];
        if (!names && !is_member(*v) && (!v->of_file || anywhere > 1)) continue;
        // Of the file's own what this function uses of it.
        const int used = v->of_file && names ? in_function->second : anywhere;
        if (n > 0 && used == 1) ++out.uses_at_last;
        if (n < 0 && used + n <= 1)
            ++out.uses_no_more, out.constants_no_more += v->of_file && anywhere + n <= 1 ? 1 : 0;
    }
}

}  // namespace

void weigh(const Source& s, std::vector<Rewrite>& all) {
    const Text text = read(s);
    const Namings namings{s, functions_of(s), namings_of(s)};
    std::vector<Idiom> idioms;
    add_rounded_up(s, idioms), add_mixed(s, idioms);
    for (Rewrite& r : all) {
        Signs signs;
        signs.alike = read_alike(r.was, r.now), signs.in_idiom = is_in_one(idioms, r);
        signs.speaks = speaks_of(s, r);
        look_at_threes(text, r, signs);
        look_at_uses(namings, r, signs);
        r.log_prior = log_prior_of(r) + r.bias + static_cast<int>(std::lround(worth(signs, r)));
    }
}

}  // namespace wl::diagnosis::rewrite
