// The options of the verb fragments, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_fragment_options(CLI::App& verb, Command& c);

}  // namespace wl::app
