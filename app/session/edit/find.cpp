// Case decides nothing.
#include "app/session/edit/find.h"

#include <algorithm>
#include <cctype>

namespace wl::app {

bool holds(std::string_view line, std::string_view query) {
    if (query.empty()) return false;
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return std::search(line.begin(), line.end(), query.begin(), query.end(), same) != line.end();
}

int find_line(const std::vector<std::string_view>& lines, std::string_view query, int from, int direction) {
    const int count = static_cast<int>(lines.size());
    for (int distance = 1; distance <= count; ++distance) {
        const int at = ((from - 1 + direction * distance) % count + count) % count;
        if (holds(lines[static_cast<size_t>(at)], query)) return at + 1;
    }
    return 0;
}

}  // namespace wl::app
