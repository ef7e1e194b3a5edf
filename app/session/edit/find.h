// Search in the shown source.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace wl::app {

struct SourceFind {
    bool opens = false;  // the field gets the focus with the next frame
    bool open = false;
    int step = 0;  // 1, -1: to the next or previous line that holds it
    std::array<char, 128> query = {};
};

// The line, from 1, behind (1) or before (-1) `from` that holds the query, without regard to case, round the
// end. 0: none does.
int find_line(const std::vector<std::string_view>& lines, std::string_view query, int from, int direction);
bool holds(std::string_view line, std::string_view query);

}  // namespace wl::app
