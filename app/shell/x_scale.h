// The scale that the users of an X server ask for, while the program runs: GLFW reads it when it starts, and
// never again. (Wayland tells GLFW of every change.)
#pragma once

#include <memory>
#include <optional>

namespace wl::app {

struct XServer;
struct XScale {
    std::unique_ptr<XServer>
        server;  // a connection of its own; empty: there is no X server, or none is asked
    explicit XScale(bool asks);
    XScale(const XScale&) = delete;
    XScale& operator=(const XScale&) = delete;
    ~XScale();
};

// Xft.dpi / 96, when the server's resources were changed since the last call. Asks nothing of the server
// otherwise.
std::optional<float> changed_scale(XScale& scale);

}  // namespace wl::app
