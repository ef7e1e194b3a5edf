// The third pass over a launch, made only when it can tell something.
#include "instrumentation/diagnosis/rules/uninitialised.h"

#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/rules/words.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/poison/poison.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using Kind = emulator::Incident::Kind;

// What matters only where the value goes.
bool is_followed(const emulator::Incident& i) {
    return i.kind == Kind::uninitialised_read ||
        (i.kind == Kind::lane_not_in_mask && i.detail == emulator::kInactiveSource);
}

// Only these can become findings of their own.
bool is_open(
    const Experiment& e, const std::vector<emulator::Incident>& incidents, const emulator::Incident& i
) {
    return is_followed(i) &&
        (i.kind != Kind::uninitialised_read ||
         !explained_by_race(e.module, entry_of(e.module, e.entry), incidents, i));
}

}  // namespace

bool explained_by_race(
    const ptx::Module& module,
    const ptx::Function& entry,
    const std::vector<emulator::Incident>& incidents,
    const emulator::Incident& uninitialised
) {
    const capture::Where read = where_of(module, entry, uninitialised.first.site);
    for (const emulator::Incident& i : incidents) {
        if (i.kind != Kind::race_shared && i.kind != Kind::race_warp && i.kind != Kind::race_global) continue;
        for (const emulator::Access* a : {&i.first, &i.second})
            if (!a->write && same_line(where_of(module, entry, a->site), read)) return true;
    }
    return false;
}

bool follow_uninitialised(
    const Experiment& e, capture::Capture& c, std::vector<emulator::Incident>& incidents
) {
    const bool open = std::any_of(incidents.begin(), incidents.end(), [&](const emulator::Incident& i) {
        return is_open(e, incidents, i);
    });
    if (!open && !emulator::may_read_uninitialised(e.module, e.entry)) return false;
    Prepared prepared = prepare_launch(e.problem, entry_of(e.module, e.entry));
    emulator::PoisonOptions options;
    options.schedule_seed = e.options.schedule_seed;
    options.on_progress = run_options(e.options, "trace").on_progress;
    const auto program = emulator::lower(e.module, e.entry);
    emulator::PoisonTrace trace =
        emulator::trace_poison({e.module, *program, prepared.launch, prepared.memory}, options);
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
        if (!is_followed(i)) return false;
        const auto here = [&i](const emulator::Incident& t) { return t.first.site == i.first.site; };
        const bool followed = std::any_of(trace.incidents.begin(), trace.incidents.end(), here);
        const bool harmless = std::binary_search(trace.harmless.begin(), trace.harmless.end(), i.first.site);
        return followed || (harmless && trace.blocks == blocks);
    });
    // Of a shuffle the mask is to be mended, wherever its value goes.
    for (emulator::Incident& i : trace.incidents)
        if (i.kind == Kind::lane_not_in_mask) i.second = {};
    std::move(trace.incidents.begin(), trace.incidents.end(), std::back_inserter(incidents));
    return true;
}

}  // namespace wl::diagnosis
