// The calls through which an access of a finding was inlined.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>
#include <vector>

namespace wl::capture {

// A call that the compiler replaced by the function's body.
struct InlinedCall {
    std::string function;  // that was called: "blurred(float const*, int)"
    std::string file;
    int line = 0;  // of the call
};

// Of the finding's place, or of its other one: from there outwards, innermost first. Empty where nothing was
// inlined, or the finding does not say which instruction it means (evidence "site", "other_site").
std::vector<InlinedCall> inlined_calls(const Capture& capture, const Finding& finding, bool other = false);

}  // namespace wl::capture
