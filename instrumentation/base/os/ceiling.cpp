// A thread that sleeps until then.
#include "instrumentation/base/os/ceiling.h"

#include "instrumentation/base/os/stop.h"

#include <chrono>

namespace wl {

Ceiling::Ceiling(double seconds) :
    watch_([this, seconds](const std::stop_token& stop) {
        std::unique_lock hold(lock_);
        const auto time = std::chrono::duration<double>(seconds);
        if (!ended_.wait_for(hold, stop, time, [&] { return stop.stop_requested(); })) ask_to_stop(kTimeIsUp);
    }) {}

Ceiling::~Ceiling() {
    watch_.request_stop();
    watch_.join();
    forget_time();
}

}  // namespace wl
