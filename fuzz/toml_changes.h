// Changes of a manifest's text.
#pragma once

#include "fuzz/random.h"

#include <string>

namespace wl::fuzz {

// Words, numbers, expressions, lines and brackets changed.
std::string changed_toml(Random& random, const std::string& text);
// Means the same: comments, blanks, quotes, numbers written otherwise.
std::string respelled_toml(Random& random, const std::string& text);

}  // namespace wl::fuzz
