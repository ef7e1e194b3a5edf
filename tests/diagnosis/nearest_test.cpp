// What is wrong because nobody wrote it, in a trial that better code would take for endless; waits for copies
// in a helper, and barriers about them.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace wl::diagnosis {
namespace {

using nlohmann::json;

const std::string kKernel = "tests/kernels/search/nearest";

json first_of(const char* fault) {
    const test::Said said = test::warplens(
        {"diagnose", test::source_path(kKernel + ".toml"), "--fault", fault, "--search", "300", "--json"}
    );
    return json::parse(said.out).at("findings").at(0);
}

int line_of(const char* text) {
    const std::string place = test::source_place(kKernel + ".cu", text);
    return std::stoi(place.substr(place.rfind(':') + 1));
}

TEST(Nearest, TheRightKernelHasNoFindings) {
    const std::string toml = test::source_path(kKernel + ".toml");
    EXPECT_EQ(json::parse(test::warplens({"diagnose", toml, "--json"}).out).at("verdict"), "ok");
}

// Two statements at once, which are compiled on their own, and with less effort than what a trial was
// measured on.
TEST(Nearest, WhatSeveralStatementsLackIsProven) {
    const json first = first_of("centre");
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_EQ(first.at("where").at("line"), line_of("across = 1.0f * x / w"));
    EXPECT_EQ(first.value("title", "").rfind("`x` should be `(x + 0.5f)`, and at line ", 0), 0U)
        << first.dump(1);
}

// The line of the constant has no code.
TEST(Nearest, AConstantThatALoopEndsAtIsSuspected) {
    const json first = first_of("tail");
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_EQ(first.at("where").at("line"), line_of("here = kTile;"));
    EXPECT_EQ(first.at("title"), "`kTile` should be `min(kTile, count - first)`");
}

TEST(Nearest, AWaitIsToldWithTheCallThatGivesItsCount) {
    const json first = first_of("wait"), &where = first.at("where");
    EXPECT_EQ(first.at("rule"), "async_copy_wait") << first.dump(1);
    EXPECT_EQ(where.at("line"), line_of("cp.async.wait_group"));
    ASSERT_TRUE(where.contains("inlined_at")) << first.dump(1);
    EXPECT_EQ(where.at("inlined_at").at(0).at("line"), line_of("wait<2>();"));
}

// Behind the wait, not in the function that copies.
TEST(Nearest, ABarrierBelongsBehindTheWait) {
    const json first = first_of("order");
    EXPECT_EQ(first.at("rule"), "race_shared") << first.dump(1);
    const int line = first.at("evidence").value("barrier_line", 0),
              wait = line_of("#elif defined(WL_FAULT_ORDER)") + 2;
    EXPECT_GE(line, wait) << first.dump(1);
    EXPECT_LE(line, wait + 8) << first.dump(1);
}

}  // namespace
}  // namespace wl::diagnosis
