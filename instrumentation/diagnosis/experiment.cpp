#include "instrumentation/diagnosis/experiment.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/symbols.h"
#include "instrumentation/diagnosis/timer.h"
#include "instrumentation/travel/layout_marks.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
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

}  // namespace wl::diagnosis
