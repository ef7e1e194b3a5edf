// The options of the verb sweep, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_sweep_options(CLI::App& verb, Command& command);

}  // namespace wl::app
