// A thread that sleeps until then.
#include "instrumentation/base/os/ceiling.h"

#include "instrumentation/base/os/stop.h"

#include <chrono>

namespace wl {

Ceiling::Ceiling(double seconds) :
    watch([this, seconds](const std::stop_token& stop) {
        std::unique_lock hold(lock);
        const auto time = std::chrono::duration<double>(seconds);
        if (!ended.wait_for(hold, stop, time, [&] { return stop.stop_requested(); })) ask_to_stop(kTimeIsUp);
    }) {}

Ceiling::~Ceiling() {
    watch.request_stop();
    watch.join();
    forget_time();
}

}  // namespace wl
