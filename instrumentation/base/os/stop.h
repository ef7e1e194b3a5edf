// Whether work goes on: what a signal, or a time that is up (ceiling.h), asked of this process, looked at by
// every loop that may take long.
#pragma once

#include <atomic>

namespace wl {

// Thrown where work ends because it was asked for. No std::exception, so that nobody takes it for a
// fault of the work, reports it and goes on.
struct Stopped {};

namespace detail {
// Written by signal handlers, which know of nothing but what the whole process shares.
inline constinit std::atomic<int> stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);
}  // namespace detail

// One relaxed load: cheap enough for any loop.
inline bool go_on() { return detail::stop_signal.load(std::memory_order_relaxed) == 0; }
inline void check_stop() {
    if (!go_on()) throw Stopped{};
}

constexpr int kTimeIsUp = -1;  // as a signal

// The signal that asked; 0: none did. The first one counts. Setting it is allowed in a signal handler.
inline int stop_signal() {
    const int signal = detail::stop_signal.load();
    return signal == kTimeIsUp ? 0 : signal;
}
inline void ask_to_stop(int signal) {
    int before = 0;
    while (!detail::stop_signal.compare_exchange_weak(before, signal))
        if (before > 0 || signal == kTimeIsUp) return;
}
inline void forget_time() {
    int time = kTimeIsUp;
    detail::stop_signal.compare_exchange_strong(time, 0);
}

}  // namespace wl
