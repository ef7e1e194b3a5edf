// A change that mends one shape, tried on another that the manifest names, else on one twice as large, which
// the kernel may not take: what only looks right at the first is told from the fault by it.
#pragma once

#include "instrumentation/diagnosis/search/search.h"

#include <memory>
#include <string>

namespace wl::diagnosis {

// Made when first asked for. The symptoms outlive it.
struct OtherShape {
    const Symptoms& of;
    bool asked = false;
    std::unique_ptr<Experiment> experiment = {};  // null: the manifest names none that is quick
    std::unique_ptr<Prover> prover = {};
    std::string name = {};  // "preset even", "the shape without a preset", "N = 166"
    bool guessed = false;   // nobody says that the kernel takes it
};

// Runs the changed source, compiled for the other shape: all blocks with all checks. Right: that is part of
// its proof; wrong: that is what remains, and of a shape that was guessed it makes it frail.
void try_other_shape(OtherShape& shape, Mended& mended);

}  // namespace wl::diagnosis
