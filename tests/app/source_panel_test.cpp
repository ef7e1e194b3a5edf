// The source panel: the program's instructions beside it.
#include "app/session/navigate.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace wl::app {
namespace {

TEST(SourcePanel, ThePtxBesideTheSourceFollowsTheLineAndLeadsBackToIt) {
    OffscreenShell shell{1920, 1080, 1};
    load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
    const auto control = [&](const std::string& name) {
        const auto& all = shell.app.ui.controls;
        return std::any_of(all.begin(), all.end(), [&](const Control& c) { return c.name == name; });
    };
    const std::vector<capture::Site>& sites = shell.app.session.capture.sites;
    ASSERT_FALSE(sites.front().text.empty());
    play(shell, parse_script("wait 2\n", "script"));
    EXPECT_FALSE(control("source/ptx/0")) << "not asked for";
    play(shell, parse_script("key P\nwait 2\n", "script"));
    ASSERT_TRUE(control("source/ptx/0"));
    for (const size_t site : {size_t{0}, sites.size() - 1}) {
        play(shell, parse_script("click source/ptx/" + std::to_string(site) + "\nwait 2\n", "script"));
        EXPECT_EQ(shell.app.selection.site, static_cast<int>(site));
        EXPECT_EQ(
            shell.app.selection.line,
            sites[static_cast<size_t>(user_site(shell.app.session.capture, static_cast<int>(site)))].line
        );
    }
    play(shell, parse_script("click source/ptx .1 .5\nwait 2\n", "script"));
    EXPECT_FALSE(control("source/ptx/0")) << "and away again";
}

}  // namespace
}  // namespace wl::app
