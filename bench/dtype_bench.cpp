// Elements a second through conversion and ULP distance: every captured tile passes through them once.
#include "instrumentation/base/dtype.h"

#include <benchmark/benchmark.h>
#include <random>
#include <vector>

namespace wl {
namespace {

constexpr size_t kElements = 64 * 64;  // one tile

struct Tiles {
    std::vector<double> values;
    std::vector<std::byte> bytes;  // the same values in the benchmark's format
};

Tiles normal_tile(DType t) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    Tiles tiles{std::vector<double>(kElements), std::vector<std::byte>(kElements * size_of(t))};
    for (size_t i = 0; i < kElements; ++i) {
        tiles.values[i] = normal(random);
        from_double(t, tiles.values[i], &tiles.bytes[i * size_of(t)]);
    }
    return tiles;
}

void count_elements(benchmark::State& state) {
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kElements));
}

void decode(benchmark::State& state, DType t) {
    Tiles tiles = normal_tile(t);
    for (auto _ : state) {
        for (size_t i = 0; i < kElements; ++i) tiles.values[i] = to_double(t, &tiles.bytes[i * size_of(t)]);
        benchmark::DoNotOptimize(tiles.values.data());
    }
    count_elements(state);
}

void encode(benchmark::State& state, DType t) {
    Tiles tiles = normal_tile(t);
    for (auto _ : state) {
        for (size_t i = 0; i < kElements; ++i) from_double(t, tiles.values[i], &tiles.bytes[i * size_of(t)]);
        benchmark::DoNotOptimize(tiles.bytes.data());
    }
    count_elements(state);
}

void distance(benchmark::State& state, DType t) {
    const Tiles tiles = normal_tile(t);
    for (auto _ : state) {
        for (size_t i = 0; i < kElements; ++i)
            benchmark::DoNotOptimize(
                ulp_distance(t, to_double(t, &tiles.bytes[i * size_of(t)]), tiles.values[i])
            );
    }
    count_elements(state);
}

BENCHMARK_CAPTURE(decode, f16, DType::f16);
BENCHMARK_CAPTURE(decode, f32, DType::f32);
BENCHMARK_CAPTURE(encode, f16, DType::f16);
BENCHMARK_CAPTURE(encode, f32, DType::f32);
BENCHMARK_CAPTURE(distance, f16, DType::f16);
BENCHMARK_CAPTURE(distance, f32, DType::f32);

}  // namespace
}  // namespace wl
