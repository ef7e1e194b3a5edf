// Inputs that no result is made of: padded rows and columns, what lies behind a sequence's length, rows that
// no index asks for. With NaN there, a kernel that reads them and lets them through shows it.
#pragma once

#include "instrumentation/manifest/manifest.h"

namespace wl::manifest {

// Of the arrays of floating-point numbers that are no outputs: NaN in the first and last indices along each
// axis, and along the others of each index of the first one, that the Python reference returns the same
// without, bit by bit; it is asked again and again, at most kMostAsked times. Problem::remarks says where.
// The built-in reference reads all. Throws Error where there is none of these to ask, or it fails.
void put_nan_in_padding(Problem& problem);

constexpr int kMostAsked = 1500;

}  // namespace wl::manifest
