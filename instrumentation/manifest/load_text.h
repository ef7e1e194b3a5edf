// A manifest that came with a capture.
#pragma once

#include "instrumentation/manifest/manifest.h"

namespace wl::manifest {

// As manifest::load, of a text: no file that it names is opened or looked for. `path` names it in messages.
Kernel load_text(const std::string& text, const std::string& path);

}  // namespace wl::manifest
