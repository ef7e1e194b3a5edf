// Changes of PTX that keep its shape. The same for the same seed.
#pragma once

#include <string>

namespace wl::fuzz {

// One to three words or lines changed.
std::string mutated_ptx(unsigned seed, std::string text);
// A run of lines of b somewhere in a.
std::string crossed_ptx(unsigned seed, const std::string& a, const std::string& b);

}  // namespace wl::fuzz
