// A text line by line.
#pragma once

#include <string_view>
#include <vector>

namespace wl {

// Without their line feeds; behind a last line feed there is no line.
std::vector<std::string_view> lines_of(std::string_view text);

// Without blanks at both ends, a carriage return among them.
std::string_view trimmed(std::string_view line);

}  // namespace wl
