// Other launches that are on the device at once: what one waits for, another may do.
#pragma once

#include <cstdint>
#include <functional>

namespace wl::emulator {

// While one lives, a launch of its thread is not alone.
struct Others {
    explicit Others(std::function<bool()> when_stuck);
    ~Others();
    Others(const Others&) = delete;
    Others& operator=(const Others&) = delete;
    // Every block that has begun waits. True: others have gone on meanwhile, and memory may have changed.
    std::function<bool()> when_stuck;
    uint64_t most_blocks = UINT64_MAX;  // that the others leave room for

private:
    Others* outer_;
};
Others* other_launches();  // of this thread; nullptr: none lives

}  // namespace wl::emulator
