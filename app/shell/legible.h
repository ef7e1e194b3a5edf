// Whether what is written in a frame can be read: nothing over another text, nothing cut off without saying
// so.
#pragma once

#include "app/draw/ui.h"

#include <string>
#include <vector>

namespace wl::app {

// What of it cannot, one sentence each: "'|diff|' lies over 'bounds'", "'Banks' is cut off".
std::vector<std::string> illegible(const std::vector<Written>& written);

}  // namespace wl::app
