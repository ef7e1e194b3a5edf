// A proof's change of the program as a change of one line of the source, where that is as plain as the proof.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::diagnosis {

// Both as `patch -p1` takes it. Empty: the line is not so plain.
// The one call of the line gives way to its argument; an assignment of a variable to itself goes.
std::string patch_without_call(const capture::Capture& capture, const capture::Where& where);
// A statement of its own before the line, as far indented.
std::string patch_before(
    const capture::Capture& capture, const capture::Where& where, const std::string& statement
);

}  // namespace wl::diagnosis
