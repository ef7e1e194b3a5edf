// Whether two modules say the same.
#pragma once

#include "instrumentation/ptx/module.h"

#include <string>

namespace wl::ptx {

// The first difference, in words; empty: there is none. Lines are compared by what they say, not by their
// numbers, and lines of the PTX text not at all.
std::string difference(const Module& a, const Module& b);

}  // namespace wl::ptx
