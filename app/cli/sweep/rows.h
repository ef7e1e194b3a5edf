// What runs of a sweep came to, a row each, and the worst of them: of `sweep`, and of `diagnose --seeds`.
#pragma once

#include "app/cli/formats/report.h"
#include "app/cli/print.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace wl::app {

struct SweepRun {
    std::string kernel;  // "v2c_3+32x"; of diagnose, whose runs have one kernel, empty
    std::string preset;  // empty: the manifest as it stands
    std::string set;     // "S=64 D=32"
    uint64_t seed = 0, schedule = 0;
    std::string verdict, said;   // said: the first finding, gap or problem; empty: none
    std::string shape;           // "seed 0, N=96"
    std::string compared;        // "y: 96 of 96 elements compared"
    std::string place, capture;  // where it ran; the file that was kept; empty: here, none
    double seconds = 0;
    ReportCase report;  // the same for --format
};

// What was seen to be wrong comes before what could not be looked at: findings, error, unsupported,
// incomplete, ok. Of two verdicts the worse; "" is better than any.
std::string worse(const std::string& a, const std::string& b);

// Verdict, what was said first, shape, what was compared.
void fill_row(SweepRun& row, const capture::Capture& run, const std::string& verb);
void fill_row(SweepRun& row, const std::string& verdict, const std::string& problem, const std::string& verb);

// A line, and what was said below it; `name` tells it from the others.
std::string row_text(const SweepRun& run, const std::string& name, const Style& style);
// "findings: 3 of 48 runs"
std::string rows_footer(const std::vector<SweepRun>& runs, const std::string& verdict, const Style& style);
nlohmann::ordered_json row_json(const SweepRun& run);

}  // namespace wl::app
