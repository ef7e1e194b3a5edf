// Times of a GPU for the acceptance table, from what `warplens bench --json` printed there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct GpuTime {
    std::string kernel;
    std::vector<std::string> faults;
    std::string preset;                    // of a record without parameters
    std::map<std::string, double> params;  // empty: it says none
    double warm = 0, cold = 0;             // seconds, medians: the same arrays again, and arrays in turn
};
struct GpuTimes {
    std::string origin;  // "NVIDIA H200, 2026-11-23 (bench.json)"
    std::vector<GpuTime> all;
};

// One object of `bench --json`, several of them one after the other, or a record with a list of `kernels`
// (docs/measured). Throws Error for what is none of these.
GpuTimes read_gpu_times(const std::string& file);

// Of the very parameters; of a record that has none, of the preset. No preset: its sizes are not those of
// one.
std::optional<GpuTime> time_of(
    const GpuTimes& times,
    const std::string& kernel,
    const std::vector<std::string>& faults,
    const std::string& preset,
    const std::vector<std::pair<std::string, double>>& params
);

}  // namespace wl::app
