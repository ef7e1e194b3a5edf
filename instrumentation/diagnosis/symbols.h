// What a manifest puts into __device__ and __constant__ variables.
#pragma once

#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/module.h"

#include <string>

namespace wl::diagnosis {

// Throws Error where the module has no variable of that name, or one of another size. `scope`: of C++ in
// which the variables lie, "kernels::".
void fill_symbols(const manifest::Problem& problem, ptx::Module& module, const std::string& scope = {});

}  // namespace wl::diagnosis
