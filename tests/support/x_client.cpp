// The source's half of freedesktop.org's "Drag-and-Drop Protocol for the X Window System", version 5: enter,
// position, drop; the window asks for the selection, a list of addresses, and says when it has it.
#include "tests/support/x_client.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

namespace wl::test {

namespace {

constexpr long kVersion = 5;

using Connection = std::unique_ptr<Display, int (*)(Display*)>;

struct Source {
    Connection display{XOpenDisplay(nullptr), XCloseDisplay};
    Window own = None, target = None;
    std::string addresses;  // one a line, as text/uri-list
    bool accepted = false, finished = false;

    Atom atom(const char* name) const { return XInternAtom(display.get(), name, False); }
};

bool has_property(const Source& source, Window window, Atom property) {
    Atom type = None;
    int format = 0;
    unsigned long count = 0, left = 0;
    unsigned char* data = nullptr;
    XGetWindowProperty(
        source.display.get(),
        window,
        property,
        0,
        1,
        False,
        AnyPropertyType,
        &type,
        &format,
        &count,
        &left,
        &data
    );
    if (data != nullptr) XFree(data);
    return type != None;
}

// The one that takes drops; a window manager puts frames around it.
Window find_target(const Source& source, Window from) {
    if (has_property(source, from, source.atom("XdndAware"))) return from;
    Window root = None, parent = None, found = None;
    Window* children = nullptr;
    unsigned int count = 0;
    if (XQueryTree(source.display.get(), from, &root, &parent, &children, &count) == 0) return None;
    for (unsigned int i = 0; i < count && found == None; ++i) found = find_target(source, children[i]);
    if (children != nullptr) XFree(children);
    return found;
}

void tell(const Source& source, const char* what, long a = 0, long b = 0, long c = 0, long d = 0) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = source.target;
    event.xclient.message_type = source.atom(what);
    event.xclient.format = 32;
    const long words[] = {static_cast<long>(source.own), a, b, c, d};
    for (int i = 0; i < 5; ++i) event.xclient.data.l[i] = words[i];
    XSendEvent(source.display.get(), source.target, False, NoEventMask, &event);
    XFlush(source.display.get());
}

void hand_over(const Source& source, const XSelectionRequestEvent& asked) {
    XChangeProperty(
        source.display.get(),
        asked.requestor,
        asked.property,
        asked.target,
        8,
        PropModeReplace,
        reinterpret_cast<const unsigned char*>(source.addresses.data()),
        static_cast<int>(source.addresses.size())
    );
    XEvent answer{};
    answer.xselection.type = SelectionNotify;
    answer.xselection.requestor = asked.requestor;
    answer.xselection.selection = asked.selection;
    answer.xselection.target = asked.target;
    answer.xselection.property = asked.property;
    answer.xselection.time = asked.time;
    XSendEvent(source.display.get(), asked.requestor, False, NoEventMask, &answer);
    XFlush(source.display.get());
}

void hear(Source& source) {
    while (XPending(source.display.get()) > 0) {
        XEvent event;
        XNextEvent(source.display.get(), &event);
        if (event.type == SelectionRequest) hand_over(source, event.xselectionrequest);
        if (event.type != ClientMessage) continue;
        if (event.xclient.message_type == source.atom("XdndStatus"))
            source.accepted = (event.xclient.data.l[1] & 1) != 0;
        // Its flag is no word on whether they were taken: GLFW 3.4 sets the length of the list there.
        if (event.xclient.message_type == source.atom("XdndFinished")) source.finished = true;
    }
}

// "file:///tmp/a%20b.cu"
std::string address_of(const std::string& path) {
    std::string out = "file://";
    for (const unsigned char c : path) {
        char coded[4];
        std::snprintf(coded, sizeof coded, "%%%02X", c);
        const bool plain = std::isalnum(c) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
        out += plain ? std::string(1, static_cast<char>(c)) : coded;
    }
    return out + "\r\n";
}

}  // namespace

bool drop_files(const std::vector<std::string>& paths, ImVec2 at, const std::function<void()>& frame) {
    Source source;
    if (!source.display) return false;
    Display* display = source.display.get();
    const Window root = DefaultRootWindow(display);
    source.target = find_target(source, root);
    if (source.target == None) return false;
    source.own = XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, 0, 0);
    for (const std::string& path : paths) source.addresses += address_of(path);
    XSetSelectionOwner(display, source.atom("XdndSelection"), source.own, CurrentTime);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    const auto until = [&](const bool& holds) {
        while (!holds && std::chrono::steady_clock::now() < end) frame(), hear(source);
        return holds;
    };
    tell(source, "XdndEnter", kVersion << 24, static_cast<long>(source.atom("text/uri-list")));
    const long place = std::lround(at.x) << 16 | std::lround(at.y);
    tell(source, "XdndPosition", 0, place, CurrentTime, static_cast<long>(source.atom("XdndActionCopy")));
    if (!until(source.accepted)) return false;
    tell(source, "XdndDrop", 0, CurrentTime);
    return until(source.finished);
}

bool set_resources(const std::string& resources) {
    const Connection display(XOpenDisplay(nullptr), XCloseDisplay);
    if (!display) return false;
    XChangeProperty(
        display.get(),
        DefaultRootWindow(display.get()),
        XA_RESOURCE_MANAGER,
        XA_STRING,
        8,
        PropModeReplace,
        reinterpret_cast<const unsigned char*>(resources.data()),
        static_cast<int>(resources.size())
    );
    return true;
}

}  // namespace wl::test
