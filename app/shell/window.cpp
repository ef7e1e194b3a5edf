// The window redrawn on events, and the way off screen.
#include "app/shell/window.h"

#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "app/shell/shell_window.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace wl::app {

namespace {

void begin(App& app, const OpenRequest& request) {
    app.session.kernels = request.kernels;
    app.session.program = request.program;
    app.session.request = request.run;
    if (is_big_file(request.capture)) {
        load_file(app.session, app.selection, request.capture);
    } else if (!request.capture.empty()) {
        load(app.session, app.selection, capture::read_capture(request.capture), request.capture);
    }
    if (!request.run.kernel.empty()) run(app.session, request.run);
}

// Events are followed by a few more frames: hover and layout take their effect one frame later.
void loop(WindowShell& shell, Driver* driver, const std::function<bool()>& interrupted) {
    constexpr int kAfterEvent = 3;
    constexpr double kIdle = 1, kWorking = 0.02, kSignal = 0.1;  // seconds
    int due = kAfterEvent;
    while (glfwWindowShouldClose(shell.window.handle) == GLFW_FALSE && !shell.app.quit && !interrupted()) {
        if (due <= 0 && driver == nullptr) {
            const double before = glfwGetTime(), patience = is_waiting(shell.app.session) ? kWorking : kIdle;
            double waited = 0;
            bool event = false;
            while (!event && waited < patience && !interrupted()) {
                const double slice = std::min(kSignal, patience - waited), begin = glfwGetTime();
                glfwWaitEventsTimeout(slice);
                waited = glfwGetTime() - before;
                event = glfwGetTime() - begin < slice * 0.99;
            }
            due = event ? kAfterEvent : 1;
        }
        shell.draw(driver);
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
    while (is_waiting(shell.app.session) && !request.interrupted()) {
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
    WindowShell shell(request.width, request.height, request.scale);
    begin(shell.app, request);
    std::optional<Driver> driver;
    if (!request.script.empty()) driver = read_script(request.script);
    loop(shell, driver ? &*driver : nullptr, request.interrupted);
    return 0;
}

}  // namespace wl::app
