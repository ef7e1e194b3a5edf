// A problem run for a moment, as every kind of mutant is.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/manifest/manifest.h"

#include <string>

namespace wl::fuzz {

// Throws Error and Unsupported.
capture::Capture briefly(manifest::Problem problem);

// A verdict that there is, and a capture that can be written and comes back; empty: all is well.
std::string problem_of_capture(const capture::Capture& capture);

}  // namespace wl::fuzz
