// The launches of a manifest, [launch] or several [[launch]], and how outputs are judged after them.
#pragma once

#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_reader.h"

#include <map>
#include <string>
#include <vector>

namespace wl::manifest {

// Does an expression know this name besides parameters? Functions, "warp", "iteration", ...
bool has_meaning(const std::string& name);

// After the kernel's arguments and parameters were read. Throws Error.
std::vector<LaunchRule> read_launches(const Section& top, const Kernel& kernel);

// The rules under `parent`'s key "output".
std::map<std::string, OutputRule> read_outputs(const Section& parent, const Kernel& kernel);

}  // namespace wl::manifest
