// The whole way of a problem: compiled, executed, explained.
#include "instrumentation/diagnosis/run.h"

#include "instrumentation/analysis/decide.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/early_return.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/launch_limits.h"
#include "instrumentation/diagnosis/launch_refusals.h"
#include "instrumentation/diagnosis/orders/idle_reads.h"
#include "instrumentation/diagnosis/orders/judge.h"
#include "instrumentation/diagnosis/prove/judge.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/uninitialised.h"
#include "instrumentation/diagnosis/run_sequence.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/diagnosis/symbols.h"
#include "instrumentation/diagnosis/timer.h"
#include "instrumentation/travel/layout_marks.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace wl::diagnosis {

namespace {

// What was looked for, by this executor.
void note_checks(const Experiment& e, capture::Capture& c) {
    const execution::Abilities& can = e.options.executor.can;
    for (const auto& [on, name] : {
             std::pair{e.options.races && can.checks.races,                 "races"        },
             {e.options.uninitialised && can.checks.uninitialised, "uninitialised"},
             {can.bounds,                                          "bounds"       },
             {can.barriers,                                        "barriers"     },
             {e.reference.has_value(),                             "reference"    }
    }) {
        if (on) c.covered.checks.emplace_back(name);
    }
}

// A finding about an output says when its limit was less than a worst case.
void say_limits(capture::Capture& c) {
    for (capture::Finding& f : c.findings)
        for (const capture::Output& o : c.outputs)
            if (const std::string said = analysis::limit_sentence(o); f.where.tile == o.name && !said.empty())
                f.explanation += " " + said;
}

// A device does not see single accesses: where something is wrong, the emulator runs the launch with its
// checks and tells what the rules rest on.
void look_again(const Experiment& e, capture::Capture& c, std::vector<execution::Incident>& incidents) {
    if (e.options.executor.can.bounds || (analysis::first_bad_tile(c) < 0 && incidents.empty())) return;
    const Timer again;
    try {
        const execution::Executable executable = emulator::executor().prepare(e.module, e.entry);
        Prepared prepared = prepare(e);
        execution::RunOptions options = run_options(e.options, "diagnose");
        options.marks = false;
        execution::RunResult result = executable.run(prepared.launch, prepared.memory, options);
        drop_part_exited(e, result.incidents);
        if (result.cancelled) throw_cancelled();
        c.counters = {
            {"warp_instructions", static_cast<double>(result.warp_instructions)}
        };
        std::move(result.incidents.begin(), result.incidents.end(), std::back_inserter(incidents));
        c.notes.emplace_back(
            "tiles and outputs were measured; accesses, witnesses and proofs of the findings come from the "
            "emulator, which ran the launch again"
        );
    } catch (const Unsupported& u) {
        c.notes.push_back(std::string("the emulator could not run the launch again: ") + u.what());
    }
    c.seconds.emplace_back("emulator", seconds(again));
}

// What the emulator lacks of the program; empty: nothing.
std::string lacks(const Experiment& e) {
    try {
        static_cast<void>(emulator::executor().prepare(e.module, e.entry));
        return {};
    } catch (const Unsupported& u) { return u.what(); }
}

// Rules change the program and run it again: on the emulator, which sees each access, or, where it lacks an
// instruction, on the executor for trials.
std::vector<capture::Finding> diagnose_measured(
    const Experiment& e, capture::Capture& c, const std::vector<execution::Incident>& incidents
) {
    if (e.options.executor.can.bounds) return diagnose(e, c, incidents);
    Experiment other = e;
    other.options.executor = emulator::executor();
    const std::string lacking = lacks(e);
    if (!lacking.empty() && e.options.trials) {
        constexpr int kThreads = 2;  // it runs one at a time: while it does, another is compiled
        other.options.executor = *e.options.trials, other.options.threads = kThreads;
        c.notes.push_back("changed programs are tried on " + other.options.executor.name);
    }
    return diagnose(other, c, incidents);
}

// What a device left of the stores that were asked for is no evidence of what else was stored: rules do not
// see it.
std::vector<capture::BlockRecord> hold_partial_stores(const Experiment& e, capture::Capture& c) {
    if (e.options.executor.can.bounds || is_whole(e.options.recording)) return {};
    std::vector<capture::BlockRecord> held = c.records;
    for (capture::BlockRecord& record : c.records)
        std::erase_if(record.events, [](const capture::Event& event) {
            return event.kind == capture::EventKind::shared_write;
        });
    return held;
}

void drop_unwanted_stores(const execution::Recording& wanted, capture::Capture& c) {
    for (capture::BlockRecord& record : c.records)
        std::erase_if(record.events, [&](const capture::Event& event) {
            return event.kind == capture::EventKind::shared_write && !takes_store(wanted, event);
        });
}

void require_abilities(const Options& options) {
    if (options.schedule_seed != 0 && !options.executor.can.schedules)
        throw Error(
            options.executor.name + " takes blocks and warps in its own order; leave the schedule's seed out"
        );
}

using Kind = execution::Incident::Kind;

std::vector<Kind> kinds_followed(const std::vector<execution::Incident>& incidents) {
    std::vector<Kind> out;
    for (const execution::Incident& i : incidents)
        if (is_followed(i) && std::find(out.begin(), out.end(), i.kind) == out.end()) out.push_back(i.kind);
    return out;
}

}  // namespace

void explain(const Experiment& e, capture::Capture& c, std::vector<execution::Incident>& incidents) {
    const Options& options = e.options;
    std::vector<capture::BlockRecord> held = hold_partial_stores(e, c);
    if (options.diagnose) look_again(e, c, incidents);
    std::vector<execution::Incident::Kind> harmless;
    if (options.uninitialised && options.executor.can.checks.uninitialised) {
        const Timer trace;
        harmless = kinds_followed(incidents);
        if (follow_uninitialised(e, c, incidents)) c.seconds.emplace_back("trace", seconds(trace));
        for (const auto still : kinds_followed(incidents)) std::erase(harmless, still);
    }
    if (options.races && options.executor.can.schedules) drop_idle_reads(e, c, incidents);
    note_checks(e, c);
    if (options.diagnose && options.on_judged) {
        capture::Capture judged = c;
        judged.verdict = analysis::verdict_of(judged);
        options.on_judged(judged);
    }
    if (options.diagnose) {
        const Timer diagnose_time;
        report(options, "diagnose", 0);
        if (harmless.empty()) {
            c.findings = diagnose_measured(e, c, incidents);
        } else {
            Experiment known = e;
            known.options.harmless = std::move(harmless);
            c.findings = diagnose_measured(known, c, incidents);
        }
        for (const std::string& idea : options.ideas)
            if (c.findings.empty())
                c.notes.push_back("--try " + idea + ": nothing is wrong that it could mend");
        c.seconds.emplace_back("diagnose", seconds(diagnose_time));
    }
    say_limits(c);
    if (!held.empty()) c.records = std::move(held);
    drop_unwanted_stores(options.recording, c);
}

capture::Capture run(
    manifest::Problem problem, const Options& options, std::vector<execution::Incident>* seen
) {
    require_abilities(options);
    capture::Capture about;
    const Experiment e = make_experiment(std::move(problem), options, about);
    return run(e, std::move(about), seen);
}

capture::Capture run_in_schedule(
    const Experiment& e, capture::Capture about, uint64_t seed, std::vector<execution::Incident>* seen
) {
    Experiment other = e;
    other.options.schedule_seed = seed;
    about.notes.push_back(fmt::format(
        "schedule 0 orders the accesses that race: what follows is what --schedule {} shows", seed
    ));
    return run(other, std::move(about), seen);
}

capture::Capture run(const Experiment& e, capture::Capture c, std::vector<execution::Incident>* seen) {
    const Options& options = e.options;
    require_abilities(options);
    if (manifest::is_sequence(e.problem)) return run_sequence(e, c, seen);
    capture::Capture about = c;
    execution::Executable executable;
    try {
        executable = options.executor.prepare(e.module, e.entry);
    } catch (const Unsupported& u) {
        c.unsupported.emplace_back(u.what());
        c.verdict = "unsupported";
        c.launch.kernel = e.problem.kernel.name, c.launch.executor = options.executor.name;
        return c;
    }
    describe_launch(e, executable, c);
    auto impossible = impossible_launch(e, c);
    if (!impossible) impossible = refused_launch(e, c);
    if (impossible) {
        c.findings.push_back(std::move(*impossible));
        c.verdict = "findings";
        return c;
    }
    Prepared prepared = prepare_launch(e.problem, entry_of(e.module, e.entry));
    Pass pass = run_pass(e, executable, prepared, c);
    std::vector<execution::Incident>& incidents = pass.incidents;
    const double work = counter(c, "warp_instructions");
    const uint64_t seed = has_race(incidents) ? 0 : racing_schedule(e, pass.contest, work);
    if (seed != 0) return run_in_schedule(e, std::move(about), seed, seen);
    compare_pass(e, executable, prepared.memory, c);
    record_pass(e, executable, c, incidents);
    explain(e, c, incidents);
    c.verdict = analysis::verdict_of(c);
    try_orders(e, pass.contest, c);
    if (seen != nullptr) *seen = std::move(incidents);
    return c;
}

}  // namespace wl::diagnosis
