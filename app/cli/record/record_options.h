// The options of `record`.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_record_options(CLI::App& verb, Command& command);

}  // namespace wl::app
