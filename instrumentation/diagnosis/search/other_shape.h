// A change that mends one shape, tried on another that the manifest names, and on one twice as large, which
// the kernel may not take: what only looks right at the first is told from the fault by them.
#pragma once

#include "instrumentation/diagnosis/search/search.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Shape {
    std::unique_ptr<Experiment> experiment;
    std::unique_ptr<Prover> prover;
    std::string name;                            // "preset even", "the shape without a preset", "N = 166"
    bool guessed = false;                        // nobody says that the kernel takes it
    bool apart = false;                          // as `moved`
    std::shared_ptr<const Trial> as_it_is = {};  // of the program as it is; once it was asked for
};

// Made when first asked for. The symptoms outlive it.
struct OtherShape {
    const Symptoms& of;
    bool asked = false;
    std::vector<Shape> shapes = {};  // some that the manifest names and are quick, some that are guessed
    std::shared_ptr<const Trial> here = {};  // the program as it is, at its own shape; once it was asked for
    std::optional<std::vector<Shape>> larger = {};
    std::map<std::string, std::vector<Shape>> moved = {};  // as moved_apart, by name, one or none each
};

// Runs the changed source, compiled for the other shapes: all blocks with all checks. Right: that is part of
// its proof; wrong: that is what remains, and of a shape that was guessed it overfits. What the change names
// of the manifest is made another by itself as well: where the program as it is does no worse there than
// here, the kernel takes that, and the change lacks it.
void try_other_shape(OtherShape& shape, Mended& mended);

// Several times as large as the one that was diagnosed, guessed as well.
const std::vector<Shape>& larger_shapes(OtherShape& shape);

}  // namespace wl::diagnosis
