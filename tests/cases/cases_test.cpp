// Kinds of faults that people reported, rebuilt small: the broken kernel has its verdict, rule and line, and
// the right one none.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

int line_of(const std::string& file, const std::string& mark) {
    const std::string place = source_place(file, mark);
    return std::stoi(place.substr(place.rfind(':') + 1));
}

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
        Case{"edges", "else", "divergent_barrier"},
        Case{"edges", "turns", "divergent_barrier"},
        Case{"teams", "strange", "shuffle_misuse"},
        Case{"mailbox", "once", "race_global"},
        Case{"rounds", "missed", "deadlock"},
        Case{"stages", "parity", "deadlock"}
    ),
    [](const auto& each) { return std::string(each.param.kernel) + "_" + each.param.fault; }
);

// Who waits for what, and what is there.
TEST(Deadlock, SaysWhatIsPolledAndWhatItHolds) {
    const json answer = diagnosed("rounds", "missed");
    const std::string text = answer.at("findings").at(0).at("explanation");
    EXPECT_NE(text.find(" bytes at global come address 0x"), std::string::npos) << text;
    EXPECT_NE(text.find(", which hold "), std::string::npos) << text;
}

TEST(Deadlock, SaysWhichBlocksWaitWhere) {
    const auto line = [](const char* mark) {
        return std::to_string(line_of("tests/kernels/cases/rounds.cu", mark));
    };
    const json answer = diagnosed("rounds", "apart");
    const std::string text = answer.at("findings").at(0).at("explanation");
    const std::string wanted = "; in line " + line("// here: apart") + " blocks 0, 2; in line " +
        line("// and here") + " blocks 1, 3";
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
}

TEST(Deadlock, NamesTheMbarrierAndItsPhase) {
    const json answer = diagnosed("stages", "parity");
    const std::string text = answer.at("findings").at(0).at("explanation");
    EXPECT_NE(text.find("waits at the mbarrier full[0] at shared address 0x"), std::string::npos) << text;
    EXPECT_NE(text.find("(its phase 2, of parity 0, lacks 32 of 32 arrivals and 0 bytes)"), std::string::npos)
        << text;
}

// An index that 32 bits do not hold.
TEST(OutOfBounds, NamesWhatOverflows) {
    const json found = diagnosed("resample", "narrow").at("findings").at(0);
    EXPECT_EQ(found.at("rule"), "out_of_bounds");
    const std::string text = found.at("explanation");
    const std::string wanted =
        "resample.cu:" + std::to_string(line_of("tests/kernels/cases/resample.cu", "// here: narrow")) +
        " (`const int at = i * step / 1000000;`) a number of 32 bits overflows: 859 * 2500000 = 2147500000, "
        "of which -2147467296 is left.";
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
}

// What a person tries is judged by it.
TEST(PartExited, IsGoneWithABarrierThatAllReach) {
    const auto tried = [](const char* change) {
        const int line = line_of("tests/kernels/cases/edges.cu", "t % 4 == 0");
        const std::string kernel = source_path("tests/kernels/cases/edges.toml");
        return warplens({"diagnose", kernel, "--fault", "else", "--try", std::to_string(line) + ": " + change}
        )
            .out;
    };
    const std::string all = tried("t % 4 == 0 -> t >= 0"), still = tried("4 -> 2");
    EXPECT_NE(all.find("[1] tried_change mends"), std::string::npos) << all;
    EXPECT_EQ(still.find("tried_change"), std::string::npos) << still;
}

struct RightTwins : testing::TestWithParam<const char*> {};

TEST_P(RightTwins, HaveNoFinding) {
    const json answer = diagnosed(GetParam(), "");
    EXPECT_EQ(answer.value("verdict", ""), "ok") << answer;
}

INSTANTIATE_TEST_SUITE_P(
    Reported,
    RightTwins,
    testing::Values("ring", "edges", "leaves", "teams", "mailbox", "rounds", "stages", "resample"),
    [](const auto& each) { return std::string(each.param); }
);

}  // namespace
}  // namespace wl::test
