// The options of every verb that runs a kernel, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_common_options(CLI::App& verb, Command& c);  // of accept, too, which takes several kernels
void add_kernel_options(CLI::App& verb, Command& c);  // what decides the run of one kernel

void add_trust_option(CLI::App& verb, Command& c);  // of verbs that take a capture

}  // namespace wl::app
