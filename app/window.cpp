// The shell that has a display: GLFW, redrawn on events. And the way off screen.
#include "app/window.h"

#include "app/app.h"
#include "app/driver.h"
#include "app/gl.h"
#include "app/look.h"
#include "app/shell_offscreen.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace wl::app {

namespace {

void begin(App& app, const OpenRequest& request) {
    app.session.kernels = request.kernels;
    app.session.program = request.program;
    app.session.request = request.run;
    if (!request.capture.empty())
        load(app.session, app.selection, capture::read_capture(request.capture), request.capture);
    if (!request.run.kernel.empty()) run(app.session, request.run);
}

struct GlfwWindow {
    GLFWwindow* handle = nullptr;
    explicit GlfwWindow(const OpenRequest& request) {
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
        handle = glfwCreateWindow(request.width, request.height, "WarpLens", nullptr, nullptr);
        if (handle == nullptr) {
            glfwGetError(&why);
            const std::string reason = why != nullptr ? why : "unknown reason";
            glfwTerminate();
            throw Error(
                "This display offers no OpenGL 3.3 window (" + reason +
                "); with --screenshot OUT.png WarpLens draws the window into a picture instead."
            );
        }
        glfwMakeContextCurrent(handle);
        glfwSwapInterval(1);
    }
    GlfwWindow(const GlfwWindow&) = delete;
    GlfwWindow& operator=(const GlfwWindow&) = delete;
    ~GlfwWindow() {
        glfwDestroyWindow(handle);
        glfwTerminate();
    }
};

// Between the window's context and Dear ImGui's, so that textures go while OpenGL is there.
struct WindowShell {
    GlfwWindow window;
    App app;
    Gui gui;
    explicit WindowShell(const OpenRequest& request) : window(request), gui(app.ui, scale_of(request)) {
        glfwSetWindowUserPointer(window.handle, &app);
        glfwSetDropCallback(window.handle, [](GLFWwindow* handle, int count, const char** paths) {
            App& dropped_on = *static_cast<App*>(glfwGetWindowUserPointer(handle));
            if (count > 0) load_file(dropped_on.session, dropped_on.selection, paths[0]);
        });
        ImGui_ImplGlfw_InitForOpenGL(window.handle, true);
    }
    WindowShell(const WindowShell&) = delete;
    WindowShell& operator=(const WindowShell&) = delete;
    ~WindowShell() { ImGui_ImplGlfw_Shutdown(); }
    float scale_of(const OpenRequest& request) const {
        float x = 1, y = 1;
        glfwGetWindowContentScale(window.handle, &x, &y);
        return request.scale > 0 ? request.scale : x;
    }
};

// A window may move to a display of another scale while it runs.
void follow_scale(WindowShell& shell, const OpenRequest& request) {
    const float scale = shell.scale_of(request);
    if (scale == shell.app.ui.scale || scale <= 0) return;
    shell.app.ui.scale = scale;
    apply_style(scale);
    shell.app.workspace.laid_out = false;
}

void draw_frame(WindowShell& shell, Driver* driver) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    if (driver != nullptr) drive(*driver, shell.app);
    ImGui::NewFrame();
    frame(shell.app);
    ImGui::Render();
    int width = 0, height = 0;
    glfwGetFramebufferSize(shell.window.handle, &width, &height);
    glViewport(0, 0, width, height);
    const ImVec4 clear = ImGui::ColorConvertU32ToFloat4(colour::kPanel);
    glClearColor(clear.x, clear.y, clear.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (driver != nullptr)
        inspect(*driver, shell.app, [width, height] { return read_pixels(width, height); });
    glfwSwapBuffers(shell.window.handle);
}

// Events are followed by a few more frames: hover and layout take their effect one frame later.
void loop(WindowShell& shell, const OpenRequest& request, Driver* driver) {
    constexpr int kAfterEvent = 3;
    constexpr double kIdle = 1, kWorking = 0.05;  // seconds
    int due = kAfterEvent;
    while (glfwWindowShouldClose(shell.window.handle) == GLFW_FALSE && !shell.app.quit) {
        if (due > 0 || driver != nullptr) {
            glfwPollEvents();
        } else {
            const double before = glfwGetTime(), patience = is_waiting(shell.app.session) ? kWorking : kIdle;
            glfwWaitEventsTimeout(patience);
            due = glfwGetTime() - before < patience * 0.99 ? kAfterEvent : 1;
        }
        follow_scale(shell, request);
        draw_frame(shell, driver);
        --due;
        if (shell.app.changed && !is_waiting(shell.app.session)) due = std::max(due, 1);
        if (ImGui::GetIO().WantTextInput) due = std::max(due, 1);  // the caret blinks
        if (driver != nullptr && finished(*driver)) return;
    }
}

}  // namespace

int draw_offscreen(const OpenRequest& request) {
    OffscreenShell shell(request.width, request.height, request.scale > 0 ? request.scale : 1);
    begin(shell.app, request);
    if (!request.script.empty()) play(shell, read_script(request.script));
    while (is_waiting(shell.app.session)) {
        shell.draw();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    settle(shell);
    if (!request.screenshot.empty()) write_png(shell.pixels(), request.screenshot);
    if (shell.app.session.message.bad) throw Error(shell.app.session.message.text);
    return 0;
}

int open_window(const OpenRequest& request) {
    if (!request.screenshot.empty()) return draw_offscreen(request);
    WindowShell shell(request);
    begin(shell.app, request);
    std::optional<Driver> driver;
    if (!request.script.empty()) driver = read_script(request.script);
    loop(shell, request, driver ? &*driver : nullptr);
    return 0;
}

}  // namespace wl::app
