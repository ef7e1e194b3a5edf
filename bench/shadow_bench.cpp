// Cost of the shadow per warp access, in the patterns of attention kernels: 8 warps, 64 KiB of shared memory,
// a barrier between phases as the kernels have it. The counter is the time of one warp access.
#include "instrumentation/emulator/shadow/shadow.h"

#include <benchmark/benchmark.h>
#include <numeric>

namespace wl::emulator {
namespace {

constexpr int kWarps = 8;
constexpr uint32_t kBytes = 64 << 10;

struct Fixture {
    Shadow shadow;
    uint32_t addresses[32] = {};

    Fixture() { start(shadow, {.block = 0, .threads = kWarps * 32, .bytes = kBytes}); }

    WarpAccess access(int warp, uint32_t base, uint32_t step, uint32_t bytes) {
        for (uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = base + lane * step;
        return {.warp = warp, .site = 1, .mask = ~0u, .bytes = bytes, .addresses = addresses};
    }

    void barrier() {
        for (int warp = 0; warp < kWarps; ++warp) arrive(shadow, 0, warp, true);
        complete(shadow, 0);
    }

    // Every word written by its row's warp, so that nothing is uninitialised.
    void fill() {
        for (uint32_t base = 0; base < kBytes; base += 128) {
            WarpAccess write = access(int(base / 128 % kWarps), base, 4, 4);
            write.site = 2;
            write_shared(shadow, write);
        }
        barrier();
    }

    void report(benchmark::State& state, uint64_t accesses) {
        if (!shadow.incidents.empty()) state.SkipWithError("the pattern races");
        state.counters["access"] =
            benchmark::Counter(double(accesses), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    }
};

// 16 KiB that `warps` read whole, one after the other, after each barrier: a K tile. `step` and `bytes` a
// lane.
void read_tile(benchmark::State& state) {
    const auto step = uint32_t(state.range(0)), bytes = uint32_t(state.range(1));
    const int warps = int(state.range(2));
    Fixture f;
    f.fill();
    uint64_t accesses = 0;
    for (auto _ : state) {
        for (int warp = 0; warp < warps; ++warp) {
            WarpAccess read = f.access(warp, 0, step, bytes);
            const uint32_t width = step > bytes ? step : 32 * bytes,
                           count = step > bytes ? step / bytes : 16384 / width;
            for (uint32_t i = 0; i < count; ++i, ++accesses) {
                read_shared(f.shadow, read);
                const uint32_t next = step > bytes ? bytes : width;
                for (uint32_t& address : f.addresses) address += next;
            }
        }
        f.barrier();
    }
    f.report(state, accesses);
}
BENCHMARK(read_tile)
    ->ArgNames({"step", "bytes", "warps"})
    ->Args({4, 4, 1})
    ->Args({4, 4, 2})
    ->Args({4, 4, 8})
    ->Args({16, 16, 8})
    ->Args({2, 2, 8})
    ->Args({288, 4, 8})
    ->Args({288, 16, 8})
    ->Args({144, 2, 8});

// All lanes one word, which moves on through a row.
void read_broadcast(benchmark::State& state) {
    Fixture f;
    f.fill();
    uint64_t accesses = 0;
    for (auto _ : state) {
        for (int warp = 0; warp < kWarps; ++warp) {
            WarpAccess read = f.access(warp, 0, 0, 4);
            for (uint32_t i = 0; i < 512; ++i, ++accesses) {
                read_shared(f.shadow, read);
                for (uint32_t& address : f.addresses) address += 4;
            }
        }
        f.barrier();
    }
    f.report(state, accesses);
}
BENCHMARK(read_broadcast);

// A tile written by its warps, a barrier, the next: `bytes` a lane, consecutive.
void write_tile(benchmark::State& state) {
    const auto bytes = uint32_t(state.range(0));
    Fixture f;
    f.fill();
    uint64_t accesses = 0;
    for (auto _ : state) {
        for (uint32_t i = 0; i < 16384 / (32 * bytes); ++i, ++accesses) {
            write_shared(f.shadow, f.access(int(i % kWarps), i * 32 * bytes, bytes, bytes));
        }
        f.barrier();
    }
    f.report(state, accesses);
}
BENCHMARK(write_tile)->ArgName("bytes")->Arg(4)->Arg(16)->Arg(2);

// Each thread reads and writes its own elements again and again, no barrier between: an accumulator.
void update_own(benchmark::State& state) {
    Fixture f;
    f.fill();
    uint64_t accesses = 0;
    for (auto _ : state) {
        for (int warp = 0; warp < kWarps; ++warp) {
            for (uint32_t row = 0; row < 16; ++row, accesses += 2) {
                WarpAccess own = f.access(warp, uint32_t(warp) * 2048 + row * 128, 4, 4);
                read_shared(f.shadow, own);
                own.site = 2;
                write_shared(f.shadow, own);
            }
        }
    }
    f.report(state, accesses);
}
BENCHMARK(update_own);

// A warp's own tile, written, read by other lanes after a syncwarp, and again.
void exchange_in_warp(benchmark::State& state) {
    Fixture f;
    f.fill();
    uint64_t accesses = 0;
    for (auto _ : state) {
        for (uint32_t row = 0; row < 16; ++row, ++accesses) {
            write_shared(f.shadow, f.access(3, row * 128, 4, 4));
        }
        sync_warp(f.shadow, 3, ~0u);
        for (uint32_t row = 0; row < 16; ++row, ++accesses) {
            read_shared(f.shadow, f.access(3, row * 4, 64, 4));
        }
        sync_warp(f.shadow, 3, ~0u);
    }
    f.report(state, accesses);
}
BENCHMARK(exchange_in_warp);

// cp.async of 16 bytes a lane: issue and completion.
void copy_tile(benchmark::State& state) {
    Fixture f;
    uint64_t accesses = 0;
    for (auto _ : state) {
        for (bool completes : {false, true}) {
            for (uint32_t i = 0; i < 32; ++i, ++accesses) {
                WarpAccess copy = f.access(int(i % kWarps), i * 512, 16, 16);
                completes ? complete_copy(f.shadow, copy) : begin_copy(f.shadow, copy);
            }
        }
        f.barrier();
    }
    f.report(state, accesses);
}
BENCHMARK(copy_tile);

// wmma.load of a 16 x 16 half tile: 16 rows of 32 bytes, by every warp.
void read_fragment(benchmark::State& state) {
    Fixture f;
    f.fill();
    uint64_t accesses = 0;
    for (auto _ : state) {
        for (int warp = 0; warp < kWarps; ++warp) {
            for (uint32_t column = 0; column < 4; ++column, ++accesses) {
                read_rows(f.shadow, {warp, 1, ~0u, column * 32, 32, 16, 144});
            }
        }
        f.barrier();
    }
    f.report(state, accesses);
}
BENCHMARK(read_fragment);

void full_barrier(benchmark::State& state) {
    Fixture f;
    for (auto _ : state) f.barrier();
}
BENCHMARK(full_barrier);

void start_block(benchmark::State& state) {
    Fixture f;
    for (auto _ : state) start(f.shadow, {.block = 0, .threads = kWarps * 32, .bytes = kBytes});
}
BENCHMARK(start_block);

}  // namespace
}  // namespace wl::emulator
