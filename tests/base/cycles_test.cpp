// Units that reach each other by their includes: a unit is x.h with x.cpp. A change in one of such a group
// may need one in any other, so groups stay small.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace wl {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargest = 3;  // units

using Includes = std::map<std::string, std::set<std::string>>;

std::string unit_of(const fs::path& path) { return fs::path(path).replace_extension().generic_string(); }

// `#include "x/y.h"`: "x/y"; empty: none of ours.
std::string included_unit(const std::string& line) {
    const std::string head = "#include \"";
    const size_t begin = line.find(head), end = line.rfind('"');
    if (begin == std::string::npos) return {};
    return unit_of(line.substr(begin + head.size(), end - begin - head.size()));
}

Includes includes_below(const fs::path& root, const std::vector<std::string>& folders) {
    Includes out;
    for (const std::string& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string suffix = entry.path().extension().string();
            if (suffix != ".h" && suffix != ".cpp") continue;
            const std::string unit = unit_of(fs::relative(entry.path(), root));
            std::ifstream file(entry.path());
            out.try_emplace(unit);
            for (std::string line; std::getline(file, line);)
                if (std::string other = included_unit(line); !other.empty() && other != unit)
                    out[unit].insert(std::move(other));
        }
    return out;
}

// Strongly connected components of more than one unit (R. Tarjan, "Depth-first search and linear graph
// algorithms", 1972), the largest first.
std::vector<std::vector<std::string>> groups_of(const Includes& includes) {
    std::map<std::string, size_t> number, low;
    std::vector<std::string> open;
    std::set<std::string> is_open;
    std::vector<std::vector<std::string>> groups;
    const std::function<void(const std::string&)> visit = [&](const std::string& unit) {
        const size_t own = number.size();
        number[unit] = low[unit] = own;
        open.push_back(unit);
        is_open.insert(unit);
        for (const std::string& next : includes.at(unit)) {
            if (!includes.contains(next)) continue;
            if (!number.contains(next)) visit(next);
            if (is_open.contains(next)) low[unit] = std::min(low[unit], low[next]);
        }
        if (low[unit] != own) return;
        const auto first = std::ranges::find(open, unit);
        std::vector<std::string> group(first, open.end());
        open.erase(first, open.end());
        for (const std::string& each : group) is_open.erase(each);
        if (group.size() > 1) groups.push_back(std::move(group));
    };
    for (const auto& [unit, others] : includes)
        if (!number.contains(unit)) visit(unit);
    std::ranges::sort(groups, std::greater{}, &std::vector<std::string>::size);
    return groups;
}

TEST(Cycles, NoMoreThanThreeUnitsReachEachOther) {
    const Includes includes = includes_below(WL_SOURCE_DIR, {"instrumentation", "app", "shim"});
    ASSERT_TRUE(includes.contains("instrumentation/base/dtype"));
    for (const std::vector<std::string>& group : groups_of(includes)) {
        std::string names;
        for (const std::string& unit : group) names += " " + unit;
        EXPECT_LE(group.size(), kLargest) << names;
    }
}

TEST(Cycles, AGroupIsFoundByTheWaysBetweenItsUnits) {
    const Includes ring = {
        {"a", {"b"}     },
        {"b", {"c"}     },
        {"c", {"a", "d"}},
        {"d", {"e"}     },
        {"e", {}        }
    };
    const auto groups = groups_of(ring);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(std::set(groups[0].begin(), groups[0].end()), (std::set<std::string>{"a", "b", "c"}));
    EXPECT_EQ(included_unit("#include \"app/session/state.h\""), "app/session/state");
    EXPECT_EQ(included_unit("#include <map>"), "");
}

}  // namespace
}  // namespace wl
