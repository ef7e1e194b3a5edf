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

// The same at once, for what comes in one go: a key with the modifiers held, as Dear ImGui writes a chord;
// the mouse moved; presses and releases of a button (1: left, 3: right, 4 and 5: the wheel); words.
void press_chord(int chord);
void point_at(ImVec2 to);
void click_there(int button = 1, int times = 1);
void type_words(const std::string& words);

}  // namespace wl::test
