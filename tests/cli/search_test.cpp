// The search for a change that mends: what it names in a kernel that no rule knows, and what it says in vain.
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

std::string kernel() { return source_path("tests/kernels/search/centre.toml"); }

// Long enough on a busy machine: the search ends with its first proof.
json searched(const std::string& fault) {
    std::vector<std::string> words = {"diagnose", kernel(), "--search", "300", "--json"};
    if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
    return json::parse(warplens(words).out, nullptr, false);
}

struct Fault {
    const char *name, *line, *rule, *title;
};

struct Search : testing::TestWithParam<Fault> {};

TEST_P(Search, NamesTheLineAndTheChange) {
    const Fault& fault = GetParam();
    const json answer = searched(fault.name);
    ASSERT_EQ(answer.at("verdict"), "findings");
    const json& first = answer.at("findings")[0];
    const std::string at =
        first.at("where").value("file", "") + ":" + std::to_string(first.at("where").value("line", 0));
    EXPECT_EQ(at, source_place("tests/kernels/search/centre.cu", fault.line));
    EXPECT_EQ(first.at("rule"), fault.rule);
    EXPECT_EQ(first.at("title"), fault.title);
    EXPECT_EQ(first.at("proven"), true);
    const std::string proof = first.at("proof");
    EXPECT_NE(proof.find("with another seed"), std::string::npos) << proof;
    EXPECT_NE(proof.find("0 of 900"), std::string::npos) << "all blocks: " << proof;
    for (size_t k = 1; k < answer.at("findings").size(); ++k)
        EXPECT_EQ(answer.at("findings")[k].at("caused_by"), 0) << "gone with the change";
}

INSTANTIATE_TEST_SUITE_P(
    Centre,
    Search,
    testing::Values(
        Fault{"axis", "row = blockIdx.y", "wrong_index", "`blockIdx.y` should be `blockIdx.x`"},
        Fault{"index", "x[row * rows + c]", "wrong_index", "`rows` should be `cols`"},
        Fault{"lost", "        sum = x[row", "partial_reduction", "`sum = ...` should be `sum += ...`"},
        Fault{"last", "step > 1", "boundary_off_by_one", "`>` should be `>=`"},
        Fault{"half", "step = 16", "wrong_constant", "`16` should be `32`"},
        Fault{"sign", "+ mean) * scale", "wrong_operation", "`+` should be `-`"},
        Fault{"scale", "c] - mean;", "missing_rescale", "`v = ...` should be `v = ... * scale`"}
    ),
    [](const auto& each) { return std::string(each.param.name); }
);

TEST(Search, ARightKernelIsNotSearched) {
    const json clean = searched("");
    EXPECT_EQ(clean.at("verdict"), "ok");
    EXPECT_TRUE(clean.at("findings").empty());
}

TEST(Search, WhatNoSmallChangeMendsIsSaidAndNothingIsClaimed) {
    const json answer = searched("two");
    const json& first = answer.at("findings")[0];
    EXPECT_EQ(first.at("rule"), "values_differ");
    EXPECT_EQ(first.at("proven"), false);
    const std::string said = first.at("explanation");
    EXPECT_NE(said.find("small changes of the program"), std::string::npos) << said;
    EXPECT_NE(said.find("none mends it"), std::string::npos) << said;
}

TEST(Search, IsMadeOnlyWhenAskedFor) {
    const Said said = warplens({"diagnose", kernel(), "--fault", "sign", "--json"});
    EXPECT_EQ(json::parse(said.out).at("findings")[0].at("rule"), "values_differ");
}

}  // namespace
}  // namespace wl::test
