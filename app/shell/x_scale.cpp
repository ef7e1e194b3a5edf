// RESOURCE_MANAGER of the root window, where desktops keep Xft.dpi. libX11 is opened at run time, as GLFW
// does: a machine with Wayland alone may have none.
#include "app/shell/x_scale.h"

#include "instrumentation/base/os/library.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <cstdlib>
#include <string>
#include <string_view>

namespace wl::app {

struct XServer {
    Library library = load_library("libX11.so.6");
    Display* display = nullptr;
    Window root = None;
    decltype(&XCloseDisplay) close_display = nullptr;
    decltype(&XPending) pending = nullptr;
    decltype(&XNextEvent) next_event = nullptr;
    decltype(&XGetWindowProperty) get_property = nullptr;
    decltype(&XFree) free = nullptr;
    XServer() = default;
    XServer(const XServer&) = delete;
    XServer& operator=(const XServer&) = delete;
    ~XServer() {
        if (display != nullptr) close_display(display);
        unload_library(library);
    }
};

namespace {

template <class Function>
bool find(const XServer& server, Function& function, const char* name) {
    return bind_symbol(server.library, function, name);
}

// A connection that hears of changed properties of the root window.
std::unique_ptr<XServer> connect() {
    auto server = std::make_unique<XServer>();
    if (server->library == nullptr) return nullptr;
    decltype(&XOpenDisplay) open_display = nullptr;
    decltype(&XSelectInput) select_input = nullptr;
    const bool has_all = find(*server, open_display, "XOpenDisplay") &&
        find(*server, select_input, "XSelectInput") &&
        find(*server, server->close_display, "XCloseDisplay") && find(*server, server->pending, "XPending") &&
        find(*server, server->next_event, "XNextEvent") && find(*server, server->free, "XFree") &&
        find(*server, server->get_property, "XGetWindowProperty");
    if (!has_all) return nullptr;
    server->display = open_display(nullptr);
    if (server->display == nullptr) return nullptr;
    server->root = DefaultRootWindow(server->display);
    select_input(server->display, server->root, PropertyChangeMask);
    server->pending(server->display);  // sends it
    return server;
}

std::string resources_of(const XServer& server) {
    constexpr long kMost = 1 << 18;  // words of four bytes
    Atom type = None;
    int format = 0;
    unsigned long count = 0, left = 0;
    unsigned char* data = nullptr;
    server.get_property(
        server.display,
        server.root,
        XA_RESOURCE_MANAGER,
        0,
        kMost,
        False,
        XA_STRING,
        &type,
        &format,
        &count,
        &left,
        &data
    );
    if (data == nullptr) return {};
    std::string text(reinterpret_cast<const char*>(data), count);
    server.free(data);
    return text;
}

// "Xft.dpi:\t144" on a line of its own.
std::optional<float> scale_in(const std::string& resources) {
    constexpr std::string_view kName = "Xft.dpi:";
    constexpr float kUsual = 96;  // dots an inch at scale 1
    const size_t at = resources.starts_with(kName) ? 0 : resources.find("\n" + std::string(kName));
    if (at == std::string::npos) return std::nullopt;
    const float dots = std::strtof(resources.c_str() + resources.find(':', at) + 1, nullptr);
    if (dots < kUsual / 4 || dots > kUsual * 8) return std::nullopt;
    return dots / kUsual;
}

}  // namespace

XScale::XScale(bool asks) : server(asks ? connect() : nullptr) {}
XScale::~XScale() = default;

std::optional<float> changed_scale(XScale& scale) {
    if (!scale.server) return std::nullopt;
    const XServer& server = *scale.server;
    bool changed = false;
    while (server.pending(server.display) > 0) {
        XEvent event;
        server.next_event(server.display, &event);
        changed |= event.type == PropertyNotify && event.xproperty.atom == XA_RESOURCE_MANAGER;
    }
    return changed ? scale_in(resources_of(server)) : std::nullopt;
}

}  // namespace wl::app
