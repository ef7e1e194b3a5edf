// What a structure or an array is made of, as expressions of its own.
#pragma once

#include "instrumentation/watch/watch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::watch {

// As many as people look at: "acc[0]", "p.low"; none: the value has no parts.
constexpr uint64_t kMostParts = 64;
std::vector<std::string> parts_of(
    const std::string& expression, const Value& object, const Environment& environment
);

}  // namespace wl::watch
