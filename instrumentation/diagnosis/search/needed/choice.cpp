// Conditions that hold where another value is needed, and nowhere else: comparisons of what is at hand, one
// or two of them.
#include "instrumentation/diagnosis/search/needed/form.h"
#include "instrumentation/diagnosis/search/needed/terms.h"

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
    const std::vector<double>* at = nullptr;
};

struct Condition {
    std::string text;
    Places places;
};

std::vector<Operand> operands_of(
    const std::vector<AtHandValues>& all, const std::vector<AtHandValues>& numbers
) {
    std::vector<Operand> out;
    for (const auto* list : {&all, &numbers})
        for (const AtHandValues& v : *list) {
            const std::string name = whole_name(v.text);
            out.push_back({name.empty() ? v.text : name, !name.empty(), &v.at});
        }
    return out;
}

// Of what holds at the same places the first.
std::vector<Condition> conditions_of(const std::vector<Operand>& all, size_t numbers, size_t places) {
    std::vector<Condition> out;
    std::unordered_set<Places> known;
    for (size_t a = 0; a + numbers < all.size(); ++a)
        for (size_t b = 0; b < all.size(); ++b) {
            const bool number = b + numbers >= all.size();
            if (a == b || (!number && all[a].whole != all[b].whole)) continue;
            for (const Comparison& sign : kComparisons) {
                Places where;
                for (size_t p = 0; p < places; ++p) where[p] = sign.holds((*all[a].at)[p], (*all[b].at)[p]);
                if (where.none() || where.count() == places || !known.insert(where).second) continue;
                out.push_back({fmt::format("{} {} {}", all[a].text, sign.text, all[b].text), where});
            }
        }
    return out;
}

void add_pairs(
    const std::vector<Condition>& all, const Places& where, bool both, std::vector<std::string>& out
) {
    constexpr size_t kMostOfPair = 400;
    std::vector<const Condition*> some;
    for (const Condition& c : all) {
        const bool fits = both ? (c.places & where) == where : (c.places | where) == where;
        if (fits && some.size() < kMostOfPair) some.push_back(&c);
    }
    for (size_t a = 0; a < some.size(); ++a)
        for (size_t b = a + 1; b < some.size(); ++b) {
            const Places of = both ? some[a]->places & some[b]->places : some[a]->places | some[b]->places;
            if (of == where)
                out.push_back(fmt::format("{} {} {}", some[a]->text, both ? "&&" : "||", some[b]->text));
        }
}

}  // namespace

std::vector<std::string> chosen(
    const std::vector<AtHandValues>& all, size_t itself, const Wanted& wanted, size_t most
) {
    constexpr size_t kFewest = 12, kFewestOfPair = 24;  // places without which one fits by chance
    const size_t places = std::min(wanted.at.size(), kMostPlaces);
    Places where;
    std::vector<AtHandValues> there;
    Wanted of;
    for (const AtHandValues& v : all) there.push_back({v.text, {}});
    for (size_t p = 0; p < places; ++p) {
        if (std::fabs(wanted.at[p] - all[itself].at[p]) <= wanted.allowed[p]) continue;
        where[p] = true, of.at.push_back(wanted.at[p]), of.allowed.push_back(wanted.allowed[p]);
        for (size_t k = 0; k < all.size(); ++k) there[k].at.push_back(all[k].at[p]);
    }
    if (places < kFewest || where.none() || where.count() == places) return {};
    const std::vector<AtHandValues> numbers = {
        {"0", std::vector<double>(places, 0)},
        {"1", std::vector<double>(places, 1)}
    };
    const std::vector<Condition> conditions =
        conditions_of(operands_of(all, numbers), numbers.size(), places);
    std::vector<std::string> found, out;
    for (const Condition& c : conditions)
        if (c.places == where) found.push_back(c.text);
    if (found.empty() && places >= kFewestOfPair)
        add_pairs(conditions, where, true, found), add_pairs(conditions, where, false, found);
    if (found.empty()) return {};
    constexpr size_t kMostValues = 2;
    for (const std::string& value : formed(there, all.size(), of, kMostValues))
        for (const std::string& c : found)
            if (out.size() < most) out.push_back(fmt::format("{} ? {} : {}", c, value, all[itself].text));
    return out;
}

}  // namespace wl::diagnosis
