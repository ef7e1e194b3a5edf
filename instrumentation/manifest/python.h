// A reference written in Python, run in its own process: inputs out as .npy, tensors back as float64 .npy.
#pragma once

#include "instrumentation/manifest/manifest.h"

#include <vector>

namespace wl::manifest {

struct PythonReference {
    std::vector<Tensor> tensors;  // f64, by name; NAME.scale among them when the reference returned it
    std::string problem;  // empty: fine; else why there is none: no interpreter, no numpy, or the traceback's
                          // last lines
};

// Never throws for what Python does: the run goes on without a reference and says why.
PythonReference run_python_reference(const Problem& problem, const std::string& script);

// All arrays of a .npz (stored or deflated), by name. Throws Error naming file and member.
std::vector<Tensor> read_npz(const std::string& path);
Tensor read_npy(const std::string& path);

}  // namespace wl::manifest
