// A guess as the two files that a user goes on with.
#pragma once

#include "app/cli/init/guess.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace wl::app {

struct Files {
    std::string source;                // as the manifest names it: "scale.cu"
    std::string entry;                 // as C++ calls it; empty: the only one
    std::string reference;             // "scale.py"
    std::vector<std::string> include;  // folders of headers, seen from the manifest
    std::vector<std::string> defines;  // "TILE=32", or a name alone
};

// Pieces of a manifest: an argument as an inline table, the extents and bytes of a launch, [define].
std::string quoted(const std::string& text);  // a number as it stands, else in quotes
std::string argument_text(const manifest::Argument& argument);
bool is_bytes(const manifest::Argument& argument);  // { bytes = ... }
void set_bytes(manifest::Argument& argument, std::span<const std::byte> bytes);
std::string launch_text(const manifest::LaunchRule& rule);
std::string defines_text(const std::vector<std::string>& defines);  // "TILE=32"

// A name that Python can take.
std::string python_name(const std::string& name);

std::string manifest_text(const Guess& guess, const Files& files);
std::string reference_text(const Guess& guess, const Files& files);

}  // namespace wl::app
