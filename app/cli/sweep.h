// `warplens diagnose --seeds N --presets all`: one kernel with several inputs and shapes, and one verdict.
#pragma once

#include "app/cli/formats/report.h"
#include "app/cli/print.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct SweepRun {
    std::string preset;  // empty: the manifest as it stands
    uint64_t seed = 0;
    std::string verdict, said;  // said: the first finding, gap or problem; empty: none
    std::string shape;          // "seed 0, N=96"
    std::string compared;       // "y: 96 of 96 elements compared"
    ReportCase report;          // the same for --format
};

struct Sweep {
    std::vector<SweepRun> runs;
    std::string verdict;                    // the worst: findings, error, unsupported, incomplete, ok
    std::optional<capture::Capture> worst;  // the first run of that verdict; none: it could not be run
};

// Does the command ask for more than one run?
bool is_sweep(const Command& command);

// Runs them all, prints the worst in full and a line for each, and gives the exit status.
int diagnose_sweep(const Command& command);

std::string sweep_text(const Sweep& sweep, const Style& style, bool verbose);
std::string sweep_json(const Sweep& sweep, const Command& command);

}  // namespace wl::app
