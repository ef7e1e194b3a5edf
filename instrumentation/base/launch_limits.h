// What a launch may ask of any device: the same for one that a manifest describes and for one that was
// recorded.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace wl {

struct LaunchShape {
    std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    int64_t dynamic_shared = 0, stack = 0;  // bytes of a block; of a thread
};

// A sentence: which number is beyond its limit; empty: none is. `name` says what is called "grid[0]",
// "block", "shared" and "stack" where it was written.
std::string launch_problem(
    const LaunchShape& launch, const std::function<std::string(const std::string&)>& name
);

}  // namespace wl
