// The two ways the world can stop a run: an error (exit 2) or something that WarpLens cannot do (exit 3).
#pragma once

#include <stdexcept>
#include <string>

namespace wl {

// A full sentence: what is wrong, where, what to do. Caught in main.cpp (exit 2) and in the window's session.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// `unsupported: <instruction> at <file>:<line>`; a verdict of its own, never a wrong answer (exit 3).
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace wl
