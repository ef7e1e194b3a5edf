// Kernel time to pixels and back: the one place that does this arithmetic.
#pragma once

namespace wl::app {

// Kernel time (the warps' clock) to pixels and back.
struct TimelineScale {
    double first = 0, last = 1;  // kernel time at the left and right edge
    float left = 0, right = 1;   // pixels
};
inline float x_at_time(const TimelineScale& scale, double time) {
    return static_cast<float>(
        scale.left + (time - scale.first) / (scale.last - scale.first) * (scale.right - scale.left)
    );
}
inline double time_at_x(const TimelineScale& scale, float x) {
    return scale.first + (x - scale.left) / (scale.right - scale.left) * (scale.last - scale.first);
}

}  // namespace wl::app
