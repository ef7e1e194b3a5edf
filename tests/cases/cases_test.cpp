// Kinds of faults that people reported, rebuilt small: the broken kernel has its verdict, rule and line, and
// the right one none.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

json diagnosed(const std::string& kernel, const std::string& fault) {
    std::vector<std::string> words = {
        "diagnose", source_path("tests/kernels/cases/" + kernel + ".toml"), "--search", "0", "--json"};
    if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
    return json::parse(warplens(words).out, nullptr, false);
}

struct Case {
    const char *kernel, *fault, *rule;
};
struct Cases : testing::TestWithParam<Case> {};

TEST_P(Cases, TheFirstFindingIsOfItsRuleAtTheMarkedLine) {
    const Case& c = GetParam();
    const json answer = diagnosed(c.kernel, c.fault);
    ASSERT_EQ(answer.value("verdict", ""), "findings") << answer;
    const json& first = answer.at("findings").at(0);
    EXPECT_EQ(first.at("rule"), c.rule) << first;
    EXPECT_FALSE(first.contains("caused_by")) << first;
    const std::string at =
        first.at("where").value("file", "") + ":" + std::to_string(first.at("where").value("line", 0));
    const std::string source = std::string("tests/kernels/cases/") + c.kernel + ".cu";
    EXPECT_EQ(at, source_place(source, std::string("// here: ") + c.fault)) << first;
}

INSTANTIATE_TEST_SUITE_P(
    Reported,
    Cases,
    testing::Values(
        Case{"ring", "before", "race_shared"},
        Case{"ring", "inside", "divergent_barrier"},
        Case{"teams", "strange", "shuffle_misuse"},
        Case{"mailbox", "once", "race_global"},
        Case{"rounds", "missed", "deadlock"}
    ),
    [](const auto& each) { return std::string(each.param.kernel) + "_" + each.param.fault; }
);

struct RightTwins : testing::TestWithParam<const char*> {};

TEST_P(RightTwins, HaveNoFinding) {
    const json answer = diagnosed(GetParam(), "");
    EXPECT_EQ(answer.value("verdict", ""), "ok") << answer;
}

INSTANTIATE_TEST_SUITE_P(
    Reported,
    RightTwins,
    testing::Values("ring", "teams", "mailbox", "rounds"),
    [](const auto& each) { return std::string(each.param); }
);

}  // namespace
}  // namespace wl::test
