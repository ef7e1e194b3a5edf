// Conditions that hold where another value is needed, and nowhere else: comparisons of what is at hand, one
// or two of them.
#include "instrumentation/diagnosis/search/angelic/form.h"
#include "instrumentation/diagnosis/search/angelic/terms.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

namespace wl::diagnosis {

namespace {

constexpr size_t kMostPlaces = 256;
using Places = std::bitset<kMostPlaces>;

struct Operand {
    std::string text;
    bool whole = false;  // "float(n)"
    int score = 0;       // the less, the sooner somebody compares with it
    std::vector<double> at = {};
    bool same = false;  // everywhere, as an extent is
};

struct Condition {
    std::string text;
    Places places;
    int score = 0;
};

// What is at hand, and behind it what it is compared with besides: numbers, and real ones with the other
// sign.
struct Operands {
    std::vector<Operand> all;
    size_t given = 0;
};
Operands operands_of(const std::vector<AtHandValues>& all, size_t places) {
    constexpr int kNegative = 3;
    Operands out;
    for (const AtHandValues& v : all) {
        const std::string name = whole_name(v.text);
        const auto score = static_cast<int>(std::count(v.text.begin(), v.text.end(), '['));
        out.all.push_back({name.empty() ? v.text : name, !name.empty(), score, v.at});
    }
    out.given = all.size();
    for (const int number : {0, 1})
        out.all.push_back({std::to_string(number), true, 0, std::vector<double>(places, number)});
    for (Operand& o : out.all)
        o.same = std::all_of(o.at.begin(), o.at.end(), [&](double v) { return v == o.at.front(); });
    for (size_t k = 0; k < out.given; ++k) {
        if (out.all[k].whole || out.all[k].text.find(' ') != std::string::npos) continue;
        Operand negative{"-" + out.all[k].text, false, kNegative, out.all[k].at};
        for (double& v : negative.at) v = -v;
        out.all.push_back(std::move(negative));
    }
    return out;
}

// The cheapest first.
std::vector<Condition> conditions_of(const Operands& o, size_t places) {
    std::vector<Condition> out;
    const std::vector<Operand>& all = o.all;
    for (size_t a = 0; a < o.given; ++a)
        for (size_t b = 0; b < all.size(); ++b) {
            const bool number = b >= o.given && all[b].whole;
            if (a == b || (!number && all[a].whole != all[b].whole)) continue;
            for (size_t sign = 0; sign < kComparisons.size(); ++sign) {
                Places where;
                for (size_t p = 0; p < places; ++p)
                    where[p] = kComparisons[sign].holds(all[a].at[p], all[b].at[p]);
                if (where.none() || where.count() == places) continue;
                constexpr int kVariable = 2;
                const int score = all[a].score + all[b].score + (number ? 0 : kVariable) +
                    (sign > 0 ? 1 : 0) + (all[a].same ? 1 : 0);
                out.push_back(
                    {fmt::format("{} {} {}", all[a].text, kComparisons[sign].text, all[b].text), where, score}
                );
            }
        }
    std::stable_sort(out.begin(), out.end(), [](const Condition& a, const Condition& b) {
        return a.score < b.score;
    });
    return out;
}

void add_pairs(
    const std::vector<Condition>& all, const Places& where, bool both, std::vector<std::string>& out
) {
    constexpr size_t kMostOfPair = 400;
    std::vector<const Condition*> some;
    std::unordered_set<Places> known;
    for (const Condition& c : all) {
        const bool fits = both ? (c.places & where) == where : (c.places | where) == where;
        if (fits && some.size() < kMostOfPair && known.insert(c.places).second) some.push_back(&c);
    }
    for (size_t a = 0; a < some.size(); ++a)
        for (size_t b = a + 1; b < some.size(); ++b) {
            const Places of = both ? some[a]->places & some[b]->places : some[a]->places | some[b]->places;
            if (of == where)
                out.push_back(fmt::format("{} {} {}", some[a]->text, both ? "&&" : "||", some[b]->text));
        }
}

}  // namespace

std::vector<std::string> conditions_where(
    const std::vector<AtHandValues>& all, const std::vector<uint8_t>& where, size_t most
) {
    constexpr size_t kFewestOfPair = 24;  // places without which one fits by chance
    const size_t places = std::min(where.size(), kMostPlaces);
    Places wanted;
    for (size_t p = 0; p < places; ++p) wanted[p] = where[p] != 0;
    if (wanted.none() || wanted.count() == places) return {};
    const std::vector<Condition> conditions = conditions_of(operands_of(all, places), places);
    std::vector<std::string> out;
    for (const Condition& c : conditions)
        if (c.places == wanted) out.push_back(c.text);
    if (out.empty() && places >= kFewestOfPair)
        add_pairs(conditions, wanted, true, out), add_pairs(conditions, wanted, false, out);
    if (out.size() > most) out.resize(most);
    return out;
}

std::vector<std::string> chosen(
    const std::vector<AtHandValues>& all, size_t itself, const Wanted& wanted, size_t most
) {
    constexpr size_t kFewest = 12, kMostConditions = 24, kMostValues = 2;
    const size_t places = std::min(wanted.at.size(), kMostPlaces);
    std::vector<uint8_t> where(places);
    std::vector<AtHandValues> there;
    Wanted of;
    for (const AtHandValues& v : all) there.push_back({v.text, {}});
    for (size_t p = 0; p < places; ++p) {
        if (std::fabs(wanted.at[p] - all[itself].at[p]) <= wanted.allowed[p]) continue;
        where[p] = 1, of.at.push_back(wanted.at[p]), of.allowed.push_back(wanted.allowed[p]);
        for (size_t k = 0; k < all.size(); ++k) there[k].at.push_back(all[k].at[p]);
    }
    if (places < kFewest) return {};
    const std::vector<std::string> found = conditions_where(all, where, kMostConditions);
    if (found.empty()) return {};
    std::vector<std::string> out;
    for (const std::string& value : formed(there, all.size(), of, kMostValues))
        for (const std::string& c : found)
            if (out.size() < most) out.push_back(fmt::format("{} ? {} : {}", c, value, all[itself].text));
    return out;
}

}  // namespace wl::diagnosis
