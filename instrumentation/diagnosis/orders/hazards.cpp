#include "instrumentation/diagnosis/orders/hazards.h"

#include "instrumentation/diagnosis/orders/judge.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/diagnosis/sequence.h"

#include <fmt/format.h>
#include <utility>

namespace wl::diagnosis {

namespace {

// What both orders of its accesses make of each race.
void judge_races(Hazards& h) {
    const Exploration& x = h.exploration;
    if (!changed(x).empty() || x.pairs == 0) return;
    for (capture::Finding& f : h.capture.findings)
        if (f.rule.starts_with("race_"))
            f.explanation += fmt::format(
                " Harmless as far as tried: in {} other schedules{} the outputs stay the same.",
                x.schedules,
                pairs_text(x)
            );
}

}  // namespace

Hazards find_hazards(
    manifest::Problem problem,
    Options options,
    uint64_t schedules,
    const std::optional<execution::Executor>& device
) {
    options.reference = false;
    Hazards out;
    std::vector<execution::Incident> seen;
    out.capture = run(problem, options, &seen);
    if (schedules == 0 || out.capture.verdict == "unsupported") return out;
    capture::Capture scratch;
    const Experiment made = make_experiment(std::move(problem), options, scratch);
    const Experiment e = with_memory(at_launch(made, static_cast<size_t>(out.capture.launch.number - 1)));
    out.exploration = explore(e, seen, schedules);
    out.capture.covered.schedules += static_cast<int>(out.exploration.schedules);
    out.capture.notes.push_back(outcome(out.exploration));
    judge_races(out);
    add_order_finding(e, out.exploration, seen, out.capture);
    if (device) out.device = explore_on(e, seen, schedules, *device);
    return out;
}

}  // namespace wl::diagnosis
