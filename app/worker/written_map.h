// Who stored to the elements of an array, as the window shows it: what `warplens writers --json -o MAP.npy`
// answered.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

// Of one element; the map's file holds these numbers.
struct WrittenElement {
    int32_t block = -1;  // linear; -1: nobody ever set it; -2: it holds what was there before the launch
    int32_t warp = 0, lane = 0, stores = 0;
};
static_assert(sizeof(WrittenElement) == 16);

struct WrittenMap {
    std::string array;
    int rows = 0, cols = 0;  // the last extent, and all before it
    int64_t once = 0, many = 0, stale = 0, never = 0, blocks = 0;
    int64_t most_stores = 0;
    std::vector<int64_t> by_warp, by_lane;
    std::vector<std::pair<std::string, int64_t>> lines;  // elements by the line that stored them last
    std::string unwritten, repeated;                     // which elements, in words; empty: none
    std::string stopped;                                 // why the launch did not come to its end
    std::vector<WrittenElement> elements;
    const WrittenElement& at(int row, int col) const {
        return elements[static_cast<size_t>(row) * static_cast<size_t>(cols) + static_cast<size_t>(col)];
    }
};

// Throws Error where the answer or the file is not readable, or the two do not fit.
WrittenMap written_map(const std::string& answer, const std::string& file);

}  // namespace wl::app
