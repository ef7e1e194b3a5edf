// What the window holds, without a window: loading, moving the selection, running in a worker.
#include "app/session/session.h"

#include "app/session/edit/keep.h"
#include "app/session/edit/open.h"
#include "app/session/edit/rerun.h"
#include "app/session/navigate.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

struct Scratch {
    fs::path folder = fs::temp_directory_path() / ("wl_session_test_" + std::to_string(getpid()));
    Scratch() { fs::create_directories(folder); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { fs::remove_all(folder); }
    std::string file(const char* name) const { return (folder / name).string(); }
    // Understands `run KERNEL ... -o FILE --progress` as far as the window is concerned.
    std::string program(const std::string& body) const {
        std::string path = file("program");
        std::ofstream(path) << "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
                            << body << "\n";
        chmod(path.c_str(), 0755);
        return path;
    }
};

void run_until_done(Session& session, Selection& selection) {
    for (int i = 0; i < 4000 && session.worker; ++i) {
        prepare(session, selection);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(session.worker, nullptr);
}

TEST(Session, SaysWhatACaptureLacks) {
    Session session;
    Selection selection;
    capture::Capture capture = testing::synthetic_capture();
    capture.notes = {"block (1,0,0) was not recorded", "no reference: why"};
    load(session, selection, capture, "capped.wlcap");
    EXPECT_EQ(session.message.text, "block (1,0,0) was not recorded; no reference: why");
    capture.notes.clear();
    load(session, selection, capture, "whole.wlcap");
    EXPECT_EQ(session.message.text, "");
}

TEST(KernelOptions, BecomeTheWordsOfTheCommandLine) {
    KernelOptions request;
    request.kernel = "v2c_3";
    request.faults = {"32x"};
    request.preset = "small", request.shape = "1,2,128,64";
    request.causal = true;
    request.seed = 7;
    const std::vector<std::string> expected = {
        "warplens",
        "run",
        "v2c_3",
        "--fault",
        "32x",
        "--preset",
        "small",
        "--shape",
        "1,2,128,64",
        "--causal",
        "--seed",
        "7",
        "--search",
        "6",
        "-o",
        "a.wlcap",
        "--progress",
        "--suggest",
        "a.wlcap.patch"};
    EXPECT_EQ(command_line(request, "warplens", "a.wlcap"), expected);
}

TEST(KernelOptions, RepeatALaunchByTheValuesOfItsParameters) {
    capture::Launch launch;
    launch.kernel = "mine";
    launch.faults = {"late"};
    launch.params = {
        {"S",     1024},
        {"scale", 0.1 }
    };
    launch.inputs = "coordinates";
    launch.arch = "compute_80";
    launch.seed = 3, launch.schedule_seed = 11;
    KernelOptions options;
    options.kernel = "mine.toml";
    options.preset = "small", options.shape = "1,1,64,64";
    options.threads = 1;
    repeat_launch(options, launch);
    const std::vector<std::string> expected = {
        "mine.toml",
        "--fault",
        "late",
        "--set",
        "S=1024",
        "--set",
        "scale=0.1",
        "--inputs",
        "coordinates",
        "--arch",
        "compute_80",
        "--seed",
        "3",
        "--schedule",
        "11",
        "--threads",
        "1"};
    EXPECT_EQ(words_of(options), expected);
}

TEST(Session, LoadsTheCaptureOfAFinishedWorkerAndRemovesItsFile) {
    const Scratch scratch;
    capture::write_capture(testing::synthetic_capture(), scratch.file("made.wlcap"));
    Session session;
    Selection selection;
    session.program = scratch.program(
        "echo progress run 0.5 >&2; cp '" + scratch.file("made.wlcap") + "' \"$out\"; exit 1"
    );
    run(session, {.kernel = "attention"});
    ASSERT_NE(session.worker, nullptr) << session.message.text;
    const std::string file = session.worker->capture;
    run_until_done(session, selection);
    EXPECT_EQ(session.captures, 1U) << session.message.text;
    EXPECT_EQ(session.capture.launch.kernel, "attention");
    EXPECT_GE(selection.tile, 0);
    EXPECT_FALSE(fs::exists(file));
}

TEST(Session, AKilledWorkerLeavesTheCaptureThatWasShown) {
    const Scratch scratch;
    Session session;
    Selection selection;
    load(session, selection, testing::synthetic_capture(), "shown.wlcap");
    session.program = scratch.program("echo progress run 0.5 >&2; exec sleep 60");
    run(session, {.kernel = "attention"});
    ASSERT_NE(session.worker, nullptr);
    for (int i = 0; i < 2000 && session.worker->progress.fraction == 0; ++i) {
        prepare(session, selection);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(session.worker->process, SIGKILL);
    run_until_done(session, selection);
    EXPECT_TRUE(session.message.bad);
    EXPECT_NE(session.message.text.find("killed by signal 9"), std::string::npos) << session.message.text;
    EXPECT_EQ(session.path, "shown.wlcap");
    EXPECT_FALSE(session.capture.tiles.empty());
}

TEST(Session, AnUnreadableCaptureIsAMessageAndChangesNothing) {
    const Scratch scratch;
    Session session;
    Selection selection;
    load(session, selection, testing::synthetic_capture(), "shown.wlcap");
    std::ofstream(scratch.file("broken.wlcap")) << "no capture";
    load_file(session, selection, scratch.file("broken.wlcap"));
    EXPECT_TRUE(session.message.bad);
    EXPECT_NE(session.message.text.find("broken.wlcap"), std::string::npos) << session.message.text;
    EXPECT_EQ(session.path, "shown.wlcap");
}

TEST(Session, AnElementsHistoryHasOnePointAnIteration) {
    Session session;
    Selection selection;
    load(session, selection, testing::synthetic_capture(), "synthetic.wlcap");
    const std::vector<HistoryPoint> history = element_history(session.capture, selection.tile, {5, 0});
    ASSERT_EQ(history.size(), 8U);
    for (size_t i = 0; i < history.size(); ++i) {
        EXPECT_EQ(history[i].iteration, static_cast<int>(i));
        EXPECT_NEAR(history[i].got / history[i].reference, 32, 1e-3);
        EXPECT_EQ(history[i].verdict, capture::Verdict::bad);
    }
}

TEST(TileView, MarksExactlyTheElementsOutsideTheirBound) {
    const capture::Capture capture = testing::synthetic_capture();
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const capture::Tile& tile = capture.tiles[i];
        if (tile.values == capture::kNoBlob) continue;
        const TileView view = make_tile_view(capture, static_cast<int>(i), 1);
        EXPECT_EQ(view.wrong_count, tile.bad) << i;
        auto counted = static_cast<double>(view.errors.exact);
        for (size_t bin = 0; bin < view.errors.good.size(); ++bin)
            counted += view.errors.good[bin] + view.errors.bad[bin];
        EXPECT_EQ(counted, static_cast<double>(tile.compared))
            << "the histogram counts every compared element once";
    }
}

TEST(TileView, AMaskedScoreNeitherRingsNorWidensTheRange) {
    capture::Capture capture = testing::synthetic_capture();
    capture::Tile& tile = capture.tiles[0];
    const analysis::TileData data = analysis::load_tile(capture, tile);
    std::vector<float> values(data.got.data.begin(), data.got.data.end());
    std::vector<double> reference = data.reference.data;
    values[3] = -1e30F;
    reference[3] = -INFINITY;
    values[9] = std::nanf("");
    tile.values = add_blob(capture.blobs, values);
    tile.reference = add_blob(capture.blobs, reference);
    const TileView view = make_tile_view(capture, 0, 1);
    EXPECT_GT(view.got.lo, -100);
    EXPECT_EQ(view.metric[0].values(0, 3), 0) << "it agrees with its reference";
    ASSERT_EQ(view.non_finite.size(), 1U);
    EXPECT_EQ(view.non_finite[0], (Element{0, 9}));
    EXPECT_TRUE(std::isnan(view.metric[0].values(0, 9)));
    EXPECT_FALSE(is_absent(view.metric[0].values(0, 9))) << "the kernel's NaN is not a missing reference";
}

// One wrong tile of that side, all of whose elements differ.
capture::Capture big_tile(int side) {
    capture::Capture c = testing::synthetic_capture();
    capture::Tile tile = c.tiles.front();
    const auto count = static_cast<size_t>(side) * static_cast<size_t>(side);
    std::vector<float> got(count);
    for (size_t i = 0; i < count; ++i) got[i] = static_cast<float>(i % 1000) + 1;
    c.probes[static_cast<size_t>(tile.probe)].dtype = DType::f32;
    tile.rows = tile.cols = side;
    tile.values = add_blob(c.blobs, got);
    tile.reference = add_blob(c.blobs, std::vector<double>(count, 0.5));
    tile.bound = add_blob(c.blobs, std::vector<float>(count, 0.25F));
    tile.owner = capture::kNoBlob;
    c.tiles.push_back(tile);
    return c;
}

TEST(Session, ABigTileIsMeasuredWhileTheWindowGoesOn) {
    Session session;
    Selection selection;
    load(session, selection, big_tile(1500), "big.wlcap");
    const int big = static_cast<int>(session.capture.tiles.size()) - 1;
    select_tile(session, selection, big);
    prepare(session, selection);
    EXPECT_EQ(session.current.tile, big);
    EXPECT_FALSE(session.current.measured) << "the frame did not wait for it";
    EXPECT_TRUE(has_values(session.current)) << "a preview is there at once";
    EXPECT_EQ(session.current.got.lo, 1);
    EXPECT_TRUE(is_waiting(session));
    while (is_waiting(session)) prepare(session, selection);
    ASSERT_TRUE(has_values(session.current));
    EXPECT_EQ(session.current.wrong_count, 1500 * 1500);
    ASSERT_EQ(session.current.worst.size(), kMaxWorst);
    EXPECT_EQ(session.current.worst[0], (Element{0, 999}));
    EXPECT_EQ(session.current.worst[1], (Element{1, 499})) << "of equal excess in their order";

    select_tile(session, selection, 0);
    prepare(session, selection);
    select_tile(session, selection, big);
    prepare(session, selection);
    load(session, selection, testing::synthetic_capture(), "small.wlcap");
    EXPECT_FALSE(session.loading) << "what is measured of another capture is given up";
}

TEST(Session, AFileIsWrittenWhileTheWindowGoesOn) {
    const Scratch scratch;
    Session session;
    Selection selection;
    load(session, selection, testing::synthetic_capture(), "");
    const std::string held = session.capture.sources[0].text;
    std::atomic<bool> may_end = false;
    std::string seen;
    keep_later(session, "The report", scratch.file("report.html"), [&] {
        while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        seen = session.capture.sources[0].text;
    });
    prepare(session, selection);
    EXPECT_TRUE(is_waiting(session));
    EXPECT_EQ(seen, "");
    save_later(session, scratch.file("second.wlcap"));
    EXPECT_TRUE(session.message.bad) << "one at a time";
    std::thread ends([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        may_end = true;
    });
    load(session, selection, capture::Capture{}, "");  // waits: what is written is the capture that was
    ends.join();
    EXPECT_EQ(seen, held);
    EXPECT_FALSE(is_waiting(session));
}

TEST(Session, ASavedCaptureIsReadAsItWas) {
    const Scratch scratch;
    Session session;
    Selection selection;
    load(session, selection, testing::synthetic_capture(), "");
    for (const char* name : {"saved.wlcap", "no/such/folder/saved.wlcap"}) {
        save_later(session, scratch.file(name));
        for (int i = 0; i < 4000 && session.keeping; ++i) {
            prepare(session, selection);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(session.path, scratch.file("saved.wlcap")) << "of " << name;
        EXPECT_EQ(session.message.bad, name[0] == 'n') << session.message.text;
    }
    EXPECT_EQ(capture::read_capture(session.path), testing::synthetic_capture());
}

// The parameters of a run that follows the manifest: what the manifest comes to by itself is left to it.
TEST(Session, ARunAgainPinsOnlyWhatTheManifestDoesNotSay) {
    Session session;
    session.capture.launch.kernel = "gemm";
    KernelChoice choice;
    choice.name = "gemm";
    choice.params = {
        {"D", "64"               },
        {"M", "D == 64 ? 64 : 48"},
        {"N", "max(M, D) / 2"    },
        {"P", "1"                }
    };
    session.kernels = {choice};
    const auto pinned = [&](double d, double m, double n) {
        session.capture.launch.params = {
            {"D", d},
            {"M", m},
            {"N", n}
        };
        return problem_to_change(session).set;
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(pinned(64, 64, 32), Words{});
    EXPECT_EQ(pinned(128, 48, 64), Words{"D=128"});
    EXPECT_EQ(pinned(64, 32, 32), Words{"M=32"});
    KernelOptions asked;
    asked.kernel = "gemm", asked.preset = "large";
    session.made_by = asked;
    EXPECT_EQ(problem_to_change(session), asked) << "a run is asked for again as it was";
}

TEST(Open, PtxIsCheckedAndWithoutAManifestAText) {
    const Scratch scratch;
    const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n";
    const auto write = [&](const std::string& text) {
        std::ofstream(scratch.file("k.ptx")) << text;
        return scratch.file("k.ptx");
    };
    const capture::Capture runs = capture_of_ptx(write(head + "ret;\n}\n"));
    EXPECT_TRUE(runs.unsupported.empty());
    ASSERT_EQ(runs.notes.size(), 1U);
    EXPECT_EQ(runs.notes[0], "k: 1 instruction, all of them can run here");
    const capture::Capture lacks =
        capture_of_ptx(write(head + "setmaxnreg.inc.sync.aligned.u32 96;\nret;\n}\n"));
    if (!lacks.unsupported.empty()) {
        EXPECT_EQ(lacks.unsupported[0].rfind("k, line 6: setmaxnreg", 0), 0U) << lacks.unsupported[0];
        EXPECT_EQ(lacks.verdict, "unsupported");
    }
    EXPECT_THROW(capture_of_ptx(write("not PTX at all")), Error);
    // The manifest of that name beside it is of a .cu: the PTX is what is opened.
    std::ofstream(scratch.file("k.cu")) << "extern \"C\" __global__ void k() {}\n";
    std::ofstream(scratch.file("k.toml"))
        << "source = \"k.cu\"\nargs = []\n[launch]\ngrid = [1]\nblock = [32]\n";
    Session session;
    Selection selection;
    open_anything(session, selection, write(head + "ret;\n}\n"));
    EXPECT_FALSE(session.message.bad) << session.message.text;
    EXPECT_EQ(session.capture.launch.executor, "not run");
    std::ofstream(scratch.file("notes.txt")) << "hello";
    open_anything(session, selection, scratch.file("notes.txt"));
    EXPECT_NE(session.message.text.find(".wlcap, .cu, .toml, .ptx or .npy opens here"), std::string::npos)
        << session.message.text;
}

TEST(Session, ASiteInAHeaderOfTheToolkitIsTheLineThatCallsIt) {
    capture::Capture c = testing::synthetic_capture();
    c.sources.push_back({"/usr/local/cuda/include/crt/mma.hpp", ""});
    capture::Site inner;
    inner.source = static_cast<int>(c.sources.size()) - 1, inner.line = 91, inner.inlined_at = 0;
    c.sites.push_back(inner);
    const int site = static_cast<int>(c.sites.size()) - 1;
    EXPECT_EQ(user_site(c, site), 0);
    EXPECT_EQ(place_text(c, site), place_text(c, 0));
    c.sites.back().inlined_at = -1;
    EXPECT_EQ(user_site(c, site), site) << "called, not inlined: there is no other";
}

}  // namespace
}  // namespace wl::app
