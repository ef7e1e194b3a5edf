// Which files of a program's line table are not its author's.
#pragma once

#include <string>

namespace wl {

// A header of the toolkit or of the compiler, or the header of the marks.
bool is_toolkit_header(const std::string& path);

}  // namespace wl
