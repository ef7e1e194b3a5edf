// `warplens check`: will WarpLens run these kernels? One struct, read by the text and by the JSON.
#pragma once

#include "app/cli/formats/report.h"
#include "app/cli/options.h"
#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/ptx/module.h"

#include <string>
#include <vector>

namespace wl::app {

struct CheckReport {
    std::string file;                // as given on the command line
    std::string compiler;            // what made the PTX: "NVRTC", "nvcc", "clang"; empty: it was PTX
    std::vector<std::string> found;  // folders of headers that nobody named
    ptx::Module module;
    std::vector<emulator::EntryCheck> entries;  // those asked for; of a library without entries its functions
};
bool is_entry(const CheckReport& report, const emulator::EntryCheck& entry);

// What a caller has to know of a parameter to hand something over.
struct ParameterText {
    std::string name;  // as the source has it; of PTX that tells none "p0", "p1", ...
    std::string type;  // "float const*"; empty: neither the symbol nor the source tells
    std::string word;  // in the PTX: "u64", "f32", "b8"
    uint64_t bytes = 0;
};
std::vector<ParameterText> parameters_of(const CheckReport& report, const emulator::EntryCheck& entry);

// Reads or compiles the file. Throws Error when it is unreadable, does not compile, is malformed PTX ("FILE:
// PTX line N: ..."), or has no entry of the wanted name; a .cu also when it has none at all.
CheckReport check_file(const std::string& file, const CheckOptions& options);

bool all_can_run(const CheckReport& report);
std::string check_text(const CheckReport& report, const OutputOptions& output);
std::string check_json(const CheckReport& report);
Report check_report(const CheckReport& report);

}  // namespace wl::app
