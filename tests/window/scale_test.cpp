// The scale of the display, changed while the window runs: in the real window, by what desktops write.
#include "app/shell/legible.h"
#include "instrumentation/base/text.h"
#include "tests/support/desktop.h"
#include "tests/support/synthetic_capture.h"
#include "tests/support/x_client.h"

#include <imgui_internal.h>

#include <gtest/gtest.h>

namespace wl::app {
namespace {

TEST(Scale, FollowsTheDisplayWhileTheWindowRuns) {
    const test::VirtualDisplay display(1920, 1200);
    ASSERT_TRUE(display.started) << "Xvfb does not start";
    ASSERT_TRUE(test::set_resources("Xft.dpi:\t96\n"));
    WindowShell shell(1900, 1180, 0);
    App& app = shell.app;
    load(app.session, app.selection, testing::synthetic_capture(), "synthetic.wlcap");
    const auto frames = [&] {
        for (int i = 0; i < 8; ++i) shell.draw(nullptr);
    };
    const auto panel_width = [] { return ImGui::FindWindowByName("Tiles")->Size.x; };
    frames();
    EXPECT_EQ(app.ui.scale, 1);
    const float narrow = panel_width();
    for (const auto& [resources, scale] : {
             std::pair{"Xcursor.size:\t24\nXft.dpi:\t144\n", 1.5F},
             std::pair{"Xft.dpi:\t192\nXft.hinting:\t1\n",   2.0F}
    }) {
        ASSERT_TRUE(test::set_resources(resources));
        frames();
        EXPECT_EQ(app.ui.scale, scale);
        EXPECT_GT(panel_width(), narrow * 1.1F) << "panels are as wide as their words need";
        EXPECT_EQ(join(illegible(app.ui.written), "; "), "");
    }
    ASSERT_TRUE(test::set_resources("Xft.dpi:\tlarge\n"));
    frames();
    EXPECT_EQ(app.ui.scale, 2) << "what is no number changes nothing";
    ASSERT_TRUE(test::set_resources("Xft.dpi:\t96\n"));
    frames();
    EXPECT_EQ(app.ui.scale, 1);
    EXPECT_NEAR(panel_width(), narrow, 1);
}

TEST(Scale, ThatWasAskedForStays) {
    const test::VirtualDisplay display(1000, 700);
    ASSERT_TRUE(display.started) << "Xvfb does not start";
    WindowShell shell(960, 600, 1.25F);
    ASSERT_TRUE(test::set_resources("Xft.dpi:\t192\n"));
    for (int i = 0; i < 4; ++i) shell.draw(nullptr);
    EXPECT_EQ(shell.app.ui.scale, 1.25F);
}

}  // namespace
}  // namespace wl::app
