// The acceptance table, row by row as the rows are ready.
#include "app/cli/accept/accept.h"

#include "app/cli/executors.h"
#include "app/cli/formats/baseline.h"
#include "app/cli/progress.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/library.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace wl::app {

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// "72", "99K": a whole number, K for 1024.
uint64_t parse_limit(const std::string& option, const std::string& text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    const bool kilo = stop != end && (*stop == 'K' || *stop == 'k') && stop + 1 == end;
    if (problem != std::errc() || (stop != end && !kilo))
        throw Error(option + " " + text + ": write a whole number, with K for 1024, such as 99K");
    return kilo ? value * 1024 : value;
}

// What the command line puts in place of the manifest's limits.
struct Overrides {
    std::optional<uint64_t> registers, shared;
};
Overrides overrides(const AcceptOptions& a) {
    Overrides out;
    if (!a.registers.empty()) out.registers = parse_limit("--max-registers", a.registers);
    if (!a.shared.empty()) out.shared = parse_limit("--max-shared", a.shared);
    return out;
}

std::string settings_text(const Settings& settings) {
    std::string out;
    for (const auto& [name, value] : settings)
        out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
    return out;
}

// The parameters that are plain numbers; the others follow from them.
std::string usual_text(const manifest::Kernel& kernel) {
    Settings plain;
    for (const auto& [name, value] : kernel.params)
        if (value.find_first_not_of("0123456789.-") == std::string::npos) plain.emplace_back(name, value);
    return settings_text(plain);
}

// The rows of one kernel, not yet run.
std::vector<AcceptRow> plan(const KernelOptions& options, const AcceptOptions& accept) {
    const manifest::Kernel kernel = manifest::load(manifest::resolve(options.kernel));
    std::string title = kernel.title;
    for (const manifest::Fault& f : kernel.faults)
        if (!options.faults.empty() && f.name == options.faults.front()) title = f.about;
    std::vector<AcceptRow> rows;
    for (const std::string& preset : presets_of(kernel, accept.presets)) {
        AcceptRow row;
        row.kernel = kernel.name, row.title = title, row.preset = preset, row.faults = options.faults;
        row.usual = usual_text(kernel);
        if (!preset.empty()) row.settings = settings_text(kernel.presets.at(preset));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string gpu_note() {
    Library driver = load_library("libcuda.so.1");
    if (driver == nullptr) return "not available on this machine: there is no CUDA driver (libcuda.so.1)";
    unload_library(driver);
    return "not measured: this version executes kernels on its CPU emulator only";
}

// A row that cannot be run says why and lets the others be.
void fill(KernelOptions options, const Overrides& limits, AcceptRow& row, const diagnosis::Options& run) {
    options.preset = row.preset;
    try {
        const manifest::Problem problem = bind(options);
        diagnosis::AcceptLimits own = diagnosis::limits_of(problem);
        own.registers = limits.registers.value_or(own.registers);
        own.shared = limits.shared.value_or(own.shared);
        row.result = diagnosis::accept(problem, own, run);
    } catch (const Unsupported& u) {
        row.result.run.verdict = "unsupported";
        row.result.run.unsupported.emplace_back(u.what());
    } catch (const Error& e) { row.problem = e.what(); }
}

int status_of(const AcceptSummary& s) {
    const auto any = [&](RowVerdict v) {
        return std::find(s.verdicts.begin(), s.verdicts.end(), v) != s.verdicts.end();
    };
    return any(RowVerdict::error)      ? kExitError
        : any(RowVerdict::unsupported) ? kExitUnsupported
        : any(RowVerdict::refused)     ? kExitFindings
                                       : kExitOk;
}

struct Work {
    KernelOptions options;
    std::vector<AcceptRow> rows;
};

// Every word is looked up before the first minute is spent.
std::vector<Work> plan_all(const Command& c) {
    std::vector<std::string> names = c.accept.kernels;
    if (names.empty())
        for (const std::string& path : manifest::shipped())
            names.push_back(std::filesystem::path(path).stem().string());
    std::vector<Work> out;
    for (const std::string& name : names) {
        KernelOptions options = c.kernel;
        options.kernel = name;
        options = split_faults(options);
        out.push_back({options, plan(options, c.accept)});
    }
    return out;
}

void put(const std::string& text) {
    print_text(text);
    std::fflush(stdout);
}

}  // namespace

RowVerdict verdict_of(const AcceptRow& row) {
    if (!row.problem.empty()) return RowVerdict::error;
    if (row.result.run.verdict == "unsupported") return RowVerdict::unsupported;
    return row.result.objections.empty() ? RowVerdict::accepted : RowVerdict::refused;
}

int verb_accept(const Command& c) {
    require_emulator(c.verb, c.kernel);
    require_baseline(c.output);
    const Overrides limits = overrides(c.accept);
    std::vector<Work> work = plan_all(c);
    size_t total = 0, done = 0;
    for (const Work& w : work) total += w.rows.size();
    const Style style = style_of(c.output);
    const auto report = progress_reporter(c.output);
    AcceptSummary summary;
    GpuTimes times;
    if (!c.accept.measured.empty()) times = read_gpu_times(c.accept.measured);
    summary.measured = !times.all.empty();
    summary.gpu = summary.measured ? times.origin : gpu_note();
    std::vector<std::string> json;
    Report all{"accept", {}};
    const bool reported = is_report_format(c.output.format), text = !c.output.json && !reported;
    for (Work& w : work) {
        if (text) put(accept_heading(w.rows, summary.measured, style));
        for (AcceptRow& row : w.rows) {
            diagnosis::Options run = run_options(w.options);
            const std::string name = fmt::format("{} {} ({} of {})", row.kernel, row.preset, ++done, total);
            run.on_progress = [&](const diagnosis::Progress& p) {
                return report({name + " " + p.stage, p.fraction});
            };
            fill(w.options, limits, row, run);
            row.gpu = time_of(
                times,
                row.kernel,
                row.faults,
                c.kernel.set.empty() ? row.preset : "",
                row.result.run.launch.params
            );
            summary.verdicts.push_back(verdict_of(row));
            summary.counted = std::max(summary.counted, row.result.counted);
            if (!row.result.resources.origin.empty()) summary.resources = row.result.resources.origin;
            if (c.output.json) json.push_back(accept_row_json(row));
            all.cases.push_back(accept_case(row));
            if (text) put(accept_text(row, summary.measured, style));
            row.result = {};
        }
    }
    const Gate gated = gate(c.output, all, status_of(summary));
    put(c.output.json  ? with_baseline(accept_json(json, summary, c.kernel.seed), gated) + "\n"
            : reported ? report_text(all, c.output.format)
                       : accept_footer(summary, style) + gated.text);
    return gated.status;
}

}  // namespace wl::app
