// One compiler's try at a source.
#pragma once

#include "instrumentation/compile/cache.h"
#include "instrumentation/compile/options.h"
#include "instrumentation/compile/toolkit.h"

#include <string>
#include <vector>

namespace wl::compile {

struct Request {
    const CompileOptions& options;
    const Toolkit& toolkit;
    const std::string& source;  // its text
    std::vector<std::string>
        include;  // the user's folders, the probe's, and those that headers were found in
    std::string standard = "c++17";
    Effort effort = Effort::full;
    std::string headers = {};  // folder of headers that NVRTC keeps as it read them; empty: none is kept
};

struct Attempt {
    CacheEntry entry;
    std::string refusal;  // why there is no PTX; empty: there is
};

// With or without the stand-ins for headers of C and C++. Throws Error when NVRTC does not load.
Attempt try_nvrtc(const Request& request, bool with_stand_ins);

// As try_nvrtc, of a source with host code: `text` is what is for the device, with fewer declarations the
// more of them NVRTC refuses. The attempt of the source as it is where it has no host code.
struct DeviceAttempt {
    Attempt attempt;
    std::string text;
};
DeviceAttempt try_device_code(const Request& request, bool with_stand_ins);

// By nvcc or clang, which parse host code and throw it away. `program` is one of toolkit.nvcc and
// toolkit.clang.
Attempt try_host_compiler(const Request& request, const std::string& program);

}  // namespace wl::compile
