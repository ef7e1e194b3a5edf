// Arguments of a manifest: arrays, scalars and structs with their fields, in the kernel's order.
#pragma once

#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_reader.h"

namespace wl::manifest {

// Throws Error on a key that does not go with the argument's kind, and on a name that stands twice.
std::vector<Argument> read_arguments(const Section& parent, const std::string& key);

// The parameters of one launch: names of the kernel's arguments, and scalars of its own.
std::vector<LaunchArgument> read_launch_arguments(
    const Section& launch, const std::vector<Argument>& arguments
);

// [symbol.NAME]: an array or a scalar without a name of its own. Throws Error as above.
Argument read_symbol(const Section& section, const std::string& name);

}  // namespace wl::manifest
