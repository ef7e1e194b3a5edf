// How long one step back takes on a block of v2c_3's mission shape, in the debug build and the optimised one.
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/travel/instant.h"

#include <benchmark/benchmark.h>

namespace {

struct Prepared {
    wl::diagnosis::Experiment experiment;
    wl::travel::Route route;
    wl::emulator::Here last;  // the warp's last instruction
};

Prepared prepare(bool debug) {
    using namespace wl;
    const manifest::Kernel kernel = manifest::load(manifest::resolve("v2c_3"));
    diagnosis::Options options;
    options.debug = debug;
    options.reference = false;
    capture::Capture capture;
    Prepared p{diagnosis::make_experiment(manifest::bind(kernel, {}), options, capture), {}, {}};
    const ptx::Function& entry = *ptx::find_entry(p.experiment.module, p.experiment.entry);
    diagnosis::Prepared launch = diagnosis::prepare_launch(p.experiment.problem, entry);
    p.route = travel::make_route(
        p.experiment.module,
        {emulator::lower(p.experiment.module, p.experiment.entry), launch.launch, std::move(launch.memory)}
    );
    emulator::run_until(*p.route.traveller, 3, [&](const emulator::Here& here) {
        p.last = here;
        return false;
    });
    return p;
}

void step_back_from_the_end(benchmark::State& state) {
    Prepared p = prepare(state.range(0) != 0);
    for (auto _ : state) {
        state.PauseTiming();
        wl::emulator::go_to(*p.route.traveller, p.last.order);
        state.ResumeTiming();
        if (!wl::travel::step(p.route, -1)) state.SkipWithError("no step back");
    }
    state.counters["instants"] = static_cast<double>(p.last.order);
    state.counters["MB"] = static_cast<double>(wl::emulator::key_frame_bytes(*p.route.traveller)) / 1e6;
}
BENCHMARK(step_back_from_the_end)->ArgName("debug")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
