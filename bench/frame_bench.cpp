// Frame time of the whole window while a 64x64 tile is panned in every frame: median, 90th percentile and
// worst of 200.
#include "app/draw/gl.h"
#include "app/session/navigate.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace wl::app;

constexpr int kFrames = 200, kWarmUp = 20;

// Holds the mouse button over the first heatmap and moves it to and fro.
void pan(const App& app, int frame) {
    const auto at = std::find_if(app.ui.controls.begin(), app.ui.controls.end(), [](const Control& c) {
        return c.name == "heat/got";
    });
    if (at == app.ui.controls.end()) return;
    const float x = (at->low.x + at->high.x) / 2, y = (at->low.y + at->high.y) / 2;
    const auto swing = static_cast<float>(frame % 40 < 20 ? frame % 20 : 20 - frame % 20);
    ImGui::GetIO().AddMousePosEvent(x + 3 * swing, y + 2 * swing);
    if (frame == 0) ImGui::GetIO().AddMouseButtonEvent(0, true);
}

std::vector<double> measure_frames(OffscreenShell& shell) {
    std::vector<double> milliseconds;
    for (int frame = 0; frame < kWarmUp + kFrames; ++frame) {
        pan(shell.app, frame);
        const auto begin = std::chrono::steady_clock::now();
        shell.draw();
        glFinish();
        const auto end = std::chrono::steady_clock::now();
        if (frame >= kWarmUp)
            milliseconds.push_back(std::chrono::duration<double, std::milli>(end - begin).count());
    }
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds;
}

void report(const char* what, const std::vector<double>& sorted) {
    std::printf(
        "%-28s median %5.1f ms   p90 %5.1f ms   worst %5.1f ms\n",
        what,
        sorted[kFrames / 2],
        sorted[kFrames * 9 / 10],
        sorted.back()
    );
}

int tile_named(const App& app, const char* name) {
    const wl::capture::Capture& capture = app.session.capture;
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        if (capture.probes[static_cast<size_t>(capture.tiles[i].probe)].name == name)
            return static_cast<int>(i);
    }
    return -1;
}

// 99 KiB of shared memory, the most that a block may have by default, whose every 4 bytes another lane wrote;
// a matrix of 64 rows, and another one behind it.
SharedAnswered synthetic_shared() {
    SharedAnswered shared;
    wl::capture::SharedState& s = shared.report.emplace().state;
    s.values.resize(99 << 10);
    for (int warp = 0; warp < 8; ++warp)
        for (int ago = 0; ago < 4; ++ago) {
            wl::capture::SharedWrite& w = s.writes.emplace_back();
            w.warp = warp, w.epochs_ago = ago;
        }
    for (uint32_t at = 0; at < s.values.size(); at += 4) {
        const uint32_t cell = at / 4;
        s.runs.push_back({at, 4, static_cast<int>(cell / 96 % 32), static_cast<int>(cell % 32), -1, -1, 1, 1}
        );
    }
    for (const auto& [name, begin] : {std::pair("K", 0U), std::pair("scores", 40960U)}) {
        wl::capture::NamedRegion& r = s.regions.emplace_back();
        r.name = name, r.begin = begin, r.dtype = begin == 0 ? wl::DType::f16 : wl::DType::f32;
        r.rows = r.cols = 64, r.ld = begin == 0 ? 72 : 64;
        r.end = begin + 64 * static_cast<uint32_t>(r.ld * static_cast<int>(wl::size_of(r.dtype)));
    }
    shared.view = make_shared_view(s);
    shared.content = 1;
    return shared;
}

// The panel in front, in the usual way and in those that cost more.
void measure_shared(OffscreenShell& shell) {
    App& app = shell.app;
    app.session.shared = synthetic_shared();
    app.session.capture.launch.static_shared = 99 << 10;
    for (const char* title : {"Lanes", "Fragments", "Provenance", "Banks", "Heatmaps"})
        for (int panel = 0; panel < kPanels; ++panel)
            if (std::string_view(panel_title(panel)) == title)
                app.workspace.open[static_cast<size_t>(panel)] = false;
    settle(shell);
    report("shared memory, state", measure_frames(shell));
    app.workspace.shared_memory.colour = SharedColour::lane;
    report("shared memory, lanes", measure_frames(shell));
    app.workspace.shared_memory.colour = SharedColour::value;
    report("shared memory, values", measure_frames(shell));
    app.workspace.shared_memory.whole = true;
    app.workspace.shared_memory.colour = SharedColour::lane;
    report("shared memory, all of it", measure_frames(shell));
}

}  // namespace

int main() {
    try {
        OffscreenShell shell(1920, 1080, 1);
        load(shell.app.session, shell.app.selection, wl::testing::synthetic_capture(), "synthetic.wlcap");
        std::printf(
            "1920x1080, %s, %d frames each\n",
            reinterpret_cast<const char*>(glGetString(GL_RENDERER)),
            kFrames
        );
        select_tile(shell.app.session, shell.app.selection, tile_named(shell.app, "P"));
        settle(shell);
        report("64x64, fitted, panning", measure_frames(shell));
        shell.app.workspace.heatmaps.zoom = Zoom::cell;
        shell.app.workspace.heatmaps.centred = {};
        settle(shell);
        report("64x64, numbers in cells", measure_frames(shell));
        select_tile(shell.app.session, shell.app.selection, tile_named(shell.app, "O"));
        shell.app.workspace.heatmaps.zoom = Zoom::fit;
        settle(shell);
        report("4096x64, fitted, panning", measure_frames(shell));
        measure_shared(shell);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "frame_bench: %s\n", error.what());
        return 2;
    }
}
