// foreign_input and missing_input: which inputs a wrong element depends on against its reference, and the
// line at which one comes in or stays away.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <utility>

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
    const char *kernel, *name, *rule, *line, *title, *says;
};

struct Inputs : testing::TestWithParam<Fault> {};

TEST_P(Inputs, AreNamedWithTheLineAtWhichTheyComeInOrStayAway) {
    const Fault& fault = GetParam();
    const json answer = diagnosed(fault.kernel, fault.name);
    ASSERT_EQ(answer.at("verdict"), "findings");
    const json& first = answer.at("findings")[0];
    EXPECT_EQ(first.at("rule"), fault.rule) << first.dump(1);
    EXPECT_EQ(first.at("evidence_kind"), "witness");
    const std::string at =
        first.at("where").value("file", "") + ":" + std::to_string(first.at("where").value("line", 0));
    EXPECT_EQ(at, source_place("tests/kernels/inputs/" + std::string(fault.kernel) + ".cu", fault.line))
        << first.dump(1);
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
            "rows",
            "carried",
            "foreign_input",
            "c < length[row]; ++c) sum += x[row * cols + c]",
            "sums[1] depends on x[0,0], and its reference does not",
            "It is part of sums[0], as it should be"},
        Fault{
            "rows",
            "padding",
            "foreign_input",
            "c < cols; ++c) sum",
            "sums[0] depends on x[0,7], and its reference does not",
            "reads it: the index, or the bound or guard that lets it read, is wrong."},
        Fault{
            "rows",
            "packed",
            "foreign_input",
            "x[row * length[row] + c]",
            "sums[1] depends on x[0,3], and its reference does not",
            "It lacks x[1,0], on which its reference depends: x[0,3] lies at (-1, +3) from it."},
        Fault{
            "rows",
            "beside",
            "foreign_input",
            "turned[k] = tile[row][c ^ 1]",
            "turned[0,0] depends on x[0,1], and its reference does not",
            "The block needs it for other elements. It is put away at "},
        Fault{
            "rows",
            "early",
            "missing_input",
            "c < length[row] - 1; ++c) sum",
            "sums[0] does not depend on x[0,6], and its reference does",
            "Nobody reads it for the element: the read of x that lies nearest"},
        Fault{
            "rows",
            "lost",
            "missing_input",
            "turned[k] = row == 5",
            "turned[0,5] does not depend on x[5,0], and its reference does",
            "and does not come as far as the element"},
        Fault{
            "picks",
            "early",
            "missing_input",
            "best = row[c]",
            "place[13] does not depend on x[13,8], and its reference does",
            "Nobody reads it for the element"}
    ),
    [](const auto& each) { return std::string(each.param.kernel) + "_" + each.param.name; }
);

TEST(Inputs, OfARightKernelNothingIsSaid) {
    for (const char* kernel : {"rows", "gates", "picks"}) {
        const json answer = diagnosed(kernel, "");
        EXPECT_EQ(answer.at("verdict"), "ok") << answer.dump(1);
    }
}

// A factor and a number that is added change no dependence. Nor does what hides it: a gate that is shut with
// other inputs, another block's part of a sum, the zeros that the sum begins with; nor that it is compared
// only.
TEST(Inputs, NothingIsSaidWhereAnElementDependsOnWhatItShould) {
    const std::pair<const char*, const char*> faults[] = {
        {"rows",  "factor"},
        {"gates", "offset"},
        {"gates", "root"  },
        {"picks", "more"  }
    };
    for (const auto& [kernel, fault] : faults) {
        const json answer = diagnosed(kernel, fault);
        EXPECT_EQ(answer.at("findings")[0].at("rule"), "values_differ") << answer.dump(1);
    }
}

json why(const std::string& fault, const std::string& output, const std::string& element) {
    const Said said = warplens(
        {"why",
         source_path("tests/kernels/inputs/rows.toml"),
         "--fault",
         fault,
         "--tile",
         output,
         "--element",
         element,
         "--json"}
    );
    return json::parse(said.out, nullptr, false);
}

// Line 6 brings it, and rightly: it is marked where it goes on.
TEST(Inputs, WhyMarksTheLineAtWhichTheyComeIn) {
    const json answer = why("carried", "sums", "0,1");
    const std::string place =
        source_place("tests/kernels/inputs/rows.cu", "c < length[row]; ++c) sum += x[row * cols + c]");
    for (const json& l : answer.at("lines")) {
        const std::string at = l.at("file").get<std::string>() + ":" + l.at("line").dump();
        EXPECT_EQ(l.at("misled").get<bool>(), at == place) << at;
    }
    const json& in = answer.at("evidence").at("entrances").at(0);
    EXPECT_EQ(in.at("kind"), "kept");
    EXPECT_EQ(in.at("of").at("element"), (json{0, 0}));
}

TEST(Inputs, WhyTellsWhereWhatIsTakenWasPut) {
    const json answer = why("beside", "turned", "0,0");
    const json& in = answer.at("evidence").at("entrances").at(0);
    EXPECT_EQ(in.at("kind"), "handed");
    EXPECT_EQ(
        in.at("file").get<std::string>() + ":" + in.at("line").dump(),
        source_place("tests/kernels/inputs/rows.cu", "turned[k] = tile[row][c ^ 1]")
    );
    EXPECT_EQ(
        in.at("put").at("file").get<std::string>() + ":" + in.at("put").at("line").dump(),
        source_place("tests/kernels/inputs/rows.cu", "tile[k / cols][k % cols] = x[k]")
    );
}

}  // namespace
}  // namespace wl::test
