// Numbers, texts and bytes that upset programs, and changes of those that are there.
#pragma once

#include "fuzz/random.h"

#include <cstdint>
#include <string>

namespace wl::fuzz {

int64_t edge_integer(Random& random);
int64_t changed(Random& random, int64_t value);
double changed(Random& random, double value);

// Shell words, markup, terminal escapes, paths, broken UTF-8, lists of extents, very long ones.
std::string hostile_text(Random& random);
std::string changed_text(Random& random, std::string text);

// Bits and words overwritten; ranges copied, cut and inserted.
std::string changed_bytes(Random& random, std::string bytes);

}  // namespace wl::fuzz
