// Races on hardware: the kernel runs on a device with delays before the accesses of each racing pair, and
// what comes out otherwise is told.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

// One pair of accesses that nothing orders.
struct DelayedPair {
    std::string text;                            // "kernels/v2c_3.cu:78 and kernels/v2c_3.cu:94"
    uint64_t runs = 0, changed = 0, faults = 0;  // changed: outputs differ from the plain kernel's
    int64_t elements = 0;                        // most changed elements of the outputs in one run
    double largest = 0;                          // difference of a changed element, both finite
    uint64_t seed = 0;                           // of the first run that changed
};

struct DeviceExploration {
    std::string device;
    bool steady = true;  // two runs of the plain kernel leave the same outputs
    std::vector<DelayedPair> pairs;
    std::string fault;  // how the plain kernel ended, where it did not end well; then nothing was tried
};

// `runs` in all, in turn over the pairs of races among `seen`; a run delays one of the two accesses in about
// half of the warps, chosen by the run's number. Marks stay comments. Throws Unsupported and Cancelled.
DeviceExploration explore_on(
    const Experiment& experiment,
    const std::vector<execution::Incident>& seen,
    uint64_t runs,
    const execution::Executor& device
);

// A line for each pair: "in 12 of 25 runs ... the outputs come out otherwise".
std::string device_text(const DeviceExploration& exploration);

}  // namespace wl::diagnosis
