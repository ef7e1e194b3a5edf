// Lanes in the window: the answers that are read.
#include "app/worker/lane_report.h"

#include "app/draw/lanes/lane_cells.h"
#include "instrumentation/base/error.h"

#include <imgui.h>

#include <cmath>
#include <gtest/gtest.h>
#include <string>

namespace wl::app {
namespace {

std::string answer(const std::string& first, const std::string& others, const char* lanes) {
    std::string list = "\"" + first + "\"";
    for (int lane = 1; lane < 32; ++lane) list += ", \"" + others + "\"";
    return R"({"asked": "--warp 3", "build": "debug", "function": "f", "instruction": "add;", "place": "a/b.cu:127",
        "block": 2, "warp": 3, "time": 99, "order": 777, "between": "softmax#1,barrier#4,0.25", "lanes": )" +
        std::string(lanes) +
        R"(, "values": [{"expression": "x", "origin": "in %f1", "problem": "", "lanes": [)" + list + "]}]}";
}

TEST(LaneReport, HoldsPlaceTimeAndTheNumbersOfEveryLane) {
    const LaneReport r = lane_report(answer("-0.5", "2", "4294967295"));
    EXPECT_EQ(r.asked, "--warp 3");
    EXPECT_EQ(r.file, "a/b.cu");
    EXPECT_EQ(r.line, 127);
    EXPECT_EQ(r.block, 2);
    EXPECT_EQ(r.time, 99U);
    EXPECT_EQ(r.order, 777U);
    EXPECT_EQ(r.between, (Between{"softmax#1", "barrier#4", 0.25}));
    ASSERT_EQ(r.rows.size(), 1U);
    const LaneRow& row = r.rows[0];
    EXPECT_FALSE(row.uniform);
    EXPECT_EQ(row.number[0], -0.5);
    EXPECT_EQ(row.number[31], 2);
    EXPECT_EQ(row.low, -0.5);
    EXPECT_EQ(row.high, 2);
}

TEST(LaneReport, OnlyActiveLanesDecideWhatIsUniform) {
    EXPECT_TRUE(lane_report(answer("7", "2", "4294967294")).rows[0].uniform) << "lane 0 is away";
    EXPECT_FALSE(lane_report(answer("7", "2", "3")).rows[0].uniform);
}

TEST(LaneReport, WhatIsNoNumberHasNone) {
    const LaneRow row = lane_report(answer("{low 1, high 2}", "-", "4294967295")).rows[0];
    EXPECT_TRUE(std::isnan(row.number[0]));
    EXPECT_TRUE(std::isnan(row.number[1]));
    EXPECT_TRUE(std::isinf(lane_report(answer("-inf", "1", "4294967295")).rows[0].number[0]));
}

// Rows of one expression in every warp are coloured by one scale.
TEST(LaneReport, TellsEveryWarpWithWhatItWaitsFor) {
    std::string text = answer("1", "2", "4294967295");
    text.pop_back();
    const auto warp = [](int number, const std::string& value, const std::string& waits) {
        std::string lanes = "\"" + value + "\"";
        for (int lane = 1; lane < 32; ++lane) lanes += ", \"" + value + "\"";
        return R"({"warp": )" + std::to_string(number) +
            R"(, "lanes": 4294967295, "place": "a/b.cu:7", "waits": ")" + waits +
            R"(", "problem": "", "values": [)" + lanes + "]}";
    };
    const LaneReport r = lane_report(
        text + R"(, "across": "x", "warps": [)" + warp(0, "-3", "barrier 0") + ", " + warp(1, "5", "") +
        R"(, {"warp": 2, "lanes": 0, "place": "", "waits": "", "problem": "", "values": []}]})"
    );
    EXPECT_EQ(r.across, "x");
    ASSERT_EQ(r.warps.size(), 3U);
    EXPECT_EQ(r.warps[0].waits, "barrier 0");
    EXPECT_EQ(r.warps[0].line, 7);
    for (const WarpRow& w : r.warps) {
        EXPECT_EQ(w.row.low, -3);
        EXPECT_EQ(w.row.high, 5);
    }
    EXPECT_EQ(r.warps[1].row.number[31], 5);
    EXPECT_EQ(r.warps[2].lanes, 0U);
    EXPECT_EQ(r.warps[2].row.text[0], "-") << "it has ended";
}

TEST(LaneReport, AnErrorIsTheAnswersProblem) {
    EXPECT_EQ(lane_report(R"({"asked": "--warp 9", "error": "no such warp"})").problem, "no such warp");
    for (const char* text : {"", "{}", R"({"asked": "x", "build": 3})"})
        EXPECT_THROW(lane_report(text), Error) << text;
}

// 32 columns of at least 28 pixels, or two rows of 16.
TEST(LaneColumns, StandInAsManyRowsAsTheyCanBeReadIn) {
    Ui ui;
    ImGui::CreateContext();
    ImGui::GetIO().UserData = &ui;
    for (const auto& [room, per] : {
             std::pair{1000.0F, 32},
             std::pair{896.0F,  32},
             std::pair{800.0F,  16},
             std::pair{448.0F,  16},
             std::pair{300.0F,  8 }
    }) {
        const LaneColumns c = lane_columns(10, room);
        EXPECT_EQ(c.per, per) << room;
        EXPECT_GE(c.width, 28) << room;
        EXPECT_EQ(c.x(0), 10);
        EXPECT_EQ(c.x(31), std::floor(10 + c.width * static_cast<float>(per - 1)));
    }
    const LaneColumns two = lane_columns(0, 500);
    LaneRow row;
    EXPECT_EQ(lane_row_height(row, ~0U, two), 2 * kLaneRow);
    row.uniform = true;
    EXPECT_EQ(lane_row_height(row, ~0U, two), kLaneRow) << "one cell says it";
    EXPECT_EQ(lane_row_height(row, 3, two), 2 * kLaneRow) << "some lanes are elsewhere";
    ImGui::DestroyContext();
}

}  // namespace
}  // namespace wl::app
