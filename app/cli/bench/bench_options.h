// The options of `bench`, for CLI11.
#pragma once

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace wl::app {

void add_bench_options(CLI::App& bench, BenchOptions& o);

}  // namespace wl::app
