// What the window says of a capture is true and stays readable: A and B the right way round, every warp, the
// fields of the run that is shown, what is left to do, and paths with their lines.
#include "app/session/compare/against.h"
#include "app/session/compare/other.h"
#include "app/session/edit/describe.h"
#include "app/session/plain_words.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

namespace wl::app {
namespace {

constexpr const char* kBarrier = "    __syncthreads();  // the one that was missing";

// The synthetic capture with another line after the first of its source.
capture::Capture with_barrier() {
    capture::Capture c = testing::synthetic_capture();
    std::string& text = c.sources[0].text;
    text.insert(text.find('\n') + 1, std::string(kBarrier) + "\n");
    return c;
}

struct Window {
    OffscreenShell shell{1920, 1080, 1};
    Session& session = shell.app.session;
    explicit Window(capture::Capture capture) {
        load(session, shell.app.selection, std::move(capture), "synthetic.wlcap");
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    bool shows(const std::string& name) {
        return std::ranges::any_of(shell.app.ui.controls, [&](const Control& c) { return c.name == name; });
    }
    // Of the changed line in Compare, with B as it was made.
    char mark_of_barrier(capture::Capture b, Made made) {
        set_other(session, std::make_shared<capture::Capture>(std::move(b)), "b", made);
        while (is_counting(session.against)) hear_counting(session.against);
        play("click tab/Compare\n wait 3\n");
        for (const ChangedLine& line : shell.app.workspace.compare.changes)
            if (line.text == kBarrier) return line.mark;
        return '?';
    }
};

TEST(Answers, AnAddedLineIsGreenWhicheverSideIsLater) {
    {
        Window edited(with_barrier());
        EXPECT_EQ(edited.mark_of_barrier(testing::synthetic_capture(), Made::before), '+') << "A was edited";
        EXPECT_TRUE(edited.shows("compare/signs"));
    }
    Window mended(testing::synthetic_capture());
    EXPECT_EQ(mended.mark_of_barrier(with_barrier(), Made::after), '+') << "B ran later";
    EXPECT_EQ(mended.mark_of_barrier(with_barrier(), Made::beside), '+') << "as in `warplens compare A B`";
    int lines = 0;
    for (const ChangedLine& line : mended.shell.app.workspace.compare.changes)
        lines += line.text == kBarrier && line.line_of_a != 0 ? 1 : 0;
    EXPECT_EQ(lines, 0) << "A has no such line to go to";
}

TEST(Answers, AWarpThatWroteNothingIsAmongTheOwners) {
    capture::Capture c = testing::synthetic_capture();
    int scores = -1;
    for (size_t i = 0; i < c.tiles.size() && scores < 0; ++i)
        if (c.tiles[i].owner != capture::kNoBlob &&
            c.probes[static_cast<size_t>(c.tiles[i].probe)].name == "scores")
            scores = static_cast<int>(i);
    ASSERT_GE(scores, 0);
    capture::Tile& tile = c.tiles[static_cast<size_t>(scores)];
    std::vector<std::byte> bytes = capture::content_of(c.blobs, tile.owner);
    for (size_t at = 0; at < bytes.size(); at += sizeof(capture::Owner)) {
        capture::Owner owner;
        std::memcpy(&owner, bytes.data() + at, sizeof owner);
        if (owner.warp == 7) owner = {};
        std::memcpy(bytes.data() + at, &owner, sizeof owner);
    }
    c.blobs.blobs.push_back(bytes);
    tile.owner = static_cast<capture::BlobId>(c.blobs.blobs.size()) - 1;
    Window window(c);
    window.play("click tiles/b0/i0/scores\n wait 3\n");
    ASSERT_EQ(window.session.current.ownership.by_warp.size(), 7U);
    EXPECT_TRUE(window.shows("ownership/w7"));
    EXPECT_FALSE(window.shows("ownership/w8"));
}

TEST(Answers, TheRunBarSpeaksOfAAfterARunAsB) {
    Window window(testing::synthetic_capture());
    window.session.capture.launch.faults = {"32x"};
    window.session.kernels = {
        {window.session.capture.launch.kernel, "", "", {"32x"}, {}}
    };
    window.play("wait 2\n");
    RunPanel& run = window.shell.app.workspace.run;
    run.fault = "", run.seed = {'7'};
    set_other(
        window.session, std::make_shared<capture::Capture>(testing::synthetic_capture()), "b", Made::after
    );
    window.play("wait 3\n");
    EXPECT_EQ(run.fault, "32x");
    EXPECT_STREQ(run.seed.data(), "");
    run.fault = "";
    set_other(window.session, std::make_shared<capture::Capture>(testing::synthetic_capture()), "b");
    window.play("wait 3\n");
    EXPECT_EQ(run.fault, "") << "what is typed stays when a file is opened as B";
}

TEST(Answers, StepsThatAreDoneLeaveTheBannerWhichIsOneRowAndNotOnHome) {
    Window window(testing::synthetic_capture());
    Session& session = window.session;
    session.program = "/bin/false", session.named.clear();
    const std::string kernel = session.capture.launch.kernel;
    session.describing.source = "/home/me/" + kernel + ".cu";
    session.describing.left = {
        "the host's launch was not found or not understood: [launch] is made up",
        kernel + ".py: return what the kernel should compute; until then nothing is compared",
        kernel + ".toml: take out of assumed what you have checked; until then findings are no verdict"};
    session.capture.covered.assumed = {"args"};
    window.play("wait 3\n");
    EXPECT_EQ(still_left(session), std::vector{session.describing.left[2]})
        << "tiles are compared, and the launch is no longer assumed";
    const RunPanel& run = window.shell.app.workspace.run;
    EXPECT_TRUE(window.shows("run/left"));
    EXPECT_LE(run.height - run.fields, 30);
    session.capture.covered.assumed = {"args", "launch"};
    window.play("wait 3\n");
    EXPECT_EQ(still_left(session).size(), 2U);
    EXPECT_LE(run.height - run.fields, 30) << "no row a step";
    window.shell.app.workspace.at_home = true;
    window.play("wait 3\n");
    EXPECT_FALSE(window.shows("run/left"));
    EXPECT_EQ(run.height, run.fields);
    window.shell.app.workspace.at_home = false;
    session.capture.covered.assumed.clear();
    window.play("wait 3\n");
    EXPECT_FALSE(window.shows("run/left")) << "all is done";
}

TEST(Answers, WordsOfTheCommandLineStayThereAndOldMessagesGo) {
    EXPECT_EQ(
        plain_words("--step iteration: there is no iteration of warp 0 after time 942689 (a.cu:3)"),
        "There is no iteration of warp 0 after time 942689 (a.cu:3)."
    );
    EXPECT_EQ(plain_words("warp 3 has ended"), "Warp 3 has ended.");
    EXPECT_EQ(plain_words(""), "");
    Window window(testing::synthetic_capture());
    window.session.message = {"There is no iteration after that.", false};
    window.play("wait 3\n");
    EXPECT_NE(window.session.message.text, "") << "it can be read";
    window.play("click tiles/b0/i0/P\n wait 2\n");
    EXPECT_EQ(window.session.message.text, "") << "the user went on";
    window.session.message = {"The file is damaged.", true};
    window.play("click tiles/b0/i0/scores\n wait 2\n");
    EXPECT_NE(window.session.message.text, "") << "a fault of the world stays";
}

TEST(Answers, APathIsCutWhereItsFoldersAre) {
    const Window window(testing::synthetic_capture());
    const std::string path =
        "/home/somebody/projects/attention/kernels/gemm.cu:314: identifier \"x\" is undefined";
    const float whole = measure(Face::small_words, path).x;
    EXPECT_EQ(shortened(Face::small_words, path, whole), path);
    EXPECT_EQ(
        shortened(Face::small_words, path, whole * 0.7F), "…/gemm.cu:314: identifier \"x\" is undefined"
    );
    EXPECT_TRUE(shortened(Face::small_words, path, whole * 0.3F).starts_with("…/gemm.cu:314:"));
    EXPECT_EQ(shortened(Face::small_words, "a / b and c", 1000), "a / b and c");
}

}  // namespace
}  // namespace wl::app
