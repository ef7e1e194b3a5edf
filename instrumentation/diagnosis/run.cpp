// The whole way of a problem: compiled, executed, explained.
#include "instrumentation/diagnosis/run.h"

#include "instrumentation/analysis/decide.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/launch_limits.h"
#include "instrumentation/diagnosis/launch_refusals.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/uninitialised.h"
#include "instrumentation/diagnosis/symbols.h"
#include "instrumentation/diagnosis/timer.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

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

// "kernels/v2c_3.cu": as short as it stays unambiguous for someone in this directory, else beside the
// manifest's folder.
std::string display_path(const manifest::Problem& p) {
    const std::filesystem::path source = std::filesystem::weakly_canonical(p.kernel.source),
                                here = std::filesystem::current_path();
    const std::filesystem::path relative = source.lexically_relative(here);
    if (!relative.empty() && *relative.begin() != "..") return relative.string();
    return (source.parent_path().filename() / source.filename()).string();
}

compile::Compiled compile_kernel(const manifest::Problem& p, const Options& options) {
    compile::CompileOptions c;
    c.source_path = p.kernel.source, c.display_path = display_path(p), c.defines = p.defines,
    c.include = p.kernel.include, c.arch = options.arch, c.debug = options.debug;
    if (p.kernel.entry.find('<') != std::string::npos) c.name_expressions.push_back(p.kernel.entry);
    return compile::compile(c);
}

std::string entry_name(
    const manifest::Problem& p, const ptx::Module& module, const compile::Compiled& compiled
) {
    if (!compiled.lowered_names.empty()) return compiled.lowered_names.front();
    const ptx::Function* entry = ptx::find_entry(module, p.kernel.entry);
    if (entry != nullptr) return entry->name;
    std::string there;
    std::vector<std::string> called;
    for (const ptx::Function& f : module.functions) {
        if (!f.is_entry || f.is_declaration) continue;
        there += (there.empty() ? "" : ", ") + demangle(f.name);
        if (is_name_of(p.kernel.entry, f.name)) called.push_back(f.name);
    }
    if (called.size() == 1) return called.front();
    if (there.empty()) throw Error(p.kernel.source + ": there is no __global__ function in it");
    if (p.kernel.entry.empty())
        throw Error(
            p.kernel.path + ": the source has several kernels (" + there + "); name one with entry = \"...\""
        );
    throw Error(
        p.kernel.path + (called.empty() ? ": no kernel named '" : ": several kernels are named '") +
        p.kernel.entry + "' in " + p.kernel.source + "; there is " + there +
        (called.empty() ? " (or name an instance of a template)" : " (name one with its parameters)")
    );
}

}  // namespace

void report(const Options& options, const char* stage, double fraction) {
    if (options.on_progress && !options.on_progress({stage, fraction})) throw Cancelled{};
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

Experiment make_experiment(manifest::Problem problem, const Options& options, capture::Capture& c) {
    c.tool_version = WL_VERSION, c.created = now_utc();
    report(options, "compile", 0);
    const Timer compile;
    const compile::Compiled compiled = compile_kernel(problem, options);
    Experiment e{std::move(problem), ptx::parse(compiled.ptx), {}, std::nullopt, {}, options};
    e.entry = entry_name(e.problem, e.module, compiled);
    fill_symbols(e.problem, e.module);
    c.seconds.emplace_back("compile", seconds(compile));
    c.ptx = compiled.ptx;
    for (const std::string& file : e.module.files) {
        // The kernel's own text as it was compiled; headers are read where they still lie.
        const bool own = std::filesystem::path(file).filename() ==
            std::filesystem::path(e.problem.kernel.source).filename();
        std::error_code none;
        c.sources.push_back(
            {file,
             own                                                ? compiled.source_text
                 : std::filesystem::is_regular_file(file, none) ? read_text_file(file)
                                                                : ""}
        );
    }
    if (options.reference) {
        MadeReference made = make_reference(e.problem);
        e.reference = std::move(made.reference), e.reference_problem = std::move(made.problem);
        c.covered.reference_problem = e.reference_problem;
        if (!e.reference_problem.empty()) c.notes.push_back("no reference: " + e.reference_problem);
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

void require_abilities(const Options& options) {
    if (options.schedule_seed != 0 && !options.executor.can.schedules)
        throw Error(
            options.executor.name + " takes blocks and warps in its own order; leave the schedule's seed out"
        );
}

}  // namespace

capture::Capture run(
    manifest::Problem problem, const Options& options, std::vector<execution::Incident>* seen
) {
    require_abilities(options);
    capture::Capture c;
    const Experiment e = make_experiment(std::move(problem), options, c);
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
    std::vector<execution::Incident> incidents = assemble(e, executable, c);
    if (options.uninitialised && options.executor.can.checks.uninitialised) {
        const Timer trace;
        if (follow_uninitialised(e, c, incidents)) c.seconds.emplace_back("trace", seconds(trace));
    }
    note_checks(e, c);
    if (options.diagnose) {
        const Timer diagnose_time;
        report(options, "diagnose", 0);
        c.findings = diagnose(e, c, incidents);
        c.seconds.emplace_back("diagnose", seconds(diagnose_time));
    }
    say_limits(c);
    c.verdict = analysis::verdict_of(c);
    if (seen != nullptr) *seen = std::move(incidents);
    return c;
}

}  // namespace wl::diagnosis
