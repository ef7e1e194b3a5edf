// fmt's own code of what makes strings, so that these are of the stand-in's heap (heap.cpp), and not of
// libfmt.so's, which is the program's.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace wl::guard {

using Made = std::string (*)(fmt::string_view, fmt::format_args);
__attribute__((used)) const Made kMade = &fmt::vformat;

}  // namespace wl::guard
