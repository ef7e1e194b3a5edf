// The options of the verb accept, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_accept_options(CLI::App& verb, AcceptOptions& options);

}  // namespace wl::app
