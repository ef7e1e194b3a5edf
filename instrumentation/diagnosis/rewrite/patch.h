// Two texts as a patch.
#pragma once

#include <string>

namespace wl::diagnosis::rewrite {

// What `patch -p1` takes, with three lines around; empty where both are the same. `file`: as the header names
// it, below a/ and b/.
std::string patch_of(const std::string& file, const std::string& was, const std::string& now);

}  // namespace wl::diagnosis::rewrite
