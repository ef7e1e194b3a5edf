// Statements that a kernel lacks, told by the search: what it would be right with, and where.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

std::string kernel(const char* name) {
    return source_path(std::string("tests/kernels/search/") + name + ".toml");
}

json first_of(const char* name, const char* fault) {
    const Said said = warplens({"diagnose", kernel(name), "--fault", fault, "--search", "300", "--json"});
    return json::parse(said.out).at("findings").at(0);
}

// Of the right kernel.
std::string verdict_of(const char* name) {
    return json::parse(warplens({"diagnose", kernel(name), "--json"}).out).at("verdict");
}

struct LeftOut {
    const char *fault, *title, *line;
};

struct Lines : testing::TestWithParam<LeftOut> {};

// Within two lines of where the right kernel has it.
TEST_P(Lines, WhatIsLeftOutIsTold) {
    const LeftOut& each = GetParam();
    const json first = first_of("smooth", each.fault);
    EXPECT_EQ(first.at("title"), each.title);
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    const std::string right = source_place("tests/kernels/search/smooth.cu", each.line);
    const int wanted = std::stoi(right.substr(right.rfind(':') + 1));
    EXPECT_NEAR(first.at("where").value("line", 0), wanted, 2) << first.dump(1);
}

INSTANTIATE_TEST_SUITE_P(
    Search,
    Lines,
    testing::Values(
        // Its sums are atomic and of shared memory, which a build that optimises less hides.
        LeftOut{"half", "`8` should be `16`", "int o = 8"},
        LeftOut{"kept", "`own[t] = value;` is missing", "own[t] = value;"},
        // `<=` mends as well, and not where rows and turns are twice as many.
        LeftOut{"turns", "`gridDim.x` should be `turns`", "k < gridDim.x"},
        LeftOut{"state", "`v_out[at] = vi;` is missing", "v_out[at] = vi;"}
    )
);

// Differences are of finite values: what is infinite is counted beside them.
TEST(Lines, InfiniteValuesAreCounted) {
    const std::string toml = kernel("smooth");
    const std::string said = warplens({"diagnose", toml, "--fault", "zero", "--search", "0"}).out;
    const json json_said =
        json::parse(warplens({"diagnose", toml, "--fault", "zero", "--search", "0", "--json"}).out);
    const std::string why = json_said.at("findings").at(0).value("explanation", "");
    EXPECT_NE(why.find("but for 2 infinite values"), std::string::npos) << why;
    EXPECT_NE(why.find("no finite element is wrong"), std::string::npos) << why;
    EXPECT_NE(said.find("; 2 infinite; 0 NaN"), std::string::npos) << said;
}

// With the right list the block has nothing to do: that is no way around, as others do it.
TEST(Lines, WhatOtherBlocksExecuteIsNotLeftOut) {
    EXPECT_EQ(verdict_of("whole/lists"), "ok");
    const json first = first_of("whole/lists", "list");
    EXPECT_EQ(first.at("title"), "`y` should be `x`") << first.dump(1);
    EXPECT_EQ(first.at("proven"), true);
}

TEST(Lines, NothingIsMissingInTheRightKernel) { EXPECT_EQ(verdict_of("smooth"), "ok"); }

// Lanes of the last step read others that take no part: without harm in the right kernel, and so in what
// mends this.
TEST(Lines, AShuffleThatDoesNoHarmIsNoFaultOfWhatMends) {
    EXPECT_EQ(verdict_of("tail_lanes"), "ok");
    const json first = first_of("tail_lanes", "scale");
    EXPECT_EQ(first.at("rule"), "missing_rescale") << first.dump(1);
    EXPECT_EQ(first.at("proven"), true);
}

}  // namespace
}  // namespace wl::test
