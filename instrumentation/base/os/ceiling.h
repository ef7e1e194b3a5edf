// A time after which work of this process ends, whatever it is at.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace wl {

// While it lives, and once so many seconds have passed: check_stop() throws Stopped, and stop_signal() says
// 0. One at a time in a process.
class Ceiling {
public:
    explicit Ceiling(double seconds);
    ~Ceiling();
    Ceiling(const Ceiling&) = delete;
    Ceiling& operator=(const Ceiling&) = delete;

private:
    std::mutex lock_;
    std::condition_variable_any ended_;
    std::jthread watch_;  // the last to be made, and the first to go
};

}  // namespace wl
