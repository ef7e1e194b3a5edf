// Arguments of a manifest that are tensor maps: args[..].tensor_map (docs/manifest.md).
#pragma once

#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_reader.h"

namespace wl::manifest {

// A CUtensorMap by value over one of `arguments`: a struct of the fields that base/tensor_map.h lays out.
// Throws Error where there is no such array, or where the map is one that CUDA does not take.
Argument read_tensor_map(const Section& section, const std::vector<Argument>& arguments);

}  // namespace wl::manifest
