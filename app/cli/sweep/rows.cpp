// Rows, their order by badness, and their two spellings.
#include "app/cli/sweep/rows.h"

#include "instrumentation/analysis/verdict.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

constexpr std::array<std::string_view, 5> kWorstFirst = {
    "findings", "error", "unsupported", "incomplete", "ok"};

size_t rank(const std::string& verdict) {
    return static_cast<size_t>(
        std::find(kWorstFirst.begin(), kWorstFirst.end(), verdict) - kWorstFirst.begin()
    );
}

Color color_of(const std::string& verdict) {
    return verdict == "ok"                            ? Color::good
        : verdict == "findings" || verdict == "error" ? Color::bad
                                                      : Color::warn;
}

std::string first_said(const capture::Capture& c) {
    if (!c.unsupported.empty()) return c.unsupported.front();
    if (!c.findings.empty()) return c.findings.front().rule + ": " + c.findings.front().title;
    if (c.verdict == "error") return "no reference: " + c.covered.reference_problem;
    const std::vector<std::string> gaps = analysis::gaps(c);
    return gaps.empty() ? "" : gaps.front();
}

}  // namespace

std::string worse(const std::string& a, const std::string& b) { return rank(b) < rank(a) ? b : a; }

void fill_row(SweepRun& row, const capture::Capture& run, const std::string& verb) {
    row.verdict = run.verdict, row.said = first_said(run);
    row.shape = analysis::run_text(run), row.compared = analysis::compared_text(run);
    row.report = case_of(run, verb);
    row.report.name += " " + row.shape;
}

void fill_row(
    SweepRun& row, const std::string& verdict, const std::string& problem, const std::string& verb
) {
    row.verdict = verdict, row.said = problem;
    row.report = report_of_problem(verb, verdict, problem).cases.front();
}

std::string row_text(const SweepRun& run, const std::string& name, const Style& style) {
    const std::string line = fmt::format(
        "{} {:<16} {}{}\n",
        paint(style, color_of(run.verdict), fmt::format("{:<12}", run.verdict)),
        name,
        run.shape.empty() ? fmt::format("seed {}", run.seed) : run.shape,
        run.compared.empty() ? "" : "; " + run.compared
    );
    return run.said.empty() ? line : line + wrap(run.said, 4);
}

std::string rows_footer(const std::vector<SweepRun>& runs, const std::string& verdict, const Style& style) {
    const auto same =
        std::count_if(runs.begin(), runs.end(), [&](const SweepRun& run) { return run.verdict == verdict; });
    return paint(style, color_of(verdict), fmt::format("{}: {} of {} runs\n", verdict, same, runs.size()));
}

nlohmann::ordered_json row_json(const SweepRun& run) {
    return {
        {"preset",   run.preset  },
        {"seed",     run.seed    },
        {"shape",    run.shape   },
        {"verdict",  run.verdict },
        {"said",     run.said    },
        {"compared", run.compared}
    };
}

}  // namespace wl::app
