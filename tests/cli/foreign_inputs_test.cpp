// foreign_input and missing_input: which inputs a wrong element depends on against its reference, and the
// line at which one comes in or stays away.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

json diagnosed(const std::string& kernel, const std::string& fault) {
    std::vector<std::string> words = {
        "diagnose", source_path("tests/kernels/inputs/" + kernel + ".toml"), "--search", "0", "--json"};
    if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
    return json::parse(warplens(words).out, nullptr, false);
}

struct Fault {
    const char *name, *rule, *line, *title, *says;
};

struct Inputs : testing::TestWithParam<Fault> {};

TEST_P(Inputs, AreNamedWithTheLineAtWhichTheyComeInOrStayAway) {
    const Fault& fault = GetParam();
    const json answer = diagnosed("rows", fault.name);
    ASSERT_EQ(answer.at("verdict"), "findings");
    const json& first = answer.at("findings")[0];
    EXPECT_EQ(first.at("rule"), fault.rule) << first.dump(1);
    EXPECT_EQ(first.at("evidence_kind"), "witness");
    const std::string at =
        first.at("where").value("file", "") + ":" + std::to_string(first.at("where").value("line", 0));
    EXPECT_EQ(at, source_place("tests/kernels/inputs/rows.cu", fault.line)) << first.dump(1);
    EXPECT_EQ(first.at("title"), fault.title);
    EXPECT_NE(first.at("explanation").get<std::string>().find(fault.says), std::string::npos)
        << first.dump(1);
    EXPECT_NE(first.at("proof").get<std::string>().find("changed from"), std::string::npos) << first.dump(1);
}

INSTANTIATE_TEST_SUITE_P(
    Rows,
    Inputs,
    testing::Values(
        Fault{
            "carried",
            "foreign_input",
            "c < length[row]; ++c) sum += x[row * cols + c]",
            "sums[1] depends on x[0,0], and its reference does not",
            "It is part of sums[0], as it should be"},
        Fault{
            "padding",
            "foreign_input",
            "c < cols; ++c) sum",
            "sums[0] depends on x[0,7], and its reference does not",
            "reads it: the index, or the bound or guard that lets it read, is wrong."},
        Fault{
            "packed",
            "foreign_input",
            "x[row * length[row] + c]",
            "sums[1] depends on x[0,3], and its reference does not",
            "It lacks x[1,0], on which its reference depends: x[0,3] lies at (-1, +3) from it."},
        Fault{
            "beside",
            "foreign_input",
            "turned[k] = tile[row][c ^ 1]",
            "turned[0,0] depends on x[0,1], and its reference does not",
            "The block needs it for other elements. It is put away at "},
        Fault{
            "early",
            "missing_input",
            "c < length[row] - 1; ++c) sum",
            "sums[0] does not depend on x[0,6], and its reference does",
            "Nobody reads it for the element: the last read of x"},
        Fault{
            "lost",
            "missing_input",
            "turned[k] = row == 5",
            "turned[0,5] does not depend on x[5,0], and its reference does",
            "and does not come as far as the element"}
    ),
    [](const auto& each) { return std::string(each.param.name); }
);

TEST(Inputs, OfARightKernelNothingIsSaid) {
    const json answer = diagnosed("rows", "");
    EXPECT_EQ(answer.at("verdict"), "ok") << answer.dump(1);
}

// The same inputs, and another formula.
TEST(Inputs, NothingIsSaidWhereAnElementDependsOnWhatItShould) {
    const json answer = diagnosed("rows", "factor");
    EXPECT_EQ(answer.at("findings")[0].at("rule"), "values_differ") << answer.dump(1);
}

}  // namespace
}  // namespace wl::test
