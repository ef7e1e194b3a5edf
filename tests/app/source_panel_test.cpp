// The source panel: the program's instructions beside it.
#include "app/draw/source_ptx.h"
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

TEST(SourcePanel, RegistersOfAnInstructionAreToldByTheirWholeNames) {
    LaneReport report;
    for (const char* name : {"%r3", "%f7", "%r31", "column"}) {
        LaneRow& row = report.rows.emplace_back();
        row.expression = name;
        row.text[5] = std::string(name) + "'s";
    }
    report.rows[2].problem = "not live here";
    EXPECT_EQ(registers_text(report, "mad.lo.s32 %r31, %r3, 4, column;", 5), "%r3 %r3's");
    EXPECT_EQ(registers_text(report, "add.f32 %f71, %f7, %f7;", 5), "%f7 %f7's");
    EXPECT_EQ(registers_text(report, "add.s32 %r30, %r33, 1;", 5), "");
}

}  // namespace
}  // namespace wl::app
