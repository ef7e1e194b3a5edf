#include "app/cli/sweep/diagnose_sweep.h"

#include "app/cli/executors.h"
#include "app/cli/formats/baseline.h"
#include "app/cli/progress.h"
#include "app/cli/sweep/cases.h"
#include "app/cli/sweep/rows.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/json.h"
#include "instrumentation/capture/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace wl::app {

namespace {

struct Sweep {
    std::vector<SweepRun> runs;
    std::string verdict;                    // the worst
    std::optional<capture::Capture> worst;  // the first run of that verdict; none: it could not be run
};

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
        fill_row(row, run, c.verb);
        return run;
    } catch (const Unsupported& u) {
        fill_row(row, "unsupported", u.what(), c.verb);
    } catch (const Error& e) { fill_row(row, "error", e.what(), c.verb); }
    row.report.name = fmt::format("{} {} seed {}", c.kernel.kernel, row.preset, row.seed);
    return std::nullopt;
}

Sweep sweep(const Command& c) {
    Sweep out;
    std::vector<std::string> presets = {c.kernel.preset};
    if (!c.presets.empty())
        presets = presets_to_run(manifest::load(manifest::resolve(split_faults(c.kernel).kernel)), c.presets);
    const size_t total = presets.size() * c.seeds;
    for (const std::string& preset : presets) {
        for (uint64_t k = 0; k < c.seeds; ++k) {
            SweepRun row;
            row.preset = preset, row.seed = c.kernel.seed + k;
            std::optional<capture::Capture> run =
                run_one(c, fmt::format("{} of {}", out.runs.size() + 1, total), row);
            const std::string worst = out.runs.empty() ? row.verdict : worse(out.verdict, row.verdict);
            if (worst != out.verdict) out.verdict = worst, out.worst = std::move(run);
            out.runs.push_back(std::move(row));
        }
    }
    return out;
}

std::string sweep_text(const Sweep& s, const Style& style, bool verbose) {
    std::string out = s.worst ? summary_text(*s.worst, style, {false, verbose}) + "\n" : "";
    for (const SweepRun& run : s.runs)
        out += row_text(run, run.preset.empty() ? "as it stands" : run.preset, style);
    return out + rows_footer(s.runs, s.verdict, style);
}

// Of the worst run all that `diagnose` prints, and what each run said.
std::string sweep_json(const Sweep& s, const Command& c) {
    nlohmann::ordered_json j{
        {"warplens", WL_VERSION     },
        {"verb",     c.verb         },
        {"kernel",   c.kernel.kernel}
    };
    if (s.worst) j = nlohmann::ordered_json::parse(capture::summary_json(*s.worst, c.verb));
    j["verdict"] = s.verdict;
    j["runs"] = nlohmann::ordered_json::array();
    for (const SweepRun& run : s.runs) j["runs"].push_back(row_json(run));
    return json_text(j);
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
    const Gate gated = gate(c.output, report, capture::status_of(done.verdict));
    const std::string text = c.output.json ? with_baseline(sweep_json(done, c), gated) + "\n"
        : is_report_format(c.output.format)
        ? report_text(report, c.output.format)
        : sweep_text(done, style_of(c.output), c.output.verbose) + gated.text;
    print_text(text);
    return gated.status;
}

}  // namespace wl::app
