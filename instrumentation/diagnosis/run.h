// From a problem to a capture: compile, execute everything fast, compare, record the first bad block,
// diagnose.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/emulator/run.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/module.h"

#include <functional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Progress {
    std::string stage;    // "compile", "run", "record", "diagnose"
    double fraction = 0;  // of the stage
};

struct Options {
    int threads = 0;
    bool races = true, uninitialised = true, bounds = true, barriers = true, reference = true;  // --check
    std::vector<int64_t> record;  // blocks to record besides the first bad one (or block 0 when none is bad)
    uint64_t schedule_seed = 0;
    bool diagnose = true;
    std::function<bool(const Progress&)> on_progress;  // false cancels: run throws Cancelled
};
struct Cancelled {};

// Everything the rules need to change the program and run it again.
struct Experiment {
    manifest::Problem problem;
    ptx::Module module;
    std::string entry;
    Options options;
};
Experiment prepare(
    manifest::Problem problem, Options options, capture::Capture& capture
);  // compiles; fills sources, sites, launch

// The whole: prepare, both passes, reference, diff, diagnosis. The capture's verdict is "ok" | "findings" |
// "unsupported". Throws Error (compile error, bad launch) and Cancelled.
capture::Capture run(manifest::Problem problem, const Options& options);

// Runs the given blocks of a changed program on fresh inputs and compares every tile and output they write:
// the counterfactual.
struct Trial {
    int64_t compared = 0, bad = 0;  // elements, over all tiles and outputs of the blocks
    std::vector<emulator::Incident> incidents;
    bool finished = true;  // false: budget, deadlock
};
Trial try_module(
    const Experiment& experiment, const ptx::Module& changed, const std::vector<int64_t>& blocks
);

// The rule table: symptoms in, findings out, first finding = root cause as far as proven.
std::vector<capture::Finding> diagnose(
    const Experiment& experiment,
    const capture::Capture& capture,
    const std::vector<emulator::Incident>& incidents
);

}  // namespace wl::diagnosis
