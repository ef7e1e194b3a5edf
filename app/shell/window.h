// The window as the command line opens it.
#pragma once

#include "app/session/session.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct OpenRequest {
    std::string capture;  // path of a .wlcap to show, or ...
    std::string text;     // ... of a kernel without a manifest, or an array, or ...
    KernelOptions run;    // ... a kernel to run in the worker at once (empty kernel: nothing is run)
    std::vector<KernelChoice> kernels;  // what the run panel offers
    std::string program;                // this executable, the worker's; empty: nothing can be run
    std::string settings;               // file of what the window remembers; empty: nothing
    std::optional<bool> light;          // the theme; nothing: as it was left
    std::string screenshot;             // write one picture of the window off screen and end
    std::string script;  // a script of driver.h, run in the window, or off screen with --screenshot
    int width = 1920, height = 1080;
    float scale = 0;  // of the interface; 0: the display's
    std::function<void(const capture::Capture&, const std::string& path)> write_report;  // as App has it
    std::function<bool()> interrupted = [] { return false; };  // true: the window closes
};

// Returns the exit status. Throws Error without a display (naming --screenshot), for an unreadable capture
// together with
// --screenshot, and when a script fails.
int open_window(const OpenRequest& request);

// The same off screen: what `open_window` does with a screenshot.
int draw_offscreen(const OpenRequest& request);

}  // namespace wl::app
