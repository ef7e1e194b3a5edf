// Textures and surfaces of a manifest: args[..].texture and args[..].surface.
#pragma once

#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_reader.h"

namespace wl::manifest {

// Nothing when the array has neither key. Throws Error where the array cannot be one.
std::optional<TextureRule> read_texture(const Section& section, const Argument& argument);

// Gives the rule its numbers. Throws Error when the array has not the extents that it asks for.
void bind_texture(
    const std::map<std::string, double>& variables,
    const Tensor& data,
    const std::string& where,
    TextureRule& rule
);

}  // namespace wl::manifest
