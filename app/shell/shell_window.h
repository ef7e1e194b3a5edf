// The application on a display: a GLFW window with an OpenGL context.
#pragma once

#include "app/app.h"
#include "app/shell/driver.h"
#include "app/shell/render.h"
#include "app/shell/x_scale.h"

struct GLFWwindow;

namespace wl::app {

// Throws Error, naming --screenshot, where no window can be opened.
struct GlfwWindow {
    GLFWwindow* handle = nullptr;
    GlfwWindow(int width, int height);
    GlfwWindow(const GlfwWindow&) = delete;
    GlfwWindow& operator=(const GlfwWindow&) = delete;
    ~GlfwWindow();
};
// Dear ImGui lies between the window's context and what is drawn, so that textures go while OpenGL is there.
struct WindowShell {
    GlfwWindow window;
    float wanted_scale;    // 0: the display's
    XScale x_scale;        // where the display does not tell GLFW
    float told_scale = 0;  // by it; 0: as GLFW says
    App app;
    Gui gui;
    OpaqueProgram opaque;
    WindowShell(int width, int height, float scale);
    WindowShell(const WindowShell&) = delete;
    WindowShell& operator=(const WindowShell&) = delete;
    ~WindowShell();
    void draw(Driver* driver);  // one frame, after the events that have come; nullptr: no script is played
};

// A window may move to a display of another scale while it runs, and the display's may be changed. True: it
// is another one.
bool follow_scale(WindowShell& shell);

// A script to its end. Throws Error when an expectation fails.
void play(WindowShell& shell, Driver driver);

}  // namespace wl::app
