// How long a stage took, for Capture::seconds.
#pragma once

#include <chrono>

namespace wl::diagnosis {

struct Timer {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};
inline double seconds(const Timer& timer) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - timer.start).count();
}

}  // namespace wl::diagnosis
