// Several launches over the same buffers: all of them observed, the one that went wrong first diagnosed.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <vector>

namespace wl::diagnosis {

// As run(); `about` is what make_experiment filled. Tiles and records are those of one launch: the one that
// --launch names, else the first that went wrong, else the last. Findings name theirs.
capture::Capture run_sequence(
    const Experiment& e, const capture::Capture& about, std::vector<execution::Incident>* seen
);

}  // namespace wl::diagnosis
