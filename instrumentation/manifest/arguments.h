// Arguments of a manifest: arrays, scalars and structs with their fields, in the kernel's order.
#pragma once

#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_reader.h"

namespace wl::manifest {

// Throws Error on a key that does not go with the argument's kind, and on a name that stands twice.
std::vector<Argument> read_arguments(const Section& parent, const std::string& key);

// [symbol.NAME]: an array or a scalar without a name of its own. Throws Error as above.
Argument read_symbol(const Section& section, const std::string& name);

}  // namespace wl::manifest
