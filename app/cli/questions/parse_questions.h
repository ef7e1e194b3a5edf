// The options that name an instant or an element, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_instant_options(CLI::App& at, AtOptions& o);
void add_shared_options(CLI::App& at, SharedOptions& o);
void add_element_options(CLI::App& why, WhyOptions& o);

}  // namespace wl::app
