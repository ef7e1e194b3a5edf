// The third pass over a launch, made only when it can tell something.
#include "instrumentation/diagnosis/uninitialised.h"

#include "instrumentation/diagnosis/edit.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/emulator/poison.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using Kind = emulator::Incident::Kind;

bool is_uninitialised(const emulator::Incident& i) { return i.kind == Kind::uninitialised_read; }

}  // namespace

bool follow_uninitialised(
    const Experiment& e,
    const emulator::Program& program,
    capture::Capture& c,
    std::vector<emulator::Incident>& incidents
) {
    const bool seen = std::any_of(incidents.begin(), incidents.end(), is_uninitialised);
    if (!seen && !emulator::may_read_uninitialised(e.module, e.entry)) return false;
    Prepared prepared = prepare_launch(e.problem, entry_of(e.module, e.entry));
    emulator::PoisonOptions options;
    options.schedule_seed = e.options.schedule_seed;
    options.on_progress = run_options(e.options, "trace").on_progress;
    emulator::PoisonTrace trace =
        emulator::trace_poison({e.module, program, prepared.launch, prepared.memory}, options);
    if (trace.cancelled) throw Cancelled{};
    const auto blocks = static_cast<int64_t>(count(e.problem.grid));
    if (trace.blocks < blocks)
        c.notes.push_back(fmt::format(
            "values that nobody initialised were followed in {} of {} blocks only: {}",
            trace.blocks,
            blocks,
            trace.blocks == 0 ? "they wait for each other, or run too long" : "the launch is too long"
        ));
    std::erase_if(incidents, [&](const emulator::Incident& i) {
        if (!is_uninitialised(i)) return false;
        const auto here = [&i](const emulator::Incident& t) { return t.first.site == i.first.site; };
        const bool followed = std::any_of(trace.incidents.begin(), trace.incidents.end(), here);
        const bool harmless = std::binary_search(trace.harmless.begin(), trace.harmless.end(), i.first.site);
        return followed || (harmless && trace.blocks == blocks);
    });
    std::move(trace.incidents.begin(), trace.incidents.end(), std::back_inserter(incidents));
    return true;
}

}  // namespace wl::diagnosis
