// Kernels of a file as manifests call them.
#pragma once

#include "app/cli/check.h"

#include <filesystem>
#include <string>
#include <vector>

namespace wl::app {

std::string entry_words(const std::string& symbol);  // "scale(float*)"

// What the manifest calls the entry: as shortly as it stays the only one of that name.
std::string entry_key(const CheckReport& report, const std::string& symbol);

// Symbols of the user's kernels, without what a library instantiates beside them.
std::vector<std::string> own_entries(const CheckReport& report);

// A path as it is written in a file of that folder: relative where it lies there or near.
std::string seen_from(const std::filesystem::path& folder, const std::filesystem::path& path);

}  // namespace wl::app
