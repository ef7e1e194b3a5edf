// Counts what a program that links it has on the heap, so that a test or a bench can say how much a call
// needs.
#pragma once

#include <cstddef>

namespace wl::testing {

size_t heap_bytes();       // live now
size_t heap_peak_bytes();  // most at a time since the last reset
void reset_heap_peak();

}  // namespace wl::testing
