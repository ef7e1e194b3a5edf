// How long a step takes in the window, from the key to the frame that shows its instant: median and worst, on
// a block of v2c_3's mission shape in the debug build; the first answer of that build; and frames with each
// of the panels in front.
#include "app/draw/gl.h"
#include "app/session/clock.h"
#include "app/session/navigate.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/base/error.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace wl::app;
using Clock = std::chrono::steady_clock;

// To the end of the frame: the rasteriser works behind the commands, and frames that nobody waits for queue
// up until one of them waits for all.
void draw(OffscreenShell& shell) {
    shell.draw();
    glFinish();
}

double milliseconds(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

// Until a frame has shown the answer: it is taken before the panels are drawn. What else the panels ask of
// other instants may still be under way.
void settle_step(OffscreenShell& shell) {
    const LanesAnswer& lanes = shell.app.session.lanes;
    do draw(shell);
    while (!lanes.talk.asked.empty() || !lanes.steps.empty());
}

void settle_answers(OffscreenShell& shell) {
    do draw(shell);
    while (is_waiting(shell.app.session));
    draw(shell);
}

void press(OffscreenShell& shell, ImGuiKey key, bool shift) {
    if (shift) ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
    ImGui::GetIO().AddKeyEvent(key, true);
    draw(shell);
    ImGui::GetIO().AddKeyEvent(key, false);
    if (shift) ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
}

// Presses the key so often, each time when the step before is shown.
void measure(OffscreenShell& shell, const char* what, ImGuiKey key, bool shift) {
    constexpr int kSteps = 100;
    std::vector<double> took;
    for (int i = 0; i < kSteps; ++i) {
        const uint64_t before = shell.app.session.lanes.report->order;
        const auto begin = Clock::now();
        press(shell, key, shift);
        settle_step(shell);
        if (shell.app.session.lanes.report->order == before) break;
        took.push_back(milliseconds(begin));
        settle_answers(shell);
    }
    if (took.empty())
        throw wl::Error(std::string(what) + " leads nowhere: " + shell.app.session.message.text);
    std::sort(took.begin(), took.end());
    std::printf(
        "%-22s median %5.1f ms   worst %5.1f ms   of %zu\n",
        what,
        took[took.size() / 2],
        took.back(),
        took.size()
    );
}

void choose_line(OffscreenShell& shell, int line) {
    Session& session = shell.app.session;
    select_site(session, shell.app.selection, site_at_line(session.capture, "v2c_3.cu", line));
}

void click_tab(OffscreenShell& shell, const char* name) {
    for (const Control& control : shell.app.ui.controls) {
        if (control.name != name) continue;
        ImGui::GetIO().AddMousePosEvent(
            (control.low.x + control.high.x) / 2, (control.low.y + control.high.y) / 2
        );
        draw(shell);
        ImGui::GetIO().AddMouseButtonEvent(0, true);
        draw(shell);
        ImGui::GetIO().AddMouseButtonEvent(0, false);
        draw(shell);
        return;
    }
}

// Frames with that panel in front, the mouse moving over it.
void measure_frames(OffscreenShell& shell, const char* panel) {
    constexpr int kFrames = 100;
    click_tab(shell, (std::string("tab/") + panel).c_str());
    for (int i = 0; i < 3; ++i) settle_answers(shell);
    std::vector<double> took;
    for (int i = 0; i < kFrames; ++i) {
        ImGui::GetIO().AddMousePosEvent(300.0F + static_cast<float>(5 * i), 300);
        const auto begin = Clock::now();
        draw(shell);
        took.push_back(milliseconds(begin));
    }
    std::sort(took.begin(), took.end());
    std::printf(
        "a frame, %-13s median %5.1f ms   worst %5.1f ms\n", panel, took[took.size() / 2], took.back()
    );
}

void run_and_settle(OffscreenShell& shell, const KernelOptions& options) {
    Session& session = shell.app.session;
    run(session, options);
    settle_answers(shell);
    if (session.captures == 0) throw wl::Error(session.message.text);
}

}  // namespace

int main() {
    try {
        OffscreenShell shell(1920, 1080, 1);
        Session& session = shell.app.session;
        session.program = WL_PROGRAM;
        KernelOptions options;
        options.kernel = "v2c_3", options.preset = "mission";
        run_and_settle(shell, options);
        const auto begin = Clock::now();
        choose_line(shell, 104);
        click_tab(shell, "tab/Lanes");
        while (!session.lanes.report) draw(shell);
        std::printf("%-22s %5.0f ms\n", "first answer", milliseconds(begin));
        settle_answers(shell);
        measure(shell, "over, F10", ImGuiKey_F10, false);
        measure(shell, "back over, Shift F10", ImGuiKey_F10, true);
        measure(shell, "into, F11", ImGuiKey_F11, false);
        measure(shell, "an instruction on", ImGuiKey_Period, false);
        measure(shell, "an instruction back", ImGuiKey_Comma, false);
        measure(shell, "iteration", ImGuiKey_I, false);
        measure(shell, "back iteration", ImGuiKey_I, true);
        measure_frames(shell, "Lanes");
        options.kernel = "v2c_4", options.preset = "", options.faults = {"ld"};
        run_and_settle(shell, options);
        for (const char* panel : {"Heatmaps", "Lanes", "Fragments", "Shared memory", "Provenance", "Learn"})
            measure_frames(shell, panel);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "step_bench: %s\n", error.what());
        return 2;
    }
}
