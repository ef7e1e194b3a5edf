// Kinds of notes of a capture, by how they begin.
#pragma once

#include <string_view>

namespace wl::capture {

// What was looked at and is of no harm: text has it with --verbose alone.
constexpr std::string_view kAside = "aside: ";

}  // namespace wl::capture
