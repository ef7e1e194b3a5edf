// The reference a problem asks for, made ready: builtin attention, Python, npz, or another kernel's capture.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/manifest/manifest.h"

#include <optional>
#include <string>

namespace wl::diagnosis {

struct MadeReference {
    std::optional<analysis::Reference> reference;
    std::string problem;  // why there is none; the run goes on without. Empty with no reference: the manifest
                          // asks for none
};

// Throws Error only for what the manifest got wrong (an unknown builtin, an argument or parameter that it
// needs).
MadeReference make_reference(const manifest::Problem& problem);

}  // namespace wl::diagnosis
