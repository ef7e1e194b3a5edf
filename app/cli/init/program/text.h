// What was seen of a program, as the files that a user goes on with.
#pragma once

#include "app/cli/init/program/described.h"

#include <string>
#include <vector>

namespace wl::app {

struct DescribedFiles {
    std::string about;      // "launch 3 of ./prog 1024"
    std::string source;     // as the manifest names it
    std::string entry;      // of a single launch
    std::string reference;  // "scale.py"
    std::vector<std::string> include, defines;
};

std::string described_text(const Described& described, const DescribedFiles& files);
std::string described_reference(const Described& described, const DescribedFiles& files);

// Outputs that a reference has to return.
std::vector<std::string> compared_outputs(const Described& described);

}  // namespace wl::app
