// Frame times of the whole window at 1920x1080, off screen: panning in every frame over tiles from 64x64 to
// 16384x16384 (median, 90th percentile and worst of 200), the first frame, a big tile from the click to its
// picture and to its figures, and the longest frame of any of it. `frame_bench shared`: shared memory alone,
// `frame_bench workspace`: the first two, each with ImPlot's heatmap for the ratio. Beside the median stands
// what all threads take of a processor for a frame, which others on the machine change less.
#include "app/draw/gl.h"
#include "app/session/navigate.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/base/dtype.h"
#include "tests/support/synthetic_capture.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <string_view>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace {

using namespace wl::app;

constexpr int kFrames = 200, kWarmUp = 20;

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// KiB at the most so far.
long peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

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

// Milliseconds that this process took of the processors so far.
double processor_time() {
    timespec spent{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) * 1e3 + static_cast<double>(spent.tv_nsec) / 1e6;
}

struct Frames {
    std::vector<double> sorted;  // milliseconds
    double processor = 0;        // milliseconds a frame, of all threads
};

Frames measure_frames(OffscreenShell& shell) {
    std::vector<double> milliseconds;
    double spent = 0;
    for (int frame = 0; frame < kWarmUp + kFrames; ++frame) {
        pan(shell.app, frame);
        const auto begin = Clock::now();
        const double before = processor_time();
        shell.draw();
        glFinish();
        if (frame < kWarmUp) continue;
        milliseconds.push_back(since(begin));
        spent += processor_time() - before;
    }
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    std::sort(milliseconds.begin(), milliseconds.end());
    return {std::move(milliseconds), spent / kFrames};
}

void report(const char* what, const Frames& frames) {
    std::printf(
        "%-28s median %5.1f ms   p90 %5.1f ms   worst %5.1f ms   processor %5.1f ms\n",
        what,
        frames.sorted[kFrames / 2],
        frames.sorted[kFrames * 9 / 10],
        frames.sorted.back(),
        frames.processor
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

// One tile of that side; with a reference, isolated elements of which are wrong, up to 4096x4096.
wl::capture::Capture square_tile(int side) {
    wl::capture::Capture c = wl::testing::synthetic_capture();
    wl::capture::Tile tile = c.tiles.front();
    const auto count = static_cast<size_t>(side) * static_cast<size_t>(side);
    std::vector<std::byte> got(2 * count);  // f16, all between 0.25 and 32
    for (size_t i = 0; i < count; ++i) {
        const auto bits = static_cast<uint16_t>(0x3400 + (i * 2654435761U >> 11) % 0x1c00);
        std::memcpy(got.data() + 2 * i, &bits, sizeof bits);
    }
    c.probes[static_cast<size_t>(tile.probe)].dtype = wl::DType::f16;
    tile.rows = tile.cols = side;
    tile.reference = tile.bound = tile.owner = wl::capture::kNoBlob;
    if (side <= 4096) {
        std::vector<double> reference(count);
        for (size_t i = 0; i < count; ++i)
            reference[i] = wl::to_double(wl::DType::f16, got.data() + 2 * i) + (i % 65537 == 5 ? 3 : 1e-4);
        tile.reference = wl::capture::add_blob(c.blobs, reference);
        tile.bound = wl::capture::add_blob(c.blobs, std::vector<float>(count, 0.01F));
    }
    tile.values = wl::capture::add_blob(c.blobs, std::move(got));
    c.tiles.assign(1, tile);
    c.records.clear();
    c.findings.clear();
    c.outputs.clear();
    return c;
}

// What ImPlot needs for as many cells, in a window of the same size.
void measure_implot(OffscreenShell& shell, int side) {
    std::vector<float> values(static_cast<size_t>(side) * static_cast<size_t>(side));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 2654435761U >> 11 & 1023);
    std::vector<double> milliseconds;
    for (int frame = 0; frame < 12; ++frame) {
        const auto begin = Clock::now();
        shell.draw([&] {
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({1920, 1080});
            ImGui::Begin("implot", nullptr, ImGuiWindowFlags_NoDecoration);
            if (ImPlot::BeginPlot("##heat", {640, 640}, ImPlotFlags_CanvasOnly)) {
                ImPlot::PlotHeatmap("values", values.data(), side, side, 0, 1023, nullptr);
                ImPlot::EndPlot();
            }
            ImGui::End();
        });
        glFinish();
        if (frame >= 2) milliseconds.push_back(since(begin));
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    std::printf(
        "ImPlot::PlotHeatmap, %dx%d  median %5.1f ms\n", side, side, milliseconds[milliseconds.size() / 2]
    );
}

// From the click on the tile to its picture, and to its figures; frames drawn meanwhile.
void measure_square(OffscreenShell& shell, int side) {
    App& app = shell.app;
    load(app.session, app.selection, wl::capture::Capture{}, "");
    load(app.session, app.selection, square_tile(side), "square.wlcap");
    select_tile(app.session, app.selection, 0);
    app.workspace.heatmaps.zoom = Zoom::fit;
    const auto begin = Clock::now();
    double longest = 0, first = 0;
    do {
        const auto frame = Clock::now();
        shell.draw();
        glFinish();
        longest = std::max(longest, since(frame));
        if (first == 0) first = since(begin);
    } while (app.session.loading);
    const double all = since(begin);
    std::printf(
        "%dx%d opened: picture %.0f ms, figures %.0f ms, longest frame %.0f ms, peak %ld MiB\n",
        side,
        side,
        first,
        all,
        longest,
        peak_memory() / 1024
    );
    settle(shell);
    report((std::to_string(side) + ", fitted").c_str(), measure_frames(shell));
    for (const double cell : {0.3, 1.0, 6.0}) {
        app.workspace.heatmaps.zoom = Zoom::free;
        for (HeatView& view : app.workspace.heatmaps.views) {
            view.cell_width = view.cell_height = cell;
            view.row = view.col = side / 3.0;
        }
        settle(shell);
        char what[64] = "";
        std::snprintf(what, sizeof what, "%d, %.1f pixels a cell", side, cell);
        report(what, measure_frames(shell));
    }
}

}  // namespace

int main(int count, char** words) {
    const std::string_view only = count > 1 ? words[1] : "";
    try {
        const auto begin = Clock::now();
        OffscreenShell shell(1920, 1080, 1);
        shell.draw();
        glFinish();
        std::printf("start to first frame %.0f ms\n", since(begin));
        load(shell.app.session, shell.app.selection, wl::testing::synthetic_capture(), "synthetic.wlcap");
        std::printf(
            "1920x1080, %s, %d frames each\n",
            reinterpret_cast<const char*>(glGetString(GL_RENDERER)),
            kFrames
        );
        if (only == "shared") {
            measure_implot(shell, 512);
            measure_shared(shell);
            return 0;
        }
        select_tile(shell.app.session, shell.app.selection, tile_named(shell.app, "P"));
        settle(shell);
        report("64x64, fitted, panning", measure_frames(shell));
        shell.app.workspace.heatmaps.zoom = Zoom::cell;
        shell.app.workspace.heatmaps.centred = {};
        settle(shell);
        report("64x64, numbers in cells", measure_frames(shell));
        if (only == "workspace") {
            measure_implot(shell, 512);
            return 0;
        }
        select_tile(shell.app.session, shell.app.selection, tile_named(shell.app, "O"));
        shell.app.workspace.heatmaps.zoom = Zoom::fit;
        settle(shell);
        report("4096x64, fitted, panning", measure_frames(shell));
        for (int side = 64; side <= 16384; side *= 4) measure_square(shell, side);
        for (const int side : {512, 2048}) measure_implot(shell, side);
        load(shell.app.session, shell.app.selection, wl::testing::synthetic_capture(), "synthetic.wlcap");
        measure_shared(shell);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "frame_bench: %s\n", error.what());
        return 2;
    }
}
