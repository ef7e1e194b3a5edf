// Several launches of one host function, over the same buffers, as one manifest.
#pragma once

#include "app/cli/init/guess.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

// Nothing where the host shows no launch that reads what one before it wrote. `entries`: symbols of the
// user's kernels; `names`: what a manifest calls them. Runs each kernel alone, to see what it reads and
// writes.
std::optional<Guess> guess_launches(
    const ptx::Module& module,
    const std::vector<std::string>& entries,
    const std::vector<std::string>& names,
    const SourceText& source,
    const std::string& file
);

}  // namespace wl::app
