// The headline: what is wrong, the line as it is and as it should be, and the fix that can be tried.
#include "app/session/headline.h"

#include "app/session/edit/fix.h"
#include "app/session/navigate.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::app {
namespace {

constexpr const char* kPatch = "--- a/k/a.cu\n+++ b/k/a.cu\n@@ -1,3 +1,3 @@\n one\n-two\n+deux\n three\n";

TEST(Headline, APatchChangesTheTextThatItIsOf) {
    EXPECT_EQ(patched("one\ntwo\nthree\nfour\n", kPatch, "/home/me/a.cu"), "one\ndeux\nthree\nfour\n");
    EXPECT_EQ(patched("one\n2\nthree\n", kPatch, "/home/me/a.cu"), std::nullopt) << "another text";
    EXPECT_EQ(patched("one\ntwo\nthree\n", kPatch, "/home/me/b.cu"), std::nullopt) << "another file";
    EXPECT_EQ(patched("one\n", kPatch, "a.cu"), std::nullopt) << "a text that ends before";
    EXPECT_EQ(patched("a\nb\n", "--- a/a.cu\n+++ b/a.cu\n@@ -2,1 +2,0 @@\n-b\n", "a.cu"), "a\n");
    EXPECT_EQ(patched("a\nb\n", "@@ -9,1 +9,1 @@\n-x\n+y\n", "a.cu"), std::nullopt);
}

struct Window {
    OffscreenShell shell;
    Session& session = shell.app.session;
    Selection& selection = shell.app.selection;
    explicit Window(int width = 1280, int height = 720) : shell(width, height, 1) {
        load(session, selection, testing::synthetic_capture(), "synthetic.wlcap");
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    const Control* find(const std::string& name) {
        const auto& all = shell.app.ui.controls;
        const auto at = std::ranges::find(all, name, &Control::name);
        return at == all.end() ? nullptr : &*at;
    }
    // The line of the first finding, with another in its place.
    void suggest() {
        const capture::Where& where = session.capture.findings[0].where;
        const std::string line = std::to_string(where.line);
        session.fix = "--- a/" + where.file + "\n+++ b/" + where.file + "\n@@ -" + line + ",1 +" + line +
            ",1 @@\n-    as it is;\n+    as it should be;\n";
    }
};

TEST(Headline, StandsOverEveryWorkspaceAndNotOverHome) {
    Window window;
    for (const char* key : {"1", "2", "3", "4"}) {
        window.play(
            "hold Ctrl\n hold Shift\n key " + std::string(key) + "\n release Shift\n release Ctrl\n wait 4\n"
        );
        const Control* bar = window.find("headline");
        ASSERT_NE(bar, nullptr) << key;
        EXPECT_EQ(bar->high.x - bar->low.x, 1280);
        EXPECT_GT(bar->high.y - bar->low.y, 50) << "with both lines of the source";
    }
    window.shell.app.workspace.at_home = true;
    window.play("wait 3\n");
    EXPECT_EQ(window.find("headline"), nullptr);
    window.shell.app.workspace.at_home = false;
    window.session.capture.findings.clear();
    window.selection.finding = -1;
    window.play("wait 3\n");
    EXPECT_EQ(window.find("headline"), nullptr) << "nothing is wrong";
}

TEST(Headline, SaysTheLineAsItIsAndAsItShouldBe) {
    Window window;
    window.suggest();
    const auto h = headline_of(window.session, window.selection);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->sentence, window.session.capture.findings[0].title);
    EXPECT_TRUE(h->has_patch);
    EXPECT_EQ(h->was, "as it is;");
    EXPECT_EQ(h->now, "as it should be;");
    EXPECT_EQ(h->known, capture::name_of(window.session.capture.findings[0].evidence_kind));
    window.selection.finding = 1;
    const auto other = headline_of(window.session, window.selection);
    EXPECT_FALSE(other->has_patch) << "the change is not of its line";
    EXPECT_EQ(patch_of(window.session, 1), "");
}

TEST(Headline, NextFindingGoesRoundAndTheFixIsOfferedWhereItCanRun) {
    Window window;
    window.suggest();
    window.play("wait 3\n expect finding 0\n click headline/next\n wait 2\n expect finding 1\n");
    const size_t all = window.session.capture.findings.size();
    for (size_t i = 1; i < all; ++i) window.play("click headline/next\n wait 2\n");
    window.play("expect finding 0\n");
    EXPECT_NE(window.find("headline/try"), nullptr);
    EXPECT_NE(fix_refusal(window.session, 0).find("Nothing can run"), std::string::npos);
    window.session.program = "/bin/false";
    EXPECT_NE(fix_refusal(window.session, 0).find("opened from a file"), std::string::npos)
        << "what a file suggests is not run";
    window.session.made_by = KernelOptions{};
    EXPECT_EQ(fix_refusal(window.session, 0), "");
    EXPECT_NE(fix_refusal(window.session, 1), "");
    window.play("click headline/fold\n wait 3\n");
    EXPECT_LT(window.find("headline")->high.y - window.find("headline")->low.y, 40);
}

}  // namespace
}  // namespace wl::app
