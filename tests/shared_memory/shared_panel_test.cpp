// The panel Shared memory, by frames read back.
#include "app/session/navigate.h"
#include "app/session/shared/shared_question.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>

namespace wl::app {
namespace {

using test::TemporaryFolder;
using test::warplens;

// A recorded run in a window with the panel in front.
struct Window {
    TemporaryFolder folder;
    OffscreenShell shell{1920, 1080, 1};
    explicit Window(std::vector<std::string> words) {
        const std::string path = folder.path + "/run.wlcap";
        words.insert(words.begin(), "run");
        words.insert(words.end(), {"-o", path, "--record", "0,0,0", "--quiet"});
        EXPECT_NE(warplens(words).status, 2);
        shell.app.session.program = WL_PROGRAM;
        load(shell.app.session, shell.app.selection, capture::read_capture(path), path);
        play("click tab/Shared-memory\n wait 4\n");
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    // Until the answer to the present selection has come.
    void settle() {
        for (int k = 0; k < 4000; ++k) {
            play("wait 1\n");
            const SharedAnswered& shared = shell.app.session.shared;
            if (shared.report && shared.talk.asked.empty() && shared.report->asked == panel().question)
                return;
        }
        throw std::runtime_error("no answer");
    }
    const SharedMemoryPanel& panel() const { return shell.app.workspace.shared_memory; }
    const SharedAnswered& answer() const { return shell.app.session.shared; }
    const Control& control(const std::string& name) {
        for (const Control& each : shell.app.ui.controls)
            if (each.name == name) return each;
        throw std::runtime_error(name + " is not on the screen");
    }
    // At a fraction of a control.
    Rgb colour_at(const std::string& name, float x, float y) {
        const Image image = shell.pixels();
        const Control c = control(name);
        const auto px = static_cast<size_t>(c.low.x + (c.high.x - c.low.x) * x),
                   py = static_cast<size_t>(c.low.y + (c.high.y - c.low.y) * y);
        const uint8_t* pixel = image.rgb.data() + 3 * (py * static_cast<size_t>(image.width) + px);
        return {pixel[0], pixel[1], pixel[2]};
    }
    int pixels_of(const std::string& name, ImU32 colour) {
        const Image image = shell.pixels();
        const Control c = control(name);
        int count = 0;
        for (auto y = static_cast<size_t>(c.low.y); y < static_cast<size_t>(c.high.y); ++y)
            for (auto x = static_cast<size_t>(c.low.x); x < static_cast<size_t>(c.high.x); ++x) {
                const uint8_t* p = image.rgb.data() + 3 * (y * static_cast<size_t>(image.width) + x);
                count += IM_COL32(p[0], p[1], p[2], 255) == colour ? 1 : 0;
            }
        return count;
    }
    int site_of(const std::string& file, const std::string& text) {
        const std::string place = test::source_place(file, text);
        return site_at_line(shell.app.session.capture, file, std::atoi(place.c_str() + place.rfind(':') + 1));
    }
};

const SharedMatrix& matrix_of(const Window& window, const std::string& name) {
    for (const SharedMatrix& m : window.answer().view.matrices)
        if (m.name == name) return m;
    throw std::runtime_error("there is no matrix " + name);
}

TEST(SharedMemoryPanel, AByteIsLitInAllViewsOfIt) {
    Window window({"v2c_4", "--shape", "1,1,128,64"});
    window.settle();
    window.play("click shared/region/K\n wait 3\n");
    const std::vector<const char*> views = {"shared/physical", "shared/logical", "shared/transpose"};
    std::vector<int> before;
    for (const char* name : views) before.push_back(window.pixels_of(name, colour::kSelection));
    const SharedMatrix& k = matrix_of(window, "K");
    const double x = 4.5 / static_cast<double>(k.matrix.columns),
                 y = 9.5 / static_cast<double>(k.matrix.rows);
    window.play("move shared/logical " + std::to_string(x) + " " + std::to_string(y) + "\n wait 4\n");
    EXPECT_EQ(window.panel().hover.now, layouts::byte_of(k.matrix, 9, 4));
    for (size_t v = 0; v < views.size(); ++v)
        EXPECT_GT(window.pixels_of(views[v], colour::kSelection), before[v] + 12) << views[v];
    window.play("move shared/transpose " + std::to_string(y) + " " + std::to_string(x) + "\n wait 4\n");
    EXPECT_EQ(window.panel().hover.now, layouts::byte_of(k.matrix, 9, 4));
}

// Of the two buffers one is being filled, the other was filled a step ago.
TEST(SharedMemoryPanel, StatesHaveColoursOfTheirOwn) {
    Window window({test::source_path("tests/kernels/hazards/stage.toml")});
    Selection& selection = window.shell.app.selection;
    selection.block = 0, selection.warp = 0, selection.time = 0;
    window.settle();
    window.play("click shared/region/all\n wait 2\n");
    EXPECT_EQ(
        window.colour_at("shared/physical", 0.51F, 0.3F), (Rgb{0x22, 0x26, 0x2c})
    );                              // kBar: never written
    const uint32_t end = 1U << 20;  // the warp has ended before: its last instant
    selection.time = end;
    window.settle();
    EXPECT_EQ(window.answer().report->state.runs.size(), 256U);
    const Rgb stale = window.colour_at("shared/physical", 0.51F, 0.3F);
    EXPECT_NE(stale, (Rgb{0x22, 0x26, 0x2c}));
    for (uint32_t time = 0; time < 400; ++time) {
        selection.time = time;
        window.settle();
        const capture::SharedState& state = window.answer().report->state;
        if (count_bytes(state, 0, 512).flying < 512 || count_bytes(state, 512, 1024).stale < 512) continue;
        EXPECT_EQ(
            window.colour_at("shared/physical", 0.51F, 0.3F), state_colour(capture::Freshness::flying, 0)
        );
        EXPECT_EQ(
            window.colour_at("shared/physical", 0.51F, 0.7F), state_colour(capture::Freshness::stale, 1)
        );
        return;
    }
    FAIL() << "no instant with one buffer in flight";
}

TEST(SharedMemoryPanel, OpensOnTheSelectedTileAndFollowsIt) {
    Window window({"v2c_3", "--fault", "32x", "--shape", "1,1,128,64"});
    window.play("click tab/Heatmaps\n click tiles/b0/i0/P\n click tab/Shared-memory\n wait 3\n");
    window.settle();
    window.play("wait 3\n");
    EXPECT_EQ(window.panel().region, "P");
    window.play("click tiles/b0/i0/alpha\n wait 3\n");
    window.settle();
    window.play("wait 3\n");
    EXPECT_EQ(window.panel().region, "alpha");
    window.play("click shared/region/K\n wait 3\n");
    EXPECT_EQ(window.panel().region, "K") << "another matrix stays chosen";
}

TEST(SharedMemoryPanel, EveryWayOfColouringHasALegendOfItsOwn) {
    Window window({"v2c_3", "--shape", "1,1,128,64"});
    window.settle();
    for (const std::string mode : {"state", "warp", "lane", "age", "writers", "value"}) {
        window.play("click shared/colour/" + mode + "\n wait 3\n");
        const auto& controls = window.shell.app.ui.controls;
        for (const std::string other : {"state", "warp", "lane", "age", "writers", "value"})
            EXPECT_EQ(
                std::ranges::any_of(
                    controls, [&](const Control& c) { return c.name == "shared/legend/" + other; }
                ),
                other == mode
            ) << mode
              << " " << other;
    }
    const Control legend = window.control("shared/legend/value");
    EXPECT_GT(legend.high.x - legend.low.x, 200) << "a scale with its ends";
}

TEST(SharedMemoryPanel, PaddingTakesTheConflictsOfAnAccessAway) {
    Window window({"v2b", "--shape", "1,1,64,64"});
    window.shell.app.selection.site =
        window.site_of("kernels/v2b.cu", "sh.s[first_row + lane][key] = score * kScale");
    window.settle();
    ASSERT_FALSE(window.answer().report->requests.empty());
    EXPECT_GT(window.pixels_of("shared/physical", colour::of(phase_colour(0))), 10);
    EXPECT_GT(window.pixels_of("shared/bars", colour::kBad), 50);
    window.shell.app.workspace.shared_memory.pad = 4;  // eight rows of 68 floats begin in eight banks
    window.play("click shared/what-if/pad\n wait 3\n");
    EXPECT_EQ(window.panel().what_if, 1);
    EXPECT_EQ(window.pixels_of("shared/bars", colour::kBad), 0);
    window.play("click shared/what-if/given\n wait 2\n click shared/lanes\n wait 3\n");
    EXPECT_EQ(window.pixels_of("shared/physical", colour::of(phase_colour(0))), 0);
}

}  // namespace
}  // namespace wl::app
