#include "instrumentation/base/lines.h"

namespace wl {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r";
    const size_t first = line.find_first_not_of(kBlanks);
    return first == line.npos ? std::string_view()
                              : line.substr(first, line.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace wl
