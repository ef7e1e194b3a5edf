// Who stored to each element of an output: the same answer as text, as JSON, as an array, and in the window.
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "app/worker/written_map.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/manifest/python.h"
#include "tests/support/program.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Said;
using test::source_path;
using test::warplens;

const std::string kCovered = source_path("tests/kernels/stores/covered.toml");

struct Scratch {
    fs::path folder = fs::temp_directory_path() / ("wl_writers_test_" + std::to_string(getpid()));
    Scratch() { fs::create_directories(folder); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { fs::remove_all(folder); }
    std::string file(const char* name) const { return (folder / name).string(); }
};

TEST(Writers, TellOnceManyStaleAndNever) {
    const Said said = warplens({"writers", kCovered, "--json"});
    ASSERT_EQ(said.status, 0) << said.err;
    const json j = json::parse(said.out);
    const json &out = j.at("arrays").at(0), &kept = j.at("arrays").at(1);
    EXPECT_EQ(out.at("name"), "out");
    EXPECT_EQ(out.at("once"), 4 * 47);
    EXPECT_EQ(out.at("many"), 4);
    EXPECT_EQ(out.at("never"), 4 * 16);
    EXPECT_EQ(out.at("stale"), 0);
    EXPECT_EQ(out.at("blocks"), 4);
    EXPECT_EQ(out.at("by_warp"), (json{4 * 31, 4 * 17}));
    EXPECT_NE(out.at("unwritten").get<std::string>().find("the last 16 columns"), std::string::npos)
        << out.dump(1);
    EXPECT_EQ(
        out.at("lines").at(0),
        (json{
            {"line",     "covered.cu:5"},
            {"elements", 4 * 47        }
    })
    );
    EXPECT_EQ(kept.at("stale"), 4);
    EXPECT_EQ(kept.at("once"), 4);
    EXPECT_EQ(kept.at("never"), 0);
    const Said text = warplens({"writers", kCovered, "--array", "out"});
    EXPECT_NE(
        text.out.find(
            "256 elements; 188 stored once, 4 several times, 0 not and hold what was there, 64 never"
        ),
        std::string::npos
    ) << text.out;
    EXPECT_EQ(text.out.find("kept"), std::string::npos) << "it was not asked for";
}

TEST(Writers, TheMapHoldsBlockWarpLaneAndStores) {
    const Scratch scratch;
    const Said said =
        warplens({"writers", kCovered, "--array", "out", "-o", scratch.file("map.npy"), "--json"});
    ASSERT_EQ(said.status, 0) << said.err;
    const WrittenMap map = written_map(said.out, scratch.file("map.npy"));
    ASSERT_EQ(map.rows, 4);
    ASSERT_EQ(map.cols, 64);
    EXPECT_EQ(map.at(2, 33).block, 2);
    EXPECT_EQ(map.at(2, 33).warp, 1);
    EXPECT_EQ(map.at(2, 33).lane, 1);
    EXPECT_EQ(map.at(2, 33).stores, 1);
    EXPECT_EQ(map.at(3, 0).stores, 2);
    EXPECT_EQ(map.at(3, 0).warp, 1) << "the second store came behind the barrier";
    EXPECT_EQ(map.at(0, 60).block, -1);
    EXPECT_THROW(written_map(said.out, scratch.file("none.npy")), Error);
    std::ofstream(scratch.file("map.npy")) << "nothing";
    EXPECT_THROW(written_map(said.out, scratch.file("map.npy")), Error);
}

TEST(Writers, WhatCannotBeAnsweredIsSaid) {
    const Said unknown = warplens({"writers", kCovered, "--array", "ouf"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_NE(unknown.err.find("did you mean 'out'?"), std::string::npos) << unknown.err;
    const Said both = warplens({"writers", kCovered, "-o", "map.npy"});
    EXPECT_EQ(both.status, 2);
    EXPECT_NE(both.err.find("a map is of one array"), std::string::npos) << both.err;
}

TEST(Writers, TheWindowShowsTheSameOfAnOutput) {
    const Scratch scratch;
    ASSERT_LE(warplens({"run", kCovered, "-o", scratch.file("c.wlcap"), "--quiet"}).status, 3);
    OffscreenShell shell(1920, 1080, 1);
    App& app = shell.app;
    app.session.program = WL_PROGRAM;
    load(app.session, app.selection, capture::read_capture(scratch.file("c.wlcap")), scratch.file("c.wlcap"));
    app.session.request.kernel = kCovered;
    const auto play_script = [&](const std::string& script) { play(shell, parse_script(script, "script")); };
    play_script(
        "wait 3\nclick tiles/b-1/i0/out\nexpect tile out\nclick ownership/ask\nwait 2\nuntil waiting "
        "no\nwait 2\n"
    );
    ASSERT_EQ(app.session.written.problem, "");
    ASSERT_NE(app.session.written.view.map, nullptr);
    EXPECT_EQ(app.session.written.view.map->never, 64);
    for (const char* by : {"block", "warp", "lane", "stores"})
        play_script(std::string("click ownership/by/") + by + "\nmove ownership/map .5 .2\n");
    const WrittenView& view = app.session.written.view;
    const Plane& stores = view.planes[static_cast<size_t>(WrittenBy::stores)];
    EXPECT_EQ(stores(0, 60), -1) << "never: hatched";
    EXPECT_NE(stores(0, 0), stores(0, 1)) << "many and once have colours of their own";
    const Plane& blocks = view.planes[static_cast<size_t>(WrittenBy::block)];
    EXPECT_NE(blocks(0, 1), blocks(1, 1));
    load(app.session, app.selection, capture::Capture{}, "");
    EXPECT_EQ(app.session.written.view.map, nullptr) << "it was of another capture";
}

}  // namespace
}  // namespace wl::app
