// Textures and surfaces of a manifest: args[..].texture and args[..].surface.
#pragma once

#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_reader.h"

namespace wl::manifest {

// Nothing when the array has neither key. Throws Error where the array cannot be one.
std::optional<TextureRule> read_texture(const Section& section, const Argument& argument);

// Throws Error when the array's last extent is not the number of channels that the rule says.
void check_texture(const TextureRule& rule, const Tensor& data, const std::string& where);

}  // namespace wl::manifest
