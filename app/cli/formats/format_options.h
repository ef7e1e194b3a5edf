// In which form the answer is told, and which findings are known, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void set_format(Command& c, const std::string& format);
void add_format(CLI::App& verb, Command& c);    // of the verbs whose answer is a verdict
void add_baseline(CLI::App& verb, Command& c);  // of those whose findings may be known already
void add_page(CLI::App& verb, Command& c);
void add_verbose(CLI::App& verb, Command& c);

}  // namespace wl::app
