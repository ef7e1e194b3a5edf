// GLFW 3.3's calls, and the errors of a machine without a display.
#include "app/shell/shell_window.h"

#include "app/draw/gl.h"
#include "app/shell/icon.h"
#include "instrumentation/base/error.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdlib>

// Dear ImGui's back end asks in every frame for all monitors, and of each for its mode, place, work area and
// scale: round trips to the X server. They matter to windows outside this one, of which there are none.
extern "C" GLFWmonitor** no_monitors(int* count) __asm__("__wrap_glfwGetMonitors");
extern "C" GLFWmonitor** no_monitors(int* count) {
    *count = 0;
    return nullptr;
}

namespace wl::app {

namespace {

// What GLFW knows of the display.
float scale_of(const GlfwWindow& window) {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window.handle, &x, &y);
    return x;
}

// A control under others knows one frame late that the mouse came to it. A press behind a move of the same
// frame, by a quick hand or in a slow frame, would miss it: it and what follows are taken from the queue
// until the next frame.
ImVector<ImGuiInputEvent> hold_presses() {
    ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
    const auto moved = std::find_if(queue.begin(), queue.end(), [](const ImGuiInputEvent& event) {
        return event.Type == ImGuiInputEventType_MousePos;
    });
    const auto pressed = std::find_if(moved, queue.end(), [](const ImGuiInputEvent& event) {
        return event.Type == ImGuiInputEventType_MouseButton && event.MouseButton.Down;
    });
    ImVector<ImGuiInputEvent> held;
    for (const ImGuiInputEvent* event = pressed; event != queue.end(); ++event) held.push_back(*event);
    queue.resize(queue.Size - held.Size);
    return held;
}

}  // namespace

GlfwWindow::GlfwWindow(int width, int height) {
    glfwSetErrorCallback([](int, const char*) {});
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != 0;
    };
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
        throw Error(
            "there is no display for a window (neither DISPLAY nor WAYLAND_DISPLAY is set); with "
            "--screenshot "
            "OUT.png WarpLens draws the window into a picture instead"
        );
    }
    const char* why = nullptr;
    if (glfwInit() != GLFW_TRUE) {
        glfwGetError(&why);
        throw Error(
            std::string("There is no display for a window (") +
            (why != nullptr ? why : "GLFW does not start") +
            "); with --screenshot OUT.png WarpLens draws the window into a picture instead."
        );
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "WarpLens");  // as assets/warplens.desktop has it
    handle = glfwCreateWindow(width, height, "WarpLens", nullptr, nullptr);
    if (handle == nullptr) {
        glfwGetError(&why);
        const std::string reason = why != nullptr ? why : "unknown reason";
        glfwTerminate();
        throw Error(
            "This display offers no OpenGL 3.3 window (" + reason +
            "); with --screenshot OUT.png WarpLens draws the window into a picture instead."
        );
    }
    Icon shown = icon();
    const GLFWimage image{shown.width, shown.height, shown.rgba.data()};
    glfwSetWindowIcon(handle, 1, &image);
    glfwMakeContextCurrent(handle);
    glfwSwapInterval(1);
}

GlfwWindow::~GlfwWindow() {
    glfwDestroyWindow(handle);
    glfwTerminate();
}

WindowShell::WindowShell(int width, int height, float scale) :
    window(width, height),
    wanted_scale(scale),
    x_scale(scale <= 0 && glfwGetPlatform() == GLFW_PLATFORM_X11),
    gui(app.ui, scale > 0 ? scale : scale_of(window)) {
    glfwSetWindowUserPointer(window.handle, &app);
    glfwSetDropCallback(window.handle, [](GLFWwindow* handle, int count, const char** paths) {
        App& dropped_on = *static_cast<App*>(glfwGetWindowUserPointer(handle));
        dropped_on.brought.assign(paths, paths + count);
    });
    ImGui_ImplGlfw_InitForOpenGL(window.handle, true);
}

WindowShell::~WindowShell() { ImGui_ImplGlfw_Shutdown(); }

bool follow_scale(WindowShell& shell) {
    if (shell.wanted_scale > 0) return false;
    if (const std::optional<float> told = changed_scale(shell.x_scale)) shell.told_scale = *told;
    const float scale = shell.told_scale > 0 ? shell.told_scale : scale_of(shell.window);
    const bool changed = scale > 0 && scale != shell.app.ui.base;
    if (changed) shell.app.ui.base = scale;
    return changed;
}

void WindowShell::draw(Driver* driver) {
    glfwPollEvents();
    follow_scale(*this);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    if (driver != nullptr) drive(*driver, app);
    before_frame(app);
    const ImVector<ImGuiInputEvent> held = hold_presses();
    ImGui::NewFrame();
    for (const ImGuiInputEvent& event : held) ImGui::GetCurrentContext()->InputEventsQueue.push_back(event);
    frame(app);
    ImGui::Render();
    int width = 0, height = 0;
    glfwGetFramebufferSize(window.handle, &width, &height);
    render(opaque, width, height);
    if (driver != nullptr) inspect(*driver, app, [width, height] { return read_pixels(width, height); });
    glfwSwapBuffers(window.handle);
}

void play(WindowShell& shell, Driver driver) {
    while (!finished(driver)) shell.draw(&driver);
}

}  // namespace wl::app
