// How much of a text from elsewhere may be given to a regular expression.
#pragma once

#include <cstddef>

namespace wl {

// Characters. std::regex of libstdc++ takes a stack frame for each one that it goes through.
constexpr size_t kLongestMatched = 4096;

}  // namespace wl
