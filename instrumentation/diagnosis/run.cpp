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
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/launch_limits.h"
#include "instrumentation/diagnosis/launch_refusals.h"
#include "instrumentation/diagnosis/orders/idle_reads.h"
#include "instrumentation/diagnosis/orders/judge.h"
#include "instrumentation/diagnosis/prove/judge.h"
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
#include <iterator>
#include <utility>

namespace wl::diagnosis {

namespace {

std::string now_utc() {
    const std::time_t t = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&t, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

compile::Compiled compile_kernel(const manifest::Problem& p, const Options& options) {
    return compile::compile(compile_options(p, options));
}

std::string entry_name(
    const manifest::Problem& p,
    const ptx::Module& module,
    const compile::Compiled& compiled,
    const std::string& wanted
) {
    const std::vector<std::string> instances = manifest::template_entries(p);
    for (size_t i = 0; i < std::min(instances.size(), compiled.lowered_names.size()); ++i)
        if (instances[i] == wanted) return compiled.lowered_names[i];
    const ptx::Function* entry = ptx::find_entry(module, wanted);
    if (entry != nullptr) return entry->name;
    std::string there;
    std::vector<std::string> called;
    for (const ptx::Function& f : module.functions) {
        if (!f.is_entry || f.is_declaration) continue;
        there += (there.empty() ? "" : ", ") + demangle(f.name);
        if (is_name_of(wanted, f.name)) called.push_back(f.name);
    }
    if (called.size() == 1) return called.front();
    if (there.empty()) throw Error(p.kernel.source + ": there is no __global__ function in it");
    if (wanted.empty())
        throw Error(
            p.kernel.path + ": the source has several kernels (" + there + "); name one with entry = \"...\""
        );
    throw Error(
        p.kernel.path + (called.empty() ? ": no kernel named '" : ": several kernels are named '") + wanted +
        "' in " + p.kernel.source + "; there is " + there +
        (called.empty() ? " (or name an instance of a template)" : " (name one with its parameters)")
    );
}

}  // namespace

void report(const Options& options, const char* stage, double fraction) {
    check_stop();
    if (options.on_progress && !options.on_progress({stage, fraction})) throw Cancelled{};
}

compile::CompileOptions compile_options(const manifest::Problem& p, const Options& options) {
    compile::CompileOptions c;
    c.source_path = p.kernel.source, c.display_path = path_from_here(p.kernel.source), c.defines = p.defines,
    c.include = p.kernel.include, c.arch = options.arch, c.debug = options.debug;
    c.name_expressions = manifest::template_entries(p), c.ptx = p.ptx;
    return c;
}

Experiment debug_build_of(const Experiment& e) {
    Experiment out = e;
    out.options.debug = true;
    const compile::Compiled compiled = compile_kernel(out.problem, out.options);
    out.module = ptx::parse(compiled.ptx);
    out.entries.clear();
    for (const manifest::BoundLaunch& launch : out.problem.launches)
        out.entries.push_back(entry_name(out.problem, out.module, compiled, launch.entry));
    out.entry = out.entries[out.problem.at];
    fill_symbols(out.problem, out.module);
    return out;
}

Experiment at_launch(const Experiment& e, size_t launch) {
    Experiment out = e;
    out.problem.at = launch, out.entry = e.entries[launch];
    out.before = nullptr, out.unsettled = nullptr;
    return out;
}

execution::RunOptions run_options(const Options& o, const char* stage) {
    execution::RunOptions out;
    out.threads = o.threads, out.schedule_seed = o.schedule_seed, out.budget = o.budget;
    out.checks = {.races = o.races, .uninitialised = o.uninitialised, .uniform = o.reference};
    out.on_progress = [&o, stage](uint64_t done, uint64_t total) {
        return !o.on_progress ||
            o.on_progress({stage, total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total)});
    };
    return out;
}

namespace {

// The kernel's own text as it was compiled; headers are read where they still lie. What the PTX of a recorded
// launch or of a capture names is not opened.
std::string source_text(
    const manifest::Problem& p, const std::string& file, const compile::Compiled& compiled
) {
    if (!p.ptx.empty()) return {};
    if (std::filesystem::path(file).filename() == std::filesystem::path(p.kernel.source).filename())
        return compiled.source_text;
    std::error_code none;
    return std::filesystem::is_regular_file(file, none) ? read_text_file(file) : "";
}

}  // namespace

Experiment make_experiment(manifest::Problem problem, const Options& options, capture::Capture& c) {
    c.tool_version = WL_VERSION, c.created = now_utc();
    report(options, "compile", 0);
    const Timer compile;
    const compile::Compiled compiled = compile_kernel(problem, options);
    Experiment e{std::move(problem), ptx::parse(compiled.ptx), {}, {}, {}, {}, std::nullopt, {}, options};
    for (const manifest::BoundLaunch& launch : e.problem.launches)
        e.entries.push_back(entry_name(e.problem, e.module, compiled, launch.entry));
    e.entry = e.entries[e.problem.at];
    fill_symbols(e.problem, e.module);
    for (const ptx::Function& f : e.module.functions)
        for (const ptx::Mark& mark : f.marks) travel::notation_of(mark);
    c.seconds.emplace_back("compile", seconds(compile));
    c.ptx = compiled.ptx;
    c.covered.assumed = e.problem.kernel.assumed;
    if (manifest::is_recorded(e.problem)) c.notes.push_back(e.problem.kernel.story);
    c.notes.insert(c.notes.end(), e.problem.remarks.begin(), e.problem.remarks.end());
    for (const std::string& file : e.module.files)
        c.sources.push_back({file, source_text(e.problem, file, compiled)});
    if (options.reference) {
        MadeReference made = make_reference(e.problem);
        e.reference = std::move(made.reference), e.reference_problem = std::move(made.problem);
        c.covered.reference_problem = e.reference_problem;
        if (!e.reference_problem.empty()) c.notes.push_back("no reference: " + e.reference_problem);
        if (!made.remark.empty()) c.notes.push_back(made.remark);
    }
    return e;
}

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
        if (result.cancelled) throw Cancelled{};
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

capture::Capture run(const Experiment& e, capture::Capture c, std::vector<execution::Incident>* seen) {
    const Options& options = e.options;
    require_abilities(options);
    if (manifest::is_sequence(e.problem)) return run_sequence(e, c, seen);
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
    compare_pass(e, executable, prepared.memory, c);
    record_pass(e, executable, c, incidents);
    explain(e, c, incidents);
    c.verdict = analysis::verdict_of(c);
    try_orders(e, pass.contest, c);
    if (seen != nullptr) *seen = std::move(incidents);
    return c;
}

}  // namespace wl::diagnosis
