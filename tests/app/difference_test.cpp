// The search for the next tile in which A and B differ goes on beside the window, and ends when B does.
#include "app/session/compare/find.h"
#include "app/session/compare/search.h"
#include "app/session/edit/rerun.h"
#include "app/session/navigate.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/capture/capture.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace wl::app {
namespace {

constexpr int kLarge = 1500;  // rows and columns: no frame compares so many elements

// The first P of block 0 is so large: ones between the first element and the last.
capture::Capture large_capture(float first, float last) {
    capture::Capture c = testing::synthetic_capture();
    const auto tile = std::ranges::find_if(c.tiles, [&](const capture::Tile& t) {
        return t.values != capture::kNoBlob && c.probes[static_cast<size_t>(t.probe)].name == "P";
    });
    std::vector<float> values(size_t{kLarge} * kLarge, 1);
    values.front() = first, values.back() = last;
    tile->rows = tile->cols = kLarge;
    c.probes[static_cast<size_t>(tile->probe)].dtype = DType::f32;
    tile->values = capture::add_blob(c.blobs, values);
    tile->reference = tile->bound = tile->owner = capture::kNoBlob;
    return c;
}

int tile_of_large(const capture::Capture& c) {
    const auto at = std::ranges::find(c.tiles, kLarge, &capture::Tile::rows);
    return static_cast<int>(at - c.tiles.begin());
}

struct Pair {
    Session session;
    Selection selection;
    explicit Pair(float last_of_b) {
        load(session, selection, large_capture(1, 1), "a.wlcap");
        set_other(session, std::make_shared<capture::Capture>(large_capture(1, last_of_b)), "b");
        while (is_counting(session.against)) hear_counting(session.against);
        session.against.counted = {};  // it would spare the search what agrees
    }
    void until_found() {
        for (int i = 0; i < 6000 && session.against.search; ++i) {
            prepare(session, selection);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(session.against.search, nullptr);
    }
};

TEST(Difference, IsSelectedWhenItIsFoundAndNotBefore) {
    Pair pair(7);
    const int large = tile_of_large(pair.session.capture);
    ASSERT_NE(pair.selection.tile, large);
    const int stood = pair.selection.tile;
    find_difference(pair.session, pair.selection, stood);
    EXPECT_EQ(pair.selection.tile, stood) << "whoever asks does not wait";
    ASSERT_NE(pair.session.against.search, nullptr);
    EXPECT_TRUE(is_waiting(pair.session)) << "frames go on";
    pair.until_found();
    EXPECT_EQ(pair.selection.tile, large);
    EXPECT_FALSE(is_waiting(pair.session) && !pair.session.loading);
    find_difference(pair.session, pair.selection, large);
    pair.until_found();
    EXPECT_EQ(pair.selection.tile, large);
    EXPECT_EQ(pair.session.message.text, "No other tile differs.");
}

TEST(Difference, ThatIsNowhereIsSaid) {
    Pair pair(1);
    const int stood = pair.selection.tile;
    find_difference(pair.session, pair.selection, stood);
    pair.until_found();
    EXPECT_EQ(pair.selection.tile, stood);
    EXPECT_EQ(pair.session.message.text, "A and B differ in no tile.");
}

TEST(Difference, TheSearchSaysHowFarItIs) {
    Pair pair(7);
    DifferenceQuery query{&pair.session.capture, pair.session.against.other, 0, -1, -1, {}};
    pair.session.against.search = start_search(query);
    pair.session.against.search->selected = pair.selection.tile;
    pair.session.against.search->found.wait();
    const DifferenceSearch& search = *pair.session.against.search;
    EXPECT_GE(search.of, int64_t{kLarge} * kLarge);
    EXPECT_GE(search.effort.elements, int64_t{kLarge} * (kLarge - 1)) << "every row of the large tile";
    EXPECT_LE(search.effort.elements, search.of);
}

TEST(Difference, ASearchThatIsToStopComparesNoFurtherRow) {
    Pair pair(7);
    const DifferenceQuery query{&pair.session.capture, pair.session.against.other, 0, -1, -1, {}};
    DifferenceEffort effort;
    effort.stop = true;
    EXPECT_EQ(next_different(query, effort), -1);
    EXPECT_EQ(effort.elements, 0);
    effort.stop = false;
    EXPECT_EQ(next_different(query, effort), tile_of_large(pair.session.capture));
}

TEST(Difference, TheSearchEndsWithBAndWithAnotherTile) {
    const auto looks = [](Pair& pair) {
        find_difference(pair.session, pair.selection, pair.selection.tile);
        return pair.session.against.search != nullptr;
    };
    Pair pair(7);
    const int stood = pair.selection.tile;
    ASSERT_TRUE(looks(pair));
    drop_other(pair.session);
    EXPECT_EQ(pair.session.against.search, nullptr);
    EXPECT_FALSE(is_waiting(pair.session) && !pair.session.loading);
    set_other(pair.session, std::make_shared<capture::Capture>(large_capture(1, 7)), "b");
    ASSERT_TRUE(looks(pair));
    swap_sides(pair.session, pair.selection);
    EXPECT_EQ(pair.session.against.search, nullptr);
    ASSERT_TRUE(looks(pair));
    load(pair.session, pair.selection, testing::synthetic_capture(), "another.wlcap");
    EXPECT_EQ(pair.session.against.search, nullptr);
    EXPECT_EQ(pair.selection.tile, stood);

    Pair again(7);
    ASSERT_TRUE(looks(again));
    select_tile(again.session, again.selection, 0);
    ASSERT_NE(again.selection.tile, stood);
    prepare(again.session, again.selection);
    EXPECT_EQ(again.session.against.search, nullptr);
    EXPECT_EQ(again.selection.tile, 0) << "who goes elsewhere is not fetched back";
}

TEST(Difference, IsToldWholeOnTheSmallestWindow) {
    OffscreenShell shell(960, 600, 1);
    load(shell.app.session, shell.app.selection, large_capture(1, 1), "a.wlcap");
    set_other(
        shell.app.session, std::make_shared<capture::Capture>(large_capture(1, 7)), "attention, seed 1"
    );
    play(shell, parse_script("panel Compare\nuntil waiting no\nwait 3\n", "script"));
    const auto& controls = shell.app.ui.controls;
    const auto said = std::ranges::find(controls, "compare/said", &Control::name);
    const auto below = std::ranges::find(controls, "timeline/back", &Control::name);
    ASSERT_NE(said, controls.end());
    ASSERT_NE(below, controls.end());
    EXPECT_GT(said->high.y - said->low.y, 20);
    EXPECT_LT(said->high.y, below->low.y - 4);
}

// "What comes next is compared with it", as the table of actions says.
TEST(Difference, WhatWasKeptAsBStaysForTheNextRunOfTheKernel) {
    Session session;
    Selection selection;
    load(session, selection, testing::synthetic_capture(), "");
    keep_as_other(session);
    const std::string name = session.against.name;
    ASSERT_TRUE(has_other(session.against));
    session.against.shown = true;
    load(session, selection, testing::synthetic_capture(1), "");
    EXPECT_EQ(session.against.name, name);
    EXPECT_TRUE(has_other(session.against) && session.against.shown);
    capture::Capture other = testing::synthetic_capture();
    other.launch.kernel = "another";
    load(session, selection, other, "");
    EXPECT_FALSE(has_other(session.against));
}

}  // namespace
}  // namespace wl::app
