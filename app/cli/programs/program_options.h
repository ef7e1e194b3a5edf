// What `run` takes for a program, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

// Options of `run`, and the verb `nvcc`.
void add_programs(CLI::App& app, CLI::App& run, Command& command);

// Words behind the first `--` of `run` or `init`, or all of `nvcc`: taken out of the line that is parsed.
std::vector<std::string> take_program(std::vector<std::string>& words);

}  // namespace wl::app
