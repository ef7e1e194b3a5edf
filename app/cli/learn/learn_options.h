// The options of the verb learn, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_learn_options(CLI::App& verb, LearnOptions& options);

}  // namespace wl::app
