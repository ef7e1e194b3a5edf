// A guess as the two files that a user goes on with.
#pragma once

#include "app/cli/init/guess.h"

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

std::string manifest_text(const Guess& guess, const Files& files);
std::string reference_text(const Guess& guess, const Files& files);

}  // namespace wl::app
