// What a compiled entry takes of a multiprocessor, as ptxas says; a machine without ptxas is an answer too.
#pragma once

#include "instrumentation/capture/capture.h"

#include <optional>
#include <string>

namespace wl::diagnosis {

struct Resources {
    std::optional<int> registers;  // a thread; nothing: unknown
    int spilled = 0;               // bytes a thread, stores and loads together
    std::string origin;            // "ptxas 13.0 for sm_90", or why they are unknown
};

// $WARPLENS_PTXAS, the folder bin beside NVRTC's, $CUDA_HOME/bin, or the PATH; empty: none.
std::string find_ptxas();

// Assembles the capture's PTX for the real architecture of its virtual one (compute_90: sm_90).
Resources measure_resources(const capture::Capture& capture);

// What ptxas printed about one entry under --verbose.
Resources parse_ptxas_log(const std::string& log, const std::string& entry);

}  // namespace wl::diagnosis
