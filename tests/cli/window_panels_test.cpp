// Lanes, Provenance, Banks and Findings in the real window, used by real X events: what is clicked and typed
// reaches the worker, what it answers is drawn.
#include "app/draw/provenance_rows.h"
#include "app/session/clock.h"
#include "app/session/navigate.h"
#include "app/shell/shell_window.h"
#include "instrumentation/capture/file.h"
#include "tests/support/desktop.h"
#include "tests/support/png.h"
#include "tests/support/program.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace wl::app {
namespace {

using test::colour_at;
using test::Desktop;

// How many colours a row of lanes has, read off above its numbers.
size_t colours_of(Desktop& desktop, const std::string& expression) {
    const Control cells = desktop.control("lanes/cells/" + expression);
    const Image image = desktop.pixels();
    std::set<ImU32> colours;
    for (int lane = 1; lane < 32; ++lane) {  // lane 0 has the frame of the selection
        const float x = cells.low.x + (cells.high.x - cells.low.x) * (static_cast<float>(lane) + 0.5F) / 32;
        colours.insert(colour_at(image, x, cells.low.y + 2));
    }
    return colours.size();
}

bool has_colour(const Image& image, const Control& control, ImU32 wanted) {
    const auto low_x = static_cast<int>(control.low.x), low_y = static_cast<int>(control.low.y);
    for (int y = low_y; y < static_cast<int>(control.high.y); ++y)
        for (int x = low_x; x < static_cast<int>(control.high.x); ++x)
            if (colour_at(image, static_cast<float>(x), static_cast<float>(y)) == wanted) return true;
    return false;
}

std::string place_of(const std::string& text) {
    const std::string place = test::source_place("kernels/v2c_3.cu", text);
    return place.substr(place.rfind('/') + 1);
}
const std::vector<std::string> kFaulty = {
    "run", "v2c_3", "--fault", "32x", "--set", "B=1", "--set", "H=1", "--set", "S=128"};

TEST(WindowPanels, LanesStepsWatchesAndStopsWhereAConditionHolds) {
    Desktop desktop(1280, 720);
    ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
    ASSERT_NO_FATAL_FAILURE(desktop.show(kFaulty));
    const std::string there = "until lanes " + place_of("warp_reduce_sum(l_add)") + "\n";
    desktop.play("click tab/Lanes\n wait 3\n" + there);
    EXPECT_EQ(colours_of(desktop, "l_add"), 1U) << "every lane holds the whole sum: one colour";
    EXPECT_GT(colours_of(desktop, "s_max"), 8U);

    const uint64_t first = desktop.time();
    desktop.play("click lanes/forward\n wait 3\n" + there);
    EXPECT_EQ(desktop.time(), first + 1);
    desktop.play("click lanes/back\n wait 3\n" + there);
    EXPECT_EQ(desktop.time(), first);

    desktop.play(
        "click lanes/build/registers\n wait 3\n until lanes " + place_of("x += __shfl_xor_sync") + "\n"
    );
    const Session& session = desktop.shell.app.session;
    EXPECT_EQ(session.lanes.report->build, "optimised");
    EXPECT_EQ(timeline_time(session, *session.lanes.report), desktop.shell.app.selection.time)
        << "the same instant: in the function that the line calls";
    desktop.play("click lanes/build/variables\n wait 3\n" + there);

    desktop.play("click lanes/watch\n type l_add*2 <enter>\n wait 3\n" + there);
    const double sum = desktop.row("l_add").number[3];
    EXPECT_NEAR(desktop.row("l_add*2").number[3], 2 * sum, 1e-5 * sum);

    desktop.play(
        "click lanes/until\n type row == 2\n wait 3\n expect lanes " + place_of("warp_reduce_sum(l_add)")
    );
    EXPECT_EQ(desktop.row("row").number[0], 0) << "nothing is asked before Enter";
    desktop.play("key Enter\n wait 3\n" + there);
    EXPECT_EQ(desktop.row("row").number[0], 2);

    desktop.play("click lanes/cells/s_max .65 .25\n wait 2\n");
    EXPECT_EQ(desktop.shell.app.selection.lane, 10);
}

TEST(WindowPanels, AKilledWorkerIsSaidAndAskedAgain) {
    Desktop desktop(1280, 720);
    ASSERT_NO_FATAL_FAILURE(desktop.show(kFaulty));
    const std::string there = "until lanes " + place_of("warp_reduce_sum(l_add)") + "\n";
    desktop.play("click tab/Lanes\n wait 3\n" + there);
    Conversation& talk = desktop.shell.app.session.lanes.talk;
    ASSERT_TRUE(talk.worker);
    ASSERT_EQ(kill(talk.worker->process, SIGSTOP), 0) << "so that it does not answer first";
    desktop.play("click lanes/forward-arrival\n");
    ASSERT_FALSE(talk.asked.empty()) << "a question is open";
    ASSERT_EQ(kill(talk.worker->process, SIGKILL), 0);
    desktop.play("until lanes The worker was killed by signal 9.\n wait 2\n");
    EXPECT_FALSE(talk.worker);
    EXPECT_TRUE(desktop.shows("lanes/ask-again"));
    desktop.play("click lanes/ask-again\n wait 3\n" + there);
    EXPECT_EQ(desktop.row("row").number[0], 1) << "the arrival that was asked for";
    EXPECT_FALSE(desktop.shows("lanes/ask-again"));

    // The step moved the instant: the tile that was taken last there is selected.
    desktop.play("click tab/Provenance\n wait 3\n until provenance masked 0,0\n");
    ASSERT_EQ(kill(desktop.shell.app.session.provenance.talk.worker->process, SIGKILL), 0);
    desktop.play(
        "until provenance The worker was killed by signal 9.\n wait 2\n click provenance/ask-again\n wait 3\n"
        "until provenance masked 0,0\n"
    );
}

TEST(WindowPanels, AClickOnALinkOfProvenanceSelectsIt) {
    Desktop desktop(1920, 1080);
    ASSERT_NO_FATAL_FAILURE(desktop.show(kFaulty));
    desktop.play("click tiles/b-1/i0/O\n expect tile O\n click tab/Provenance\n wait 3\n");
    const Selection& selection = desktop.shell.app.selection;
    const std::string asked =
        "O " + std::to_string(selection.element.row) + "," + std::to_string(selection.element.col);
    desktop.play("until provenance " + asked + "\n wait 4\n");
    const ProvenanceReport& report = *desktop.shell.app.session.provenance.report;
    size_t wrong = 0;
    while (wrong < report.links.size() && !report.links[wrong].first_wrong) ++wrong;
    ASSERT_LT(wrong, report.links.size());
    const std::string link = "provenance/" + std::to_string(wrong);
    EXPECT_TRUE(has_colour(desktop.pixels(), desktop.control(link), colour::kBad)) << "it is marked";
    desktop.play(
        "click " + link + "\n expect tile l\n expect iteration 0\n expect provenance " + asked + "\n"
    );
    EXPECT_EQ(selection.element.row, report.links[wrong].element.at.row);
    EXPECT_TRUE(has_colour(desktop.pixels(), desktop.control(link), colour::kSelection));
    size_t line = wrong;
    while (report.links[line].kind != ProvenanceLink::Kind::line) ++line;
    const ProvenanceLink& made = report.links[line];
    desktop.play(
        "click provenance/" + std::to_string(line) + "\n expect line v2c_3.cu:" + std::to_string(made.line) +
        "\n"
    );
    EXPECT_EQ(selection.lane, made.lane);
    EXPECT_EQ(selection.warp, made.warp);
    ASSERT_FALSE(made.deciders.empty());
    const ProvenanceDecider& decider = made.deciders.back();
    const std::string name = "provenance/decider/" + std::to_string(made.deciders.size() - 1);
    const Control row = desktop.control(name);
    const bool address = decider.kind == ProvenanceDecider::Kind::address;
    EXPECT_TRUE(has_colour(desktop.pixels(), row, address ? kAddressColour : kGuardColour));
    desktop.play("click " + name + "\n expect line v2c_3.cu:" + std::to_string(decider.line) + "\n");
    EXPECT_EQ(selection.lane, decider.lane);
}

TEST(WindowPanels, ARowOfBanksShowsItsLanes) {
    Desktop desktop(1280, 720);
    ASSERT_NO_FATAL_FAILURE(desktop.show({"run", "v2b", "--set", "B=1", "--set", "H=1", "--set", "S=64"}));
    desktop.play("click tab/Banks\n expect banks none\n click banks/count\n until banks counted\n wait 2\n");
    const BankTable& table = *desktop.shell.app.session.banks.table;
    ASSERT_GE(table.lines.size(), 2U);
    for (const int row : {1, 0}) {
        const BankLine& line = table.lines[static_cast<size_t>(row)];
        desktop.play(
            "click banks/" + std::to_string(row) + "\n expect line v2b.cu:" + std::to_string(line.line) + "\n"
        );
        EXPECT_EQ(desktop.shell.app.selection.warp, line.warp);
    }
    // v2b stores a column of scores: eight lanes on top of each other in one bank, each with its own colour.
    ASSERT_EQ(table.lines[0].degree, 8);
    const Control picture = desktop.control("banks/picture");
    const Image image = desktop.pixels();
    const std::vector<BankWord> words = words_by_bank(table.lines[0].request);
    int levels = 0;
    for (const BankWord& word : words) levels = std::max(levels, word.phase == 0 ? word.level + 1 : 0);
    EXPECT_EQ(levels, 8);
    for (const BankWord& word : words) {
        if (word.phase != 0 || word.lane == desktop.shell.app.selection.lane) continue;  // that has a frame
        const float x =
            picture.low.x + (picture.high.x - picture.low.x) * (static_cast<float>(word.bank) + 0.15F) / 32;
        const float y =
            picture.low.y + (picture.high.y - picture.low.y) * (static_cast<float>(word.level) + 0.3F) / 8;
        const Rgb hue =
            owner_palette()[static_cast<size_t>(table.lines[0].warp % kOwnerWarps * kOwnerLanes + word.lane)];
        EXPECT_EQ(colour_at(image, x, y), colour::of(hue)) << "lane " << word.lane;
    }
}

TEST(WindowPanels, AFindingOfARaceShowsBothWitnesses) {
    Desktop desktop(1280, 720);
    for (const char* name : {"turn.cu", "turn.toml"})
        test::write_file(
            desktop.folder.path + "/" + name,
            test::read_file(test::source_path(std::string("tests/kernels/hazards/") + name))
        );
    ASSERT_NO_FATAL_FAILURE(desktop.show({"hazards", desktop.folder.path + "/turn.toml", "--fault", "raw"}));
    const capture::Finding finding = desktop.shell.app.session.capture.findings.at(0);
    ASSERT_GT(finding.other.line, 0);
    const auto at = [](const capture::Where& where) { return "turn.cu:" + std::to_string(where.line); };
    desktop.play(
        "click tab/Lanes\n click findings/0/second\n expect line " + at(finding.other) + "\n until lanes " +
        at(finding.other) + "\n"
    );
    EXPECT_EQ(desktop.shell.app.session.lanes.report->warp, finding.other.warp);
    const std::string& asked = desktop.shell.app.session.lanes.report->asked;
    EXPECT_NE(asked.find("--epoch " + std::to_string(finding.other.epoch) + " "), std::string::npos) << asked;
    EXPECT_TRUE(has_colour(desktop.pixels(), desktop.control("findings/0/second"), colour::kSelection))
        << "it is marked";
    EXPECT_FALSE(has_colour(desktop.pixels(), desktop.control("findings/0/first"), colour::kSelection));
    const Image image = desktop.pixels();
    for (const capture::Where* where : {&finding.where, &finding.other})
        EXPECT_TRUE(
            has_colour(image, desktop.control("source/gutter/" + std::to_string(where->line)), colour::kBad)
        ) << "both lines have their dot";
    desktop.play(
        "click findings/0/first\n expect line " + at(finding.where) + "\n wait 3\n until lanes " +
        at(finding.where) + "\n"
    );
    EXPECT_EQ(desktop.shell.app.session.lanes.report->warp, finding.where.warp);

    std::filesystem::remove(desktop.folder.path + "/turn.cu");  // the debug build cannot be made any more
    kill(desktop.shell.app.session.lanes.talk.worker->process, SIGKILL);
    desktop.play("until lanes The worker was killed by signal 9.\n wait 2\n click lanes/ask-again\n wait 20\n"
    );
    const std::string& why = desktop.shell.app.session.lanes.report->problem;
    EXPECT_NE(why.find("turn.toml, which is not opened"), std::string::npos) << why << ": its source is gone";
}

TEST(WindowPanels, WhatHasNoFindingOrIsUnsupportedSaysSo) {
    Desktop desktop(1280, 720);
    KernelOptions lacking;
    lacking.kernel = test::source_path("tests/kernels/unsupported.toml");
    run(desktop.shell.app.session, lacking);
    desktop.play("click tab/Lanes\n click tab/Provenance\n click tab/Banks\n until worker none\n wait 2\n");
    const std::string& message = desktop.shell.app.session.message.text;
    EXPECT_NE(message.find("multimem.red"), std::string::npos) << message;
    ASSERT_NO_FATAL_FAILURE(desktop.show({"run", "v2c_3", "--set", "B=1", "--set", "H=1", "--set", "S=64"}));
    desktop.play("wait 4\n");
    EXPECT_EQ(desktop.shell.app.selection.finding, -1);
    EXPECT_FALSE(desktop.shows("findings/0"));
}

}  // namespace
}  // namespace wl::app
