// A press that comes in the frame in which the mouse does: by a quick hand, or while a frame takes long.
#include "tests/support/desktop.h"

#include <gtest/gtest.h>

namespace wl::app {
namespace {

struct QuickHand : testing::Test {
    test::Desktop desktop{1280, 720};
    void SetUp() override {
        ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
        ASSERT_NO_FATAL_FAILURE(
            desktop.show({"run", "v2c_3", "--fault", "32x", "--set", "B=1", "--set", "H=1", "--set", "S=128"})
        );
        desktop.play("wait 4\n");
    }
    // Moves and clicks before the next frame.
    void click_at_once(const std::string& name) {
        const Control at = desktop.control(name);
        test::point_at({(at.low.x + at.high.x) / 2, at.low.y + 10});
        test::click_there();
        for (int i = 0; i < 8; ++i) desktop.shell.draw(nullptr);
    }
};

TEST_F(QuickHand, AFindingIsChosenAlthoughItsPlacesLieOverIt) {
    desktop.play("panel Findings\nclick timeline/scrub .9 .5\nexpect finding -1\nmove menu/file\nwait 2\n");
    click_at_once("findings/0");
    EXPECT_EQ(desktop.shell.app.selection.finding, 0);
}

TEST_F(QuickHand, AMenuOpensAndACellIsChosen) {
    click_at_once("menu/view");
    EXPECT_TRUE(desktop.shows("menu/keys"));
    desktop.play("key Escape\nwait 3\nmove menu/file\n");
    click_at_once("heat/got");
    EXPECT_GE(desktop.shell.app.selection.element.row, 0);
}

// Characters come for as long as a key is held: a script goes on meanwhile.
TEST_F(QuickHand, AScriptGoesOnWhileAKeyRepeats) {
    desktop.play(
        "move heat/got .5 .5\nhold Space\nwait 40\nexpect flipped yes\nrelease Space\nuntil flipped no\n"
    );
}

}  // namespace
}  // namespace wl::app
