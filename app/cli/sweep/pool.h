// Runs of a sweep on several places at once: processes of this machine, its GPUs, other machines by ssh.
#pragma once

#include "app/cli/sweep/rows.h"

#include <functional>
#include <string>
#include <vector>

namespace wl::app {

// Where runs happen. What it sets in a run's options is all that places differ by.
struct Place {
    std::string name;  // "gpu 1", "me@gpubox"; empty: this machine
    std::string host, remote_program;
    int device = -1;  // -1: as the options say
    int slots = 1;    // runs at once
};
std::vector<Place> places_of(const Command& command);

struct SweepJob {
    std::vector<KernelOptions> cases;
    std::vector<Place> places;
    std::string keep;  // a folder for captures of runs that are not ok; empty: none is kept
    std::function<bool(const diagnosis::Progress&)> report;
};
struct Swept {
    std::vector<SweepRun> runs;     // in the order of the cases
    std::vector<std::string> lost;  // machines that failed, and why; their runs went to others
};
// Each run is a process of its own, `warplens diagnose`. Throws Cancelled, having ended them all.
Swept run_cases(const SweepJob& job);

}  // namespace wl::app
