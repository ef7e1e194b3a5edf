// Extents of arrays by the host's allocations.
#pragma once

#include "app/cli/init/guess.h"

#include <map>
#include <string>

namespace wl::app {

// Arrays that the host allocates with a size which the kernel's numbers tell have as many elements. `known`:
// names of the host as the manifest's.
void take_host_sizes(
    Guess& guess,
    const SourceText& source,
    const LaunchText& launch,
    const std::map<std::string, std::string>& known
);

}  // namespace wl::app
