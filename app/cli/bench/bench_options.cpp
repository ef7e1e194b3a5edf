#include "app/cli/bench/bench_options.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void add_bench_options(CLI::App& bench, BenchOptions& o) {
    bench.add_option("--samples", o.samples, "default: 30")->check(CLI::PositiveNumber);
    bench.add_option("--launches", o.launches, "of a sample, in one CUDA graph; default: 20")
        ->check(CLI::PositiveNumber);
    bench.add_option("--flops", o.flops, "operations of a launch: an expression over parameters");
    bench.add_flag("--observed", o.observed, "what dumping the marks costs, too");
    bench.add_option("--against", o.against, "torch: PyTorch's attention, timed in the same way")
        ->check(CLI::IsMember({"torch"}));
}

}  // namespace wl::app
