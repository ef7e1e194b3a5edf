// Trials of launches that find what others left, or leave nothing to compare; what no check of a run tells;
// and races that take another pointer, or a barrier at a turn's end.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace wl::diagnosis {
namespace {

using nlohmann::json;

std::string kernel(const std::string& name) { return "tests/kernels/search/" + name; }

json first_of(const std::string& name, const char* fault) {
    const test::Said said = test::warplens(
        {"diagnose", test::source_path(kernel(name) + ".toml"), "--fault", fault, "--search", "300", "--json"}
    );
    return json::parse(said.out).at("findings").at(0);
}

int line_of(const std::string& name, const char* text) {
    const std::string place = test::source_place(kernel(name) + ".cu", text);
    return std::stoi(place.substr(place.rfind(':') + 1));
}

TEST(Filled, TheRightKernelsHaveNoFindings) {
    for (const char* name : {"tally", "swing", "cleared", "steps", "whole/groups", "whole/bias"}) {
        const std::string toml = test::source_path(kernel(name) + ".toml");
        const json answer = json::parse(test::warplens({"diagnose", toml, "--json"}).out);
        EXPECT_EQ(answer.at("verdict"), "ok") << name << answer.dump(1);
    }
}

// One block alone leaves a part of the counts that launches before have cleared.
TEST(Filled, WhatBlocksAddToALaunchBeforeIsJudgedBehindAllOfThem) {
    const json first = first_of("tally", "other");
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_EQ(first.at("rule"), "never_written");
    EXPECT_NEAR(first.at("where").value("line", 0), line_of("tally", "kept[i] = v;"), 2) << first.dump(1);
}

// Nothing that its launch leaves is compared.
TEST(Filled, AFaultOfALaunchThatIsNotComparedIsProvenBehindAll) {
    const json first = first_of("tally", "share");
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_LE(first.at("where").value("line", 99), line_of("tally", "staged[j] = 2 * x[j];"))
        << first.dump(1);
    EXPECT_NE(
        first.value("proof", "").find("after all launches 0 of 828 elements are wrong"), std::string::npos
    ) << first.dump(1);
}

// The launch that cleared them wrote the elements last which another should have added to, beside the array.
TEST(Filled, WhoGoesBeyondAnArrayIsAskedBeforeWhoClearedIt) {
    const json first = first_of("whole/groups", "stride");
    EXPECT_EQ(first.at("title"), "`groups` should be `kDim`") << first.dump(1);
    EXPECT_EQ(first.at("where").at("line"), line_of("whole/groups", "group[i] * groups;"));
    EXPECT_EQ(first.at("proven"), true);
}

// All blocks add to the sums, which come out right in the order in which they are tried.
TEST(Filled, ARaceOfWhatAllBlocksAddUpHasItsBarrierAtTheTurnsEnd) {
    const json first = first_of("whole/bias", "reuse");
    EXPECT_EQ(first.at("rule"), "race_shared") << first.dump(1);
    EXPECT_NEAR(
        first.at("evidence").value("barrier_line", 0.0), line_of("whole/bias", "// before the next turn"), 2
    ) << first.dump(1);
}

TEST(Filled, ARegisterThatNobodyWroteShowsWhereResultsAreRightByChance) {
    const json first = first_of("cleared", "clear");
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_EQ(first.at("rule"), "wrong_initial_value");
    EXPECT_EQ(first.at("where").at("line"), line_of("cleared", "accumulator, 16, 16, 16, float> sums;"));
}

TEST(Filled, ABarrierBelongsAtTheEndOfTheTurn) {
    const json first = first_of("swing", "turn");
    EXPECT_EQ(first.at("rule"), "race_shared") << first.dump(1);
    EXPECT_EQ(first.at("evidence").value("barrier_line", 0), line_of("swing", "next = other;"));
}

TEST(Filled, ARaceThatNoBarrierEndsIsOfThePointers) {
    const json first = first_of("swing", "alias");
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_NEAR(first.at("where").value("line", 0), line_of("swing", "float* now = both;"), 2);
    EXPECT_EQ(first.value("title", "").rfind("`both` should be `both + kRow", 0), 0U) << first.dump(1);
}

// The other barrier is reached by all; who leaves before both would go around them.
TEST(Filled, OfTwoBarriersTheOneUnderAConditionIsTheCause) {
    const json first = first_of("steps", "inside");
    EXPECT_EQ(first.at("rule"), "divergent_barrier") << first.dump(1);
    EXPECT_EQ(first.at("where").at("line"), line_of("steps", "// of those alone that write"));
    const std::string title = first.at("title"), wait = "while the others wait";
    EXPECT_EQ(title.find(wait), title.rfind(wait)) << title;
}

}  // namespace
}  // namespace wl::diagnosis
