// A reference written in Python, run in its own process: inputs out as .npy, tensors back as float64 .npy.
#pragma once

#include "instrumentation/manifest/manifest.h"

#include <optional>
#include <vector>

namespace wl::manifest {

struct PythonReference {
    std::vector<Tensor> tensors;  // f64, or s64 and u64 as returned; by name; NAME.scale among them when the
                                  // reference returned it
    std::string problem;  // empty: fine; else why there is none: no interpreter, no numpy, or the traceback's
                          // last lines
    std::string open;     // what this system lacks of the script's restrictions; empty: nothing
};

struct PythonOptions {
    std::optional<Dim3> block;  // handed on as block=(x, y, z): compute just this block's intermediates
    double timeout = 0;         // seconds; 0: $WARPLENS_PYTHON_SECONDS, or 300
    std::vector<std::string> read = {};  // files and folders that it may read beside the script's and the
                                         // manifest's
};

// Calls reference(inputs, params[, block]) of the script with $WARPLENS_PYTHON, the Python that ./dev set up,
// or python3, in a process that may do little (docs/security.md). Never throws for what Python does: the run
// goes on without a reference and says why.
PythonReference run_python_reference(
    const Problem& problem, const std::string& script, const PythonOptions& options = {}
);

// All arrays of a .npz (stored or deflated), by name, in row-major order. Throws Error naming file and member
// when it is damaged or holds a type that WarpLens lacks (numpy's bool becomes u8).
std::vector<Tensor> read_npz(const std::string& path);
Tensor read_npy(const std::string& path);  // named by the file's stem

}  // namespace wl::manifest
