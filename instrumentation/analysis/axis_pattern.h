// A set of indices along one axis: ranges, strides and remainders, or all but those.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::analysis {

// Of the indices [0, extent) those in [first, last] whose remainder by `period` lies in one of `runs`;
// inverted: all others. A plain list has the period `extent`.
struct AxisPattern {
    int64_t extent = 0;
    int64_t first = 0, last = -1;
    int64_t period = 1;
    std::vector<std::pair<int64_t, int64_t>> runs = {
        {0, 0}
    };  // of remainders, [from, to], rising, with gaps between
    bool inverted = false;
};
bool contains(const AxisPattern& pattern, int64_t index);
int64_t count(const AxisPattern& pattern);
bool is_all(const AxisPattern& pattern);
AxisPattern all_of(int64_t extent);

// How many numbers it takes to say it: what a reader has to keep in mind. 0: all.
double cost(const AxisPattern& pattern);

// The set that `members` (a flag an index, at least one set) are, said as shortly as it can be. None: no
// description is short enough to help.
std::optional<AxisPattern> describe_axis(const std::vector<uint8_t>& members);

// A short description of a set that holds all members and, where that can be had, few others.
AxisPattern enclose_axis(const std::vector<uint8_t>& members);

// What an axis is called, of one index and of several: "row", "rows".
struct AxisName {
    std::string one, several;
};
// "the last 7 rows", "rows 3 mod 4", "every 32nd element"; "every row" of all.
std::string words(const AxisPattern& pattern, const AxisName& name);

}  // namespace wl::analysis
