// PyTorch's attention on the same inputs, timed in the same way by a process of Python.
#pragma once

#include "instrumentation/gpu/timing.h"
#include "instrumentation/manifest/manifest.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace wl::app {

struct TorchBackend {
    std::string name;           // "cudnn", "flash", "memory-efficient", "math"
    std::string refused;        // why it does not run
    double warm = 0, cold = 0;  // seconds, medians
};
struct Torch {
    std::string version, device;
    std::vector<TorchBackend> backends;
};

// Throws Unsupported when the kernel is no attention over Q, K and V, or there is no PyTorch with a GPU.
Torch time_torch(
    const manifest::Problem& problem, const gpu::Timing& timing, const gpu::TimeOptions& options
);
std::string torch_text(const Torch& torch, const gpu::Timing& timing);
nlohmann::ordered_json torch_json(const Torch& torch, const gpu::Timing& timing);

}  // namespace wl::app
