// The window's session with the real program as its worker: a kernel that ends, one that is killed, one that
// is cancelled.
#include "app/session/navigate.h"
#include "app/session/questions.h"
#include "app/session/session.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

struct Running {
    Session session;
    Selection selection;
    explicit Running(const KernelOptions& request) {
        session.program = WL_PROGRAM;
        run(session, request);
    }
    void until(const std::function<bool()>& done) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (!done() && std::chrono::steady_clock::now() < end) {
            prepare(session, selection);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        ASSERT_TRUE(done()) << session.message.text;
    }
    bool ended() const { return session.worker == nullptr; }
    bool executes() const { return session.worker && session.worker->progress.stage == "run"; }
};

// Files of that capture's name, finished or half written.
int files_like(const std::string& capture) {
    int count = 0;
    const std::string stem = fs::path(capture).stem().string();
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(capture).parent_path())) {
        count += entry.path().filename().string().starts_with(stem) ? 1 : 0;
    }
    return count;
}

KernelOptions faulty_kernel(const std::string& shape) {
    KernelOptions request;
    request.kernel = "v2c_3";
    request.faults = {"32x"};
    request.shape = shape;
    return request;
}

TEST(WorkerRun, ItsCaptureIsLoadedWithTheSelectionOnTheFirstFinding) {
    Running running(faulty_kernel("1,1,128,64"));
    ASSERT_FALSE(running.ended()) << running.session.message.text;
    running.until([&] { return running.ended(); });
    ASSERT_EQ(running.session.captures, 2U)
        << "the verdict, then its causes: " << running.session.message.text;
    ASSERT_FALSE(running.session.capture.findings.empty());
    EXPECT_EQ(running.selection.finding, 0);
    EXPECT_EQ(probe_of(running.session, running.selection)->name, "l");
    EXPECT_EQ(running.session.current.tile, running.selection.tile);
}

TEST(WorkerRun, KilledMidRunItLeavesAMessageAndNoFile) {
    Running running(faulty_kernel("1,16,1024,64"));
    ASSERT_FALSE(running.ended()) << running.session.message.text;
    const std::string capture = running.session.worker->capture;
    running.until([&] { return running.executes() || running.ended(); });
    ASSERT_TRUE(running.executes()) << "it ended before it could be killed";
    ASSERT_EQ(kill(running.session.worker->process, SIGKILL), 0);
    running.until([&] { return running.ended(); });
    EXPECT_TRUE(running.session.message.bad);
    EXPECT_NE(running.session.message.text.find("killed by signal 9"), std::string::npos)
        << running.session.message.text;
    EXPECT_EQ(running.session.captures, 0U);
    EXPECT_EQ(files_like(capture), 0);
}

TEST(WorkerRun, CancelledMidRunItLeavesNoFile) {
    Running running(faulty_kernel("1,16,1024,64"));
    ASSERT_FALSE(running.ended()) << running.session.message.text;
    const std::string capture = running.session.worker->capture;
    running.until([&] { return running.executes() || running.ended(); });
    ASSERT_TRUE(running.executes()) << "it ended before it could be cancelled";
    cancel(*running.session.worker);
    running.until([&] { return running.ended(); });
    EXPECT_NE(running.session.message.text.find("cancelled"), std::string::npos)
        << running.session.message.text;
    EXPECT_EQ(running.session.captures, 0U);
    EXPECT_EQ(files_like(capture), 0);
}

TEST(WorkerRun, AnUnknownKernelIsTheWorkersOwnSentence) {
    KernelOptions request;
    request.kernel = "v2c_33";
    Running running(request);
    running.until([&] { return running.ended(); });
    EXPECT_TRUE(running.session.message.bad);
    EXPECT_NE(running.session.message.text.find("v2c_3"), std::string::npos) << running.session.message.text;
    EXPECT_FALSE(running.session.message.text.starts_with("warplens")) << "the window is WarpLens already";
}

TEST(WorkerRun, BankConflictsOfTheLoadedCaptureAreCounted) {
    KernelOptions request;
    request.kernel = "v2b";
    request.shape = "1,1,64,64";
    Running running(request);
    running.until([&] { return running.ended(); });
    ask_banks(running.session);
    EXPECT_TRUE(is_waiting(running.session));
    running.until([&] { return !is_waiting(running.session); });
    const BanksAnswer& banks = running.session.banks;
    ASSERT_TRUE(banks.table.has_value()) << banks.problem;
    ASSERT_FALSE(banks.table->lines.empty());
    EXPECT_EQ(banks.table->lines[0].degree, 8) << "v2b stores a column of scores by eight lanes";
    EXPECT_EQ(banks.table->lines[0].array, "P, masked, scores");
    const auto& remedies = banks.table->remedies;
    EXPECT_EQ(
        std::count_if(
            remedies.begin(),
            remedies.end(),
            [](const BankRemedy& r) { return r.array == "P, masked, scores"; }
        ),
        2
    ) << "a padding and a swizzle";
}

TEST(WorkerRun, WhyBanksAreNotCountedIsSaid) {
    Running running(faulty_kernel("1,1,64,64"));
    running.until([&] { return running.ended(); });
    running.session.capture.launch.faults = {"no such fault"};
    ask_banks(running.session);
    running.until([&] { return !is_waiting(running.session); });
    EXPECT_FALSE(running.session.banks.table.has_value());
    EXPECT_NE(running.session.banks.problem.find("no such fault"), std::string::npos)
        << running.session.banks.problem;
}

struct TravelWindow {
    OffscreenShell shell{1920, 1080, 1};
    TravelWindow() {
        Session& session = shell.app.session;
        session.program = WL_PROGRAM;
        run(session, faulty_kernel("1,1,128,64"));
        while (is_waiting(session)) shell.draw();
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    const LaneRow& row(const std::string& expression) {
        for (const LaneRow& each : shell.app.session.lanes.report->rows)
            if (each.expression == expression) return each;
        throw std::runtime_error(expression + " is not shown");
    }
    // As a click on its row in Tiles does; block -1: an output.
    void choose_tile(int64_t block, int iteration, const std::string& name) {
        const capture::Capture& c = shell.app.session.capture;
        for (size_t i = 0; i < c.tiles.size(); ++i)
            if (c.tiles[i].block == block && c.tiles[i].iteration == iteration &&
                c.probes[static_cast<size_t>(c.tiles[i].probe)].name == name)
                return select_tile(shell.app.session, shell.app.selection, static_cast<int>(i));
        throw std::runtime_error(name + " is no tile");
    }
    uint64_t time() { return shell.app.session.lanes.report->time; }
};

int line_of(const std::string& text) {
    const std::string place = test::source_place("kernels/v2c_3.cu", text);
    return std::stoi(place.substr(place.rfind(':') + 1));
}
const std::string kReduction = "warp_reduce_sum(l_add)", kShuffle = "x += __shfl_xor_sync";

// Waits until the panel shows the first arrival at the reduction.
std::string until_reduction() {
    const std::string place = test::source_place("kernels/v2c_3.cu", "warp_reduce_sum(l_add)");
    return "until lanes " + place.substr(place.rfind('/') + 1) + "\n";
}

TEST(Lanes, ShowThatEveryLaneHoldsTheSumBeforeTheReduction) {
    TravelWindow window;
    window.play("click tab/Lanes\n wait 3\n" + until_reduction());
    const LaneRow& sum = window.row("l_add");
    EXPECT_TRUE(sum.uniform);
    EXPECT_GT(sum.number[7], 0);
    EXPECT_FALSE(window.row("s_max").uniform) << "the lanes' maxima differ before they are reduced";
}

TEST(Lanes, StepOnAndBackAndComeAgain) {
    TravelWindow window;
    window.play("click tab/Lanes\n wait 3\n" + until_reduction());
    const uint64_t first = window.time();
    window.play("click lanes/forward\n wait 3\n" + until_reduction());
    EXPECT_EQ(window.time(), first + 1);
    window.play("click lanes/back\n wait 3\n" + until_reduction());
    EXPECT_EQ(window.time(), first);
    window.play("click lanes/forward-arrival\n wait 3\n" + until_reduction());
    EXPECT_GT(window.time(), first + 1) << "the next row of the warp";
    EXPECT_EQ(window.row("row").number[0], 1);
}

TEST(Lanes, WatchesAreShownAndAWrongOneSaysWhy) {
    TravelWindow window;
    window.play(
        "click tab/Lanes\n wait 3\n" + until_reduction() +
        "click lanes/watch\n type l_add*2 <enter>\n click lanes/watch\n type l_ad <enter>\n wait 4\n" +
        until_reduction()
    );
    const double sum = window.row("l_add").number[3];
    EXPECT_NEAR(window.row("l_add*2").number[3], 2 * sum, 1e-5 * sum) << "six digits are shown";
    EXPECT_NE(window.row("l_ad").problem.find("l_add"), std::string::npos) << window.row("l_ad").problem;
}

TEST(Lanes, StartWhereTheSelectedElementWasMade) {
    TravelWindow window;
    Session& session = window.shell.app.session;
    Selection& selection = window.shell.app.selection;
    window.play("click tab/Lanes\n wait 3\n" + until_reduction());
    const uint64_t first = window.time();
    EXPECT_EQ(window.row("row").number[0], 0);
    window.choose_tile(0, 1, "l");
    window.play("wait 3\n until lanes v2c_3.cu:" + std::to_string(line_of("WL_TILE(\"l\"")) + "\n");
    EXPECT_GT(window.time(), first) << "the tile's own mark, in iteration 1";
    selection.site = site_at_line(session.capture, "v2c_3.cu", line_of(kReduction));
    select_element(session, selection, {21, 0});
    window.play("wait 3\n" + until_reduction());
    EXPECT_EQ(session.lanes.report->warp, 2) << "the warp that wrote l[21]";
    EXPECT_EQ(window.row("row").number[0], 21);
    const uint64_t second = window.time();
    window.play("click lanes/back-arrival\n wait 3\n" + until_reduction());
    EXPECT_EQ(window.row("row").number[0], 20);
    window.choose_tile(0, 0, "l");
    selection.site = site_at_line(session.capture, "v2c_3.cu", line_of(kReduction));
    select_element(session, selection, {21, 0});
    window.play("wait 3\n" + until_reduction());
    EXPECT_EQ(window.row("row").number[0], 21);
    EXPECT_LT(window.time(), second) << "iteration 0 comes before";
}

TEST(Lanes, FollowKernelTimeIntoTheStageThatItIsIn) {
    TravelWindow window;
    Session& session = window.shell.app.session;
    Selection& selection = window.shell.app.selection;
    const capture::Capture& c = session.capture;
    const auto in_iteration = [&](int iteration) {
        for (const analysis::StageSpan& span : session.timelines[0].stages)
            if (span.warp == 3 && span.stage >= 0 && span.iteration == iteration &&
                c.stages[static_cast<size_t>(span.stage)] == "softmax")
                return span.begin + 1;
        throw std::runtime_error("no such stage");
    };
    uint64_t before = 0;
    for (const int iteration : {0, 1}) {
        selection.warp = 3;
        move_to_time(session, selection, in_iteration(iteration));
        select_site(session, selection, site_at_line(c, "v2c_3.cu", line_of(kReduction)));
        window.play("click tab/Lanes\n wait 3\n" + until_reduction());
        EXPECT_EQ(session.lanes.report->warp, 3);
        EXPECT_EQ(window.row("row").number[0], 24) << "the first row of warp 3";
        EXPECT_GT(window.time(), before);
        before = window.time();
    }
}

// Where the chain's first wrong link is in the list; -1: it has none.
int first_wrong(const ProvenanceReport& report) {
    for (size_t i = 0; i < report.links.size(); ++i)
        if (report.links[i].first_wrong) return static_cast<int>(i);
    return -1;
}

TEST(Provenance, FollowsAnElementToTheFirstWrongLinkWhichIsMarked) {
    TravelWindow window;
    window.play("click tab/Provenance\n wait 3\n until provenance l 0,0\n");
    const Session& session = window.shell.app.session;
    bool reduction = false;
    for (const ProvenanceLink& link : session.provenance.report->links)
        reduction = reduction ||
            (link.suspect && link.line == line_of(kShuffle) && link.inlined_at.front() == line_of(kReduction)
            );
    EXPECT_TRUE(reduction) << "the shuffles of the reduction made it";

    window.choose_tile(capture::kWholeLaunch, 0, "O");
    window.play("wait 3\n until provenance O 0,0\n wait 4\n");
    const ProvenanceReport& report = *session.provenance.report;
    const int wrong = first_wrong(report);
    ASSERT_GE(wrong, 0);
    const ProvenanceLink& link = report.links[static_cast<size_t>(wrong)];
    EXPECT_EQ(link.element.tile, "l");
    EXPECT_EQ(link.element.iteration, 0);
    EXPECT_NEAR(link.element.got / link.element.reference, 32, 0.01);
    EXPECT_EQ(report.inputs.size(), 3U) << "Q, K and V";
    const std::string name = "provenance/" + std::to_string(wrong);
    const Image drawn = window.shell.pixels();
    for (const Control& control : window.shell.app.ui.controls) {
        if (control.name != name) continue;
        const auto x = static_cast<size_t>(control.low.x + 17),
                   y = static_cast<size_t>((control.low.y + control.high.y) / 2);
        const unsigned char* pixel = drawn.rgb.data() + 3 * (y * static_cast<size_t>(drawn.width) + x);
        EXPECT_EQ(ImU32(pixel[0] | pixel[1] << 8 | pixel[2] << 16 | 255U << 24), colour::kBad);
        return;
    }
    FAIL() << "the first wrong link is not in sight";
}

TEST(Provenance, AClickOnALinkSelectsItAndTheChainStays) {
    TravelWindow window;
    window.choose_tile(capture::kWholeLaunch, 0, "O");
    window.play("click tab/Provenance\n wait 3\n until provenance O 0,0\n wait 4\n");
    const ProvenanceReport& report = *window.shell.app.session.provenance.report;
    const int wrong = first_wrong(report);
    ASSERT_GE(wrong, 0);
    int suspect = wrong;
    while (!report.links[static_cast<size_t>(suspect)].suspect) ++suspect;
    const ProvenanceLink& line = report.links[static_cast<size_t>(suspect)];
    const std::string place = "v2c_3.cu:" + std::to_string(line.line);
    window.play(
        "click provenance/" + std::to_string(suspect) + "\n expect line " + place + "\n expect tile O\n"
    );
    EXPECT_EQ(window.shell.app.selection.lane, line.lane);
    window.play(
        "click provenance/" + std::to_string(wrong) +
        "\n expect tile l\n expect iteration 0\n expect selection 0,0\n wait 3\n expect provenance O 0,0\n"
        "click provenance/from-here\n wait 3\n until provenance l 0,0\n"
    );
    EXPECT_EQ(first_wrong(*window.shell.app.session.provenance.report), -1) << "nothing before l is wrong";
    window.choose_tile(0, 0, "P");
    window.play("wait 3\n until provenance P 0,0\n");
}

}  // namespace
}  // namespace wl::app
