// The window redrawn on events, and the way off screen.
#include "app/shell/window.h"

#include "app/draw/look.h"
#include "app/session/edit/rerun.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "app/shell/shell_window.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

namespace wl::app {

namespace {

void begin(App& app, const OpenRequest& request) {
    app.session.kernels = request.kernels;
    app.session.program = request.program;
    app.write_report = request.write_report;
    app.session.request = request.run;
    app.session.settings = read_settings(request.settings);
    const bool own = request.screenshot.empty();  // a picture looks the same everywhere
    app.ui.light = request.light.value_or(own && app.session.settings.light);
    app.ui.zoom = own ? app.session.settings.zoom : 1;
    apply_style(app.ui.scale);
    read_desks(app.workspace.desks, request.settings);
    if (!request.capture.empty())
        remember_recent(app.session.settings, std::filesystem::absolute(request.capture).string());
    if (is_big_file(request.capture)) {
        load_file(app.session, app.selection, request.capture);
    } else if (!request.capture.empty()) {
        load(app.session, app.selection, capture::read_capture(request.capture), request.capture);
    }
    if (!request.text.empty()) app.brought = {request.text};
    if (!request.run.kernel.empty()) run(app.session, request.run);
    app.workspace.at_home = request.capture.empty() && request.text.empty() && request.run.kernel.empty();
}

// Until something happens: an event, a saved file, another scale, or the time at which a frame is due. Number
// of frames to draw.
int wait(WindowShell& shell, const std::function<bool()>& interrupted) {
    App& app = shell.app;
    constexpr int kAfterEvent = 3;
    constexpr double kWorking = 0.02, kProgress = 0.1, kSlice = 0.1;  // seconds
    const double begin = glfwGetTime();
    while (!interrupted()) {
        const bool waiting = is_waiting(app.session);
        const double left = waiting ? kWorking
            : app.ui.due >= 0       ? static_cast<double>(app.ui.due) + begin - glfwGetTime()
                                    : kSlice;
        if (left <= 0) return 1;
        const double slice = std::min(left, kSlice), asked = glfwGetTime();
        glfwWaitEventsTimeout(slice);
        if (glfwGetTime() - asked < slice * 0.99) return kAfterEvent;
        // Frames take from those that are waited for what they could compute meanwhile.
        if (waiting && (has_news(app.session) || glfwGetTime() - begin > kProgress)) return 1;
        if (follow_scale(shell)) return kAfterEvent;
        if (!waiting && look_after_files(app.session)) return 1;
    }
    return 0;
}

// Events are followed by a few more frames: hover and layout take their effect one frame later. What Dear
// ImGui has not taken from its queue yet is an event to come.
void loop(WindowShell& shell, Driver* driver, const std::function<bool()>& interrupted) {
    constexpr int kAfterEvent = 3;
    int due = kAfterEvent;
    while (glfwWindowShouldClose(shell.window.handle) == GLFW_FALSE && !shell.app.quit && !interrupted()) {
        if (due <= 0 && driver == nullptr) due = wait(shell, interrupted);
        shell.draw(driver);
        --due;
        if (!ImGui::GetCurrentContext()->InputEventsQueue.empty()) due = kAfterEvent;
        if (shell.app.changed && !is_waiting(shell.app.session)) due = std::max(due, 1);
        if (ImGui::GetIO().WantTextInput) shell.app.ui.due = 0.4F;  // the caret blinks
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
