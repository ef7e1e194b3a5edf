// What of a source is not for the device: NVRTC takes device code alone.
#pragma once

#include <string>
#include <vector>

namespace wl::compile {

struct HostNeed {
    int line = 0;
    std::string what;  // "main is code of the host"
};

// The first of each kind, in the order of the lines. Judged by text: a hint for people and for the order in
// which compilers are tried, never a verdict.
std::vector<HostNeed> host_needs(const std::string& source);

}  // namespace wl::compile
