// The options of the verb layout, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_layout_options(CLI::App& verb, Command& c);

}  // namespace wl::app
