// An array is looked up as another place of the file looks it up: what one function writes by rows another
// reads by rows.
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr int kShortest = 3, kLongest = 24;  // tokens of an index that says how something lies
constexpr size_t kMost = 16;                 // texts at one place
constexpr size_t kMostNames = 3;             // that stand for others

// `i / n * m` of `a[i / n * m]` and of `a + i / n * m`.
struct Place {
    int first = 0, last = 0;
    std::string_view array;
};

// A number that says where (a thread's, a loop's) or how far (an extent).
struct Name {
    std::string text;
    bool extent = false;
    bool known = false;  // where it is put
};

std::vector<Place> places_of(const Source& s) {
    std::vector<Place> out;
    const auto add = [&](int first, int last, int name) {
        const int length = last - first + 1;
        if (length < kShortest || length > kLongest || holds_real(s, first, last)) return;
        out.push_back({first, last, s.word(name)});
    };
    for (const Body& body : s.bodies)
        for (int k = body.open + 1; k < body.close; ++k) {
            const Variable* const v = s.at(k).directive ? nullptr : variable_at(s, k);
            if (v == nullptr || v->indirections != 1) continue;
            if (s.is(k + 1, "[") && s.at(k + 1).match > 0 && !s.is(s.at(k + 1).match + 1, "["))
                add(k + 2, s.at(k + 1).match - 1, k);
            if (s.is(k + 1, "+") && precedence(s, k + 1) > 0) add(k + 2, end_of_expression(s, k + 2), k);
        }
    return out;
}

bool is_builtin(const Source& s, int k) {
    return (s.word(k).ends_with("Idx") || s.word(k).ends_with("Dim")) && s.is(k + 1, ".");
}

// Whole numbers of the text, each once; whether each is known at `here`.
std::vector<Name> names_in(const Source& s, const Place& p, int here) {
    std::vector<Name> out;
    for (int k = p.first; k <= p.last; ++k) {
        Name name;
        if (is_builtin(s, k)) {
            name = {s.words(k, k + 2), s.word(k).ends_with("Dim"), true};
            k += 2;
        } else if (const Variable* const v = variable_at(s, k); v != nullptr && is_whole(*v)) {
            name = {v->name, v->parameter || v->of_file, all_known(s, k, v->name, here)};
        } else {
            continue;
        }
        if (std::none_of(out.begin(), out.end(), [&](const Name& n) { return n.text == name.text; }))
            out.push_back(std::move(name));
    }
    return out;
}

using Renaming = std::vector<std::pair<std::string, std::string>>;

std::string renamed(const Source& s, const Place& p, const Renaming& by) {
    std::string out;
    size_t at = s.at(p.first).begin;
    for (int k = p.first; k <= p.last; ++k) {
        const int last = is_builtin(s, k) ? k + 2 : k;
        const std::string was = s.words(k, last);
        const auto found =
            std::find_if(by.begin(), by.end(), [&](const auto& pair) { return pair.first == was; });
        if (found != by.end() && !s.is(k - 1, ".") && !s.is(last + 1, "(")) {
            out += s.text.substr(at, s.at(k).begin - at) + found->second;
            at = s.at(last).end;
        }
        k = last;
    }
    return out + s.text.substr(at, s.at(p.last).end - at);
}

// Each of `left` from the one at `next` stands for one of `free`, or, where it is known, for itself.
void assign(
    const std::vector<Name>& left,
    const std::vector<Name>& free,
    size_t next,
    Renaming& so_far,
    std::vector<Renaming>& out
) {
    if (next == left.size()) return out.push_back(so_far);
    if (left[next].known) assign(left, free, next + 1, so_far, out);
    for (const Name& name : free) {
        const bool taken =
            std::any_of(so_far.begin(), so_far.end(), [&](const auto& r) { return r.second == name.text; });
        if (taken || name.extent != left[next].extent) continue;
        so_far.emplace_back(left[next].text, name.text);
        assign(left, free, next + 1, so_far, out);
        so_far.pop_back();
    }
}

std::vector<Name> without(const std::vector<Name>& all, const std::vector<Name>& others) {
    std::vector<Name> out;
    for (const Name& n : all)
        if (std::none_of(others.begin(), others.end(), [&](const Name& o) { return o.text == n.text; }))
            out.push_back(n);
    return out;
}

std::vector<std::string> texts_of(const Source& s, const Place& from, const Place& to) {
    const std::vector<Name> theirs = names_in(s, from, to.first), ours = names_in(s, to, to.first);
    std::vector<Name> left = without(theirs, ours);
    const std::vector<Name> free = without(ours, theirs);
    if (left.size() > kMostNames || free.size() > kMostNames) {
        if (std::any_of(left.begin(), left.end(), [](const Name& n) { return !n.known; })) return {};
        left.clear();  // as it stands
    }
    std::vector<Renaming> renamings;
    Renaming none;
    assign(left, free, 0, none, renamings);
    // What stands for most of the other's names first.
    std::stable_sort(renamings.begin(), renamings.end(), [](const Renaming& a, const Renaming& b) {
        return a.size() > b.size();
    });
    std::vector<std::string> out;
    for (const Renaming& by : renamings) out.push_back(renamed(s, from, by));
    return out;
}

// Whatever is no number there is known too: `table` of `table[i] * n`.
bool others_known(const Source& s, const Place& from, int here) {
    for (int k = from.first; k <= from.last; ++k) {
        const Variable* const v = variable_at(s, k);
        if (v != nullptr && !is_whole(*v) && !all_known(s, k, v->name, here)) return false;
    }
    return true;
}

bool begins_word(std::string_view w) {
    return std::isalnum(static_cast<unsigned char>(w.front())) != 0 || w.front() == '_';
}

// One name or number in place of another, and nothing else: names.cpp and numbers.cpp try that, and say it in
// fewer words.
bool are_one_word_apart(const Source& s, std::string_view a, std::string_view b) {
    const std::vector<std::string_view> one = words_in(s, a), other = words_in(s, b);
    if (one.size() != other.size()) return false;
    size_t apart = 0;
    for (size_t k = 0; k < one.size(); ++k) {
        if (one[k] == other[k]) continue;
        const bool words = begins_word(one[k]) && begins_word(other[k]);
        apart += words ? 1 : 2;
    }
    return apart < 2;
}

}  // namespace

void add_layouts(Writer& w) {
    constexpr int kSameArray = 1, kOther = 2;  // as Rewrite::cost
    const std::vector<Place> all = places_of(w.s);
    for (const Place& to : all) {
        if (!w.is_near(to.first)) continue;
        const std::string text = w.s.words(to.first, to.last);
        std::vector<std::string> done = {text};
        for (const int cost : {kSameArray, kOther})
            for (const Place& from : all) {
                const bool same = from.array == to.array;
                if (same != (cost == kSameArray) || !others_known(w.s, from, to.first)) continue;
                for (std::string& now : texts_of(w.s, from, to)) {
                    if (done.size() > kMost) break;
                    if (std::find(done.begin(), done.end(), now) != done.end()) continue;
                    if (!are_one_word_apart(w.s, text, now))
                        w.replace("wrong_index", cost, to.first, to.last, now);
                    done.push_back(std::move(now));
                }
            }
    }
}

}  // namespace wl::diagnosis::rewrite
