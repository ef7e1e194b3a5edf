// One step of time travel in a recorded block: shared memory at an instant, for a block of the mission shape
// and for a record at the cap of events.
#include "instrumentation/analysis/replay.h"
#include "instrumentation/analysis/timeline.h"
#include "tests/support/synthetic_capture.h"

#include <benchmark/benchmark.h>

namespace wl::analysis {
namespace {

// The recorded block run `times` in a row.
capture::BlockRecord repeated(const capture::BlockRecord& record, uint32_t times) {
    capture::BlockRecord result;
    result.warps = record.warps;
    const uint32_t end = record.events.back().time;
    for (uint32_t i = 0; i < times; ++i)
        for (capture::Event event : record.events) {
            event.time += i * end;
            result.events.push_back(event);
        }
    return result;
}

void step_back(benchmark::State& state) {
    const capture::Capture capture = testing::synthetic_capture();
    const capture::BlockRecord record = repeated(capture.records[0], static_cast<uint32_t>(state.range(0)));
    const ReplayIndex index = replay_index(record);
    const uint32_t end = record.events.back().time;
    uint32_t time = end;
    for (auto _ : state) {
        time = time > 7 ? time - 7 : end;
        benchmark::DoNotOptimize(tile_at(capture, index, capture.tiles[0], time));
    }
    state.counters["events"] = static_cast<double>(record.events.size());
}

void make_index(benchmark::State& state) {
    const capture::Capture capture = testing::synthetic_capture();
    const capture::BlockRecord record = repeated(capture.records[0], static_cast<uint32_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(replay_index(record));
    state.counters["events"] = static_cast<double>(record.events.size());
}

void find_warps(benchmark::State& state) {
    const capture::Capture capture = testing::synthetic_capture();
    const capture::BlockRecord record = repeated(capture.records[0], static_cast<uint32_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(warps_at(capture, record, record.events.back().time));
    state.counters["events"] = static_cast<double>(record.events.size());
}

BENCHMARK(step_back)->Arg(1)->Arg(30)->Unit(benchmark::kMillisecond);
BENCHMARK(make_index)->Arg(1)->Arg(30)->Unit(benchmark::kMillisecond);
BENCHMARK(find_warps)->Arg(1)->Arg(30)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wl::analysis
