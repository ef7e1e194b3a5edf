// The runs of a sweep: kernels x faults x presets x settings x schedules x seeds, in this order.
#pragma once

#include "app/cli/options.h"

#include <string>
#include <vector>

namespace wl::app {

// "2/8": the second of eight; cases number part - 1, part - 1 + of, ... belong to it.
struct Part {
    int number = 1, of = 1;
};
Part parse_part(const std::string& text);  // throws Error

// "": the manifest as it stands; "all": it and each of its presets.
std::vector<std::string> presets_to_run(
    const manifest::Kernel& kernel, const std::vector<std::string>& wanted
);

// All of them, each as the options of a run. Throws Error for names that no manifest has.
std::vector<KernelOptions> cases_of(const Command& command);
std::vector<KernelOptions> cases_of_part(std::vector<KernelOptions> all, Part part);

// Two sweeps of the same cases, wherever they run, have one; others differ.
std::string identity_of(const std::vector<KernelOptions>& all);

std::string kernel_text(const KernelOptions& one);   // "v2c_3+32x"
std::string setting_text(const KernelOptions& one);  // "S=64 D=32"
std::string file_name_of(const KernelOptions& one);  // "v2c_3+32x-mission-S=64-seed0.wlcap"

}  // namespace wl::app
