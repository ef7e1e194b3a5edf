// Writing and opening captures: 64 MB of distinct tiles, and a hundred thousand tiles without elements.
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <benchmark/benchmark.h>
#include <filesystem>
#include <unistd.h>

namespace wl::capture {
namespace {

constexpr size_t kBytes = 64'000'000;

std::string file() {
    return (std::filesystem::temp_directory_path() / ("capture_bench_" + std::to_string(getpid()) + ".wlcap"))
        .string();
}

// The verdicts of a launch of 512 blocks, 32 KV iterations and 7 probes.
Capture many_verdicts() {
    Capture capture = testing::synthetic_capture();
    const Tile tile = capture.tiles[1000];
    capture.launch.grid = {512, 1, 1};
    capture.tiles.clear();
    capture.outputs.clear();
    capture.records.clear();
    for (int64_t i = 0; i < 512 * 32 * 7; ++i) {
        capture.tiles.push_back(tile);
        capture.tiles.back().block = i / (32 * 7);
        capture.tiles.back().iteration = static_cast<int>(i / 7 % 32);
        capture.tiles.back().probe = static_cast<int>(i % 7);
    }
    return capture;
}

void write(benchmark::State& state, const Capture& capture) {
    const std::string path = file();
    for (auto _ : state) write_capture(capture, path);
    state.counters["MB"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    std::filesystem::remove(path);
}

void open(benchmark::State& state, const Capture& capture) {
    const std::string path = file();
    write_capture(capture, path);
    for (auto _ : state) benchmark::DoNotOptimize(read_capture(path));
    if (!(read_capture(path) == capture)) state.SkipWithError("what was read is not what was written");
    std::filesystem::remove(path);
}

void write_tiles(benchmark::State& state) { write(state, testing::synthetic_tiles(kBytes)); }
void open_tiles(benchmark::State& state) { open(state, testing::synthetic_tiles(kBytes)); }
void write_verdicts(benchmark::State& state) { write(state, many_verdicts()); }
void open_verdicts(benchmark::State& state) { open(state, many_verdicts()); }

BENCHMARK(write_tiles)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(open_tiles)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(write_verdicts)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(open_verdicts)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace wl::capture
