// A virtual X server, and hands that move its real mouse and press its real keys (xdotool).
#pragma once

#include "app/shell/driver.h"

#include <sys/types.h>

namespace wl::test {

// For as long as it lives; DISPLAY points to it.
struct VirtualDisplay {
    pid_t server = -1;
    bool started = false;
    VirtualDisplay(int width, int height);
    VirtualDisplay(const VirtualDisplay&) = delete;
    VirtualDisplay& operator=(const VirtualDisplay&) = delete;
    ~VirtualDisplay();
};

// Through the X server and GLFW, as a user's would. Each event has arrived when the next frame polls.
app::Hands x_hands();

}  // namespace wl::test
