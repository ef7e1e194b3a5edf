// The reference a problem asks for, made ready: builtin attention, Python, npz, or another kernel's run.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/manifest/manifest.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct MadeReference {
    std::optional<analysis::Reference> reference;
    std::string problem;  // why there is none; the run goes on without. Empty with no reference: the manifest
                          // asks for none
    std::string remark = {};  // what whoever reads the run must know of how it was made
};

// Throws Error only for what the manifest got wrong (an unknown builtin, an argument or parameter that it
// needs).
MadeReference make_reference(const manifest::Problem& problem);

// Terms an element of a reference tensor sums: the manifest's rules for the outputs and tiles that are
// windows of it.
std::vector<analysis::TensorTerms> terms_of(const manifest::Problem& problem);

}  // namespace wl::diagnosis
