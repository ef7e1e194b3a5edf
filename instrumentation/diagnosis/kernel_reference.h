// Another kernel's run as the reference: its outputs, and its tiles where its manifest says which tensor they
// are windows of.
#pragma once

#include "instrumentation/diagnosis/reference.h"

#include <string>

namespace wl::diagnosis {

// Compiles and emulates the kernel of `manifest_path` with the problem's parameters, as far as it has them,
// and with the problem's arrays of the same name, type and shape. No reference where that kernel cannot run,
// comes to grief, or leaves a NaN in an output. Throws Error for what its manifest or source got wrong.
MadeReference kernel_reference(const manifest::Problem& problem, const std::string& manifest_path);

}  // namespace wl::diagnosis
