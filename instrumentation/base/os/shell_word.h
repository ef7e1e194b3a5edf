// For the shell of another machine, which alone reads a command line as text.
#pragma once

#include <string>

namespace wl {

// A word that a POSIX shell reads as `bytes`, whatever they are (XCU 2.2.2: between single quotes nothing is
// special). Throws Error where they hold a NUL, which no word of a shell can.
std::string shell_word(const std::string& bytes);

}  // namespace wl
