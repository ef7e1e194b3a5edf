// Peak memory of a launch by its number of blocks: what is held is what runs.
#include "tests/support/heap_count.h"
#include "tests/support/wide_launch.h"

#include <benchmark/benchmark.h>

namespace wl::emulator {
namespace {

void launch_blocks(benchmark::State& state) {
    const auto blocks = static_cast<uint32_t>(state.range(0));
    size_t peak = 0;
    for (auto _ : state) {
        test::KernelRun run(test::wide_kernel(), test::kWideThreads, blocks);
        run.out<uint32_t>("sums", blocks);
        run.options.threads = 2;
        const size_t before = testing::heap_bytes();
        testing::reset_heap_peak();
        run.go();
        peak = testing::heap_peak_bytes() - before;
        if (run.result.blocks != blocks) state.SkipWithError("some blocks did not come to their end");
    }
    state.counters["peak_KiB"] = static_cast<double>(peak) / 1024;
}

BENCHMARK(launch_blocks)->Arg(1)->Arg(2)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace wl::emulator
