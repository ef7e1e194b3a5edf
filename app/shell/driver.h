// Drives the application by a script of named controls: for tests, pictures of the documentation, and
// demonstrations.
//
//   click NAME [FX FY]       press and release at a fraction of the control (default: its middle)
//   double NAME [FX FY]      two clicks
//   drag NAME FX FY DX DY    press at the fraction, move by pixels, release
//   move NAME [FX FY]        the mouse, only
//   wheel NAME FX FY STEPS
//   key NAME | hold NAME | release NAME   Dear ImGui's key names: LeftArrow, N, Space, Shift
//   type TEXT                into the focused field; a last word <enter> presses Enter
//   panel TITLE              brings that panel to the front
//   wait [FRAMES]            frames (default 2)
//   until KEY VALUE          as expect, but draws up to 60 seconds until it holds
//   expect KEY VALUE         fails the script; keys: see value_of in values.cpp
//   tell KEY                 prints the value
//   shot FILE.png
#pragma once

#include "app/app.h"
#include "app/draw/export/pixels.h"

#include <imgui.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace wl::app {

struct ScriptLine {
    int number = 0;
    std::vector<std::string> words;
};

// Who moves mouse and keys.
struct Hands {
    std::function<void(ImVec2 to)> move;
    std::function<void(bool down)> button;  // the left one
    std::function<void(float steps)> wheel;
    std::function<void(ImGuiKey key, bool down)> key;
    std::function<void(const std::string& text)> type;
};
Hands imgui_hands();  // into Dear ImGui's queue, without a display

struct Driver {
    std::string name;  // of the script, for messages
    std::deque<ScriptLine> lines;
    std::deque<std::function<void(const Hands&)>> pending;  // one a frame: the events of the line in progress
    Hands hands = imgui_hands();
    double deadline = 0;  // of an `until`: seconds of the monotonic clock; 0: none waits
    int shots = 0;
};
Driver parse_script(const std::string& text, std::string name);
Driver read_script(const std::string& path);

bool finished(const Driver& driver);

// Before ImGui::NewFrame: makes the next event. Throws Error "SCRIPT:LINE: what was expected and what is".
void drive(Driver& driver, App& app);
// After the frame was rendered: expectations and shots. `pixels` reads the frame back.
void inspect(Driver& driver, const App& app, const std::function<Image()>& pixels);

std::string value_of(const App& app, const std::string& key);

}  // namespace wl::app
