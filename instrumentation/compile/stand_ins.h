// What NVRTC gets for the headers of C and C++ that it has not: the CUDA C++ library's own, under their usual
// names.
#pragma once

#include <string>
#include <vector>

namespace wl::compile {

struct StandIn {
    const char* name;  // as #include <...> spells it
    const char* text;
};

const std::vector<StandIn>& stand_ins();
bool is_stand_in(const std::string& name);

// The one that stands before the source: what nvcc gives a source without its asking, such as INFINITY.
inline constexpr const char* kPredefined = "warplens_predefined.h";

}  // namespace wl::compile
