#include "app/cli/sweep.h"

#include "app/cli/executors.h"
#include "app/cli/progress.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace wl::app {

namespace {

// What was seen to be wrong comes before what could not be looked at.
constexpr std::array<std::string_view, 5> kWorstFirst = {
    "findings", "error", "unsupported", "incomplete", "ok"};

size_t rank(const std::string& verdict) {
    return static_cast<size_t>(
        std::find(kWorstFirst.begin(), kWorstFirst.end(), verdict) - kWorstFirst.begin()
    );
}

std::vector<std::string> presets_to_run(const Command& c) {
    if (c.presets.empty()) return {c.kernel.preset};
    const manifest::Kernel kernel = manifest::load(manifest::resolve(split_faults(c.kernel).kernel));
    if (c.presets != std::vector<std::string>{"all"}) return presets_of(kernel, c.presets);
    std::vector<std::string> out = presets_of(kernel, {});
    if (!out.front().empty()) out.insert(out.begin(), "");
    return out;
}

std::string first_said(const capture::Capture& c) {
    if (!c.unsupported.empty()) return c.unsupported.front();
    if (!c.findings.empty()) return c.findings.front().rule + ": " + c.findings.front().title;
    if (c.verdict == "error") return "no reference: " + c.covered.reference_problem;
    const std::vector<std::string> gaps = analysis::gaps(c);
    return gaps.empty() ? "" : gaps.front();
}

// One run; what cannot be run says why and lets the others be.
std::optional<capture::Capture> run_one(const Command& c, const std::string& name, SweepRun& row) {
    KernelOptions kernel = c.kernel;
    kernel.preset = row.preset, kernel.seed = row.seed;
    diagnosis::Options options = run_options(kernel);
    const auto report = progress_reporter(c.output);
    options.on_progress = [&](const diagnosis::Progress& p) {
        return report({name + " " + p.stage, p.fraction});
    };
    try {
        capture::Capture run = diagnosis::run(bind(kernel), options);
        row.verdict = run.verdict, row.said = first_said(run);
        row.shape = analysis::run_text(run), row.compared = analysis::compared_text(run);
        row.report = case_of(run, c.verb);
        row.report.name += " " + row.shape;
        return run;
    } catch (const Unsupported& u) {
        row.verdict = "unsupported", row.said = u.what();
    } catch (const Error& e) { row.verdict = "error", row.said = e.what(); }
    row.report = report_of_problem(c.verb, row.verdict, row.said).cases.front();
    row.report.name = fmt::format("{} {} seed {}", c.kernel.kernel, row.preset, row.seed);
    return std::nullopt;
}

Sweep sweep(const Command& c) {
    Sweep out;
    const std::vector<std::string> presets = presets_to_run(c);
    const size_t total = presets.size() * c.seeds;
    for (const std::string& preset : presets) {
        for (uint64_t k = 0; k < c.seeds; ++k) {
            SweepRun row;
            row.preset = preset, row.seed = c.kernel.seed + k;
            std::optional<capture::Capture> run =
                run_one(c, fmt::format("{} of {}", out.runs.size() + 1, total), row);
            if (out.runs.empty() || rank(row.verdict) < rank(out.verdict))
                out.verdict = row.verdict, out.worst = std::move(run);
            out.runs.push_back(std::move(row));
        }
    }
    return out;
}

}  // namespace

bool is_sweep(const Command& c) { return c.seeds > 1 || !c.presets.empty(); }

int diagnose_sweep(const Command& c) {
    if (is_capture(c.kernel.kernel))
        throw Error(c.kernel.kernel + " is a capture, of one run: --seeds and --presets take a kernel");
    if (!c.presets.empty() && !c.kernel.preset.empty())
        throw Error("--preset " + c.kernel.preset + " and --presets exclude each other");
    require_emulator(c.verb, c.kernel);
    const Sweep done = sweep(c);
    if (!c.out.empty() && done.worst && done.verdict != "unsupported")
        capture::write_capture(*done.worst, c.out);
    Report report{c.verb, {}};
    for (const SweepRun& run : done.runs) report.cases.push_back(run.report);
    const std::string text = c.output.json  ? sweep_json(done, c) + "\n"
        : is_report_format(c.output.format) ? report_text(report, c.output.format)
                                            : sweep_text(done, style_of(c.output), c.output.verbose);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return capture::status_of(done.verdict);
}

}  // namespace wl::app
