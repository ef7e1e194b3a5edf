// The two passes: every block fast, then the block that matters with everything recorded.
#include "instrumentation/diagnosis/run.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/nvrtc.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/launch_limits.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/prove/edit.h"
#include "instrumentation/diagnosis/record.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/uninitialised.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

struct Timer {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
};

std::string now_utc() {
    const std::time_t t = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&t, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

void report(const Options& options, const char* stage, double fraction) {
    if (options.on_progress && !options.on_progress({stage, fraction})) throw Cancelled{};
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
    for (const ptx::Function& f : module.functions) {
        if (f.is_entry) there += (there.empty() ? "" : ", ") + f.name;
    }
    if (there.empty()) throw Error(p.kernel.source + ": there is no __global__ function in it");
    if (p.kernel.entry.empty())
        throw Error(
            p.kernel.path + ": the source has several kernels (" + there + "); name one with entry = \"...\""
        );
    throw Error(
        p.kernel.path + ": no kernel named '" + p.kernel.entry + "' in " + p.kernel.source + "; there is " +
        there + " (declare it extern \"C\", or name a template instance)"
    );
}

// The block worth looking at: of the first bad tile, else of the first incident, else block 0.
int64_t block_to_record(const capture::Capture& c, const std::vector<emulator::Incident>& incidents) {
    const int bad = analysis::first_bad_tile(c);
    if (bad >= 0 && c.tiles[static_cast<size_t>(bad)].block != capture::kWholeLaunch)
        return c.tiles[static_cast<size_t>(bad)].block;
    for (const emulator::Incident& i : incidents) {
        if (i.kind != emulator::Incident::Kind::uniform_reduction && i.first.block >= 0) return i.first.block;
    }
    return 0;
}

// Warp instructions that are recorded of a block whose loop does not end.
constexpr uint64_t kEndlessRecord = uint64_t{1} << 20;

struct Passes {
    std::vector<emulator::Incident> incidents;
    std::vector<int64_t> recorded;
};

void add_incidents(std::vector<emulator::Incident>& to, const std::vector<emulator::Incident>& from) {
    for (const emulator::Incident& i : from) {
        const bool known = std::any_of(to.begin(), to.end(), [&](const emulator::Incident& k) {
            return k.kind == i.kind && k.first.site == i.first.site && k.second.site == i.second.site;
        });
        if (!known) to.push_back(i);
    }
}

// What the kernel printed, for a reader of the capture.
void note_printed(const emulator::RunResult& result, capture::Capture& c) {
    constexpr size_t kMost = 200;
    for (size_t k = 0; k < std::min(result.printed.size(), kMost); ++k) {
        const emulator::Printed& p = result.printed[k];
        const std::string text = p.text.substr(0, p.text.find_last_not_of('\n') + 1);
        c.notes.push_back(fmt::format("printed by block {}, thread {}: {}", p.block, p.thread, text));
    }
    if (result.printed.size() > kMost)
        c.notes.push_back(fmt::format("{} more calls of printf are not shown", result.printed.size() - kMost)
        );
    if (result.prints_lost > 0)
        c.notes.push_back(fmt::format(
            "{} calls of printf are lost: they are beyond the 1 MiB that a launch may print",
            result.prints_lost
        ));
}

// The block that matters most, and those that were asked for, with everything that happened in them.
void record_pass(const Experiment& e, const emulator::Program& program, Observer& observer, Passes& out) {
    const Timer record;
    report(e.options, "record", 0);
    out.recorded = e.options.record;
    const int64_t block = block_to_record(observer.capture, out.incidents);
    std::erase(out.recorded, block);
    out.recorded.insert(out.recorded.begin(), block);
    const bool endless = std::any_of(out.incidents.begin(), out.incidents.end(), [](const auto& i) {
        return i.kind == emulator::Incident::Kind::endless_loop;
    });
    Experiment shown = e;
    if (endless) shown.options.budget = kEndlessRecord;
    add_incidents(out.incidents, record_blocks(shown, program, observer, out.recorded));
    observer.capture.seconds.emplace_back("record", record.seconds());
}

Passes run_passes(const Experiment& e, const emulator::Program& program, capture::Capture& c) {
    const ptx::Function& entry = entry_of(e.module, e.entry);
    Passes out;
    Observer observer{
        .problem = e.problem,
        .program = program,
        .reference = e.reference ? &*e.reference : nullptr,
        .keep = false,
        .capture = c};
    const Timer all;
    Prepared prepared = prepare_launch(e.problem, entry);
    emulator::RunOptions options = run_options(e.options, "run");
    options.marks = observer.reference != nullptr;
    options.on_tile = [&](emulator::TileSnapshot&& s) { add_tile(observer, std::move(s)); };
    emulator::RunResult result = emulator::run(program, prepared.launch, prepared.memory, options);
    if (result.cancelled) throw Cancelled{};
    c.counters.emplace_back("warp_instructions", static_cast<double>(result.warp_instructions));
    c.seconds.emplace_back("run", all.seconds());
    c.covered.blocks = static_cast<int64_t>(result.blocks);
    if (observer.reference != nullptr) c.covered.blocks_compared = c.covered.blocks;
    add_incidents(out.incidents, result.incidents);
    c.notes.insert(c.notes.end(), result.notes.begin(), result.notes.end());
    note_printed(result, c);
    const Timer compare;
    compare_outputs(observer, prepared.memory);
    finish(observer);
    c.seconds.emplace_back("compare", compare.seconds());
    if (e.options.recorded_pass) record_pass(e, program, observer, out);
    if (e.options.uninitialised) {
        const Timer trace;
        if (follow_uninitialised(e, program, c, out.incidents))
            c.seconds.emplace_back("trace", trace.seconds());
    }
    return out;
}

}  // namespace

emulator::RunOptions run_options(const Options& o, const char* stage) {
    emulator::RunOptions out;
    out.threads = o.threads, out.schedule_seed = o.schedule_seed, out.budget = o.budget;
    out.checks = {.races = o.races, .uninitialised = o.uninitialised, .uniform = o.reference};
    out.on_progress = [&o, stage](uint64_t done, uint64_t total) {
        return !o.on_progress ||
            o.on_progress({stage, total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total)});
    };
    return out;
}

void describe_launch(const Experiment& e, const emulator::Program& program, capture::Capture& c) {
    capture::Launch& l = c.launch;
    l.kernel = e.problem.kernel.name, l.entry = e.entry, l.faults = e.problem.faults,
    l.params = e.problem.params;
    l.grid = e.problem.grid, l.block = e.problem.block, l.dynamic_shared = e.problem.shared,
    l.static_shared = emulator::static_shared_bytes(program);
    l.arch = e.options.arch, l.build = e.options.debug ? "debug" : "optimised", l.executor = "emulator";
    l.inputs = e.problem.inputs.empty() ? "manifest" : e.problem.inputs;
    l.seed = e.problem.seed, l.schedule_seed = e.options.schedule_seed;
}

Experiment prepare(manifest::Problem problem, const Options& options, capture::Capture& c) {
    c.tool_version = WL_VERSION, c.created = now_utc();
    report(options, "compile", 0);
    const Timer compile;
    const compile::Compiled compiled = compile_kernel(problem, options);
    Experiment e{std::move(problem), ptx::parse(compiled.ptx), {}, std::nullopt, {}, options};
    e.entry = entry_name(e.problem, e.module, compiled);
    c.seconds.emplace_back("compile", compile.seconds());
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
        if (!e.reference_problem.empty()) c.notes.push_back("no reference: " + e.reference_problem);
    }
    return e;
}

capture::Capture run(
    manifest::Problem problem, const Options& options, std::vector<emulator::Incident>* seen
) {
    capture::Capture c;
    const Experiment e = prepare(std::move(problem), options, c);
    std::shared_ptr<const emulator::Program> program;
    try {
        program = emulator::lower(e.module, e.entry);
    } catch (const Unsupported& u) {
        c.unsupported.emplace_back(u.what());
        c.verdict = "unsupported";
        c.launch.kernel = e.problem.kernel.name, c.launch.executor = "emulator";
        return c;
    }
    describe_launch(e, *program, c);
    c.sites = emulator::sites(*program);
    if (auto impossible = impossible_launch(e, c)) {
        c.findings.push_back(std::move(*impossible));
        c.verdict = "findings";
        return c;
    }
    Passes passes = run_passes(e, *program, c);
    for (const auto& [on, name] : {
             std::pair{options.races,           "races"        },
             {options.uninitialised,   "uninitialised"},
             {true,                    "bounds"       },
             {true,                    "barriers"     },
             {e.reference.has_value(), "reference"    }
    }) {
        if (on) c.covered.checks.emplace_back(name);
    }
    if (options.diagnose) {
        const Timer diagnose_time;
        report(options, "diagnose", 0);
        c.findings = diagnose(e, c, passes.incidents);
        c.seconds.emplace_back("diagnose", diagnose_time.seconds());
    }
    const bool wrong = std::any_of(c.outputs.begin(), c.outputs.end(), [](const auto& o) {
        return o.verdict == capture::Verdict::bad;
    });
    c.verdict = c.findings.empty() && !wrong ? "ok" : "findings";
    if (seen != nullptr) *seen = std::move(passes.incidents);
    return c;
}

}  // namespace wl::diagnosis
