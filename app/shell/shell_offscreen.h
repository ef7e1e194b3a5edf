// The application without a display: an EGL context without surface and a framebuffer of our own.
#pragma once

#include "app/app.h"
#include "app/draw/export/pixels.h"
#include "app/shell/driver.h"
#include "app/shell/render.h"

#include <functional>

namespace wl::app {

// Current from construction to destruction. Throws Error saying what to install where EGL is missing.
struct OffscreenContext {
    void* display = nullptr;
    void* context = nullptr;
    unsigned framebuffer = 0, colour = 0;
    int width = 0, height = 0;
    OffscreenContext(int width, int height);
    OffscreenContext(const OffscreenContext&) = delete;
    OffscreenContext& operator=(const OffscreenContext&) = delete;
    ~OffscreenContext();
};

struct OffscreenShell {
    OffscreenContext context;
    App app;
    Gui gui;
    OpaqueProgram opaque;
    OffscreenShell(int width, int height, float scale);
    void draw(const std::function<void()>& contents);  // one frame whose contents that function draws
    void draw();                                       // one frame of the application
    Image pixels() const;
};

// A script to its end. Throws Error when an expectation fails.
void play(OffscreenShell& shell, Driver driver);

// Draws until nothing changes any more (fonts, layout and hover take a few frames).
void settle(OffscreenShell& shell);

}  // namespace wl::app
