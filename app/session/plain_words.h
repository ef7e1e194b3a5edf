// What a worker answers, as the window says it: without the options of the command line.
#pragma once

#include <string>

namespace wl::app {

// "--step iteration: there is no iteration of warp 0 after time 15" becomes "There is no iteration of ...".
std::string plain_words(const std::string& said);

}  // namespace wl::app
