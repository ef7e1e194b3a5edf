// The options that say how a .cu is compiled and which entry of it is meant, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_source_options(CLI::App& verb, CheckOptions& o);

// All of init, those above among them.
void add_init_options(CLI::App& init, Command& c);

}  // namespace wl::app
