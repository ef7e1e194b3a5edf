// Two iterations side by side: the first tile that differs, by how much, and the lines that changed.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kSmall{"--shape", "1,1,128,64", "--threads", "1"};

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

json compare(const std::string& a, const std::string& b, int status) {
    const Said said = warplens(with({"compare", a, b, "--json"}, kSmall));
    EXPECT_EQ(said.status, status) << said.err;
    return said.out.empty() ? json() : json::parse(said.out);
}

TEST(Compare, AFaultIsFoundWhereItFirstShowsWithItsLine) {
    const json j = compare("v2c_3", "v2c_3+32x", 1);
    const json& first = j.at("first_difference");
    EXPECT_EQ(first.at("tile"), "l");
    EXPECT_EQ(first.at("iteration"), 0);
    EXPECT_EQ(first.at("stage"), "softmax");
    EXPECT_EQ(first.at("last_agreement").at("tile"), "P");
    EXPECT_NEAR(first.at("factor").at("b_over_a").get<double>(), 32, 1e-4);
    EXPECT_NEAR(first.at("a").get<double>(), first.at("reference").get<double>(), 1e-5);
    EXPECT_EQ(first.at("a_against_reference").at("bad"), 0);
    EXPECT_EQ(first.at("b_against_reference").at("bad"), 64);
    ASSERT_EQ(j.at("source").at("in_the_stage").size(), 1U);
    EXPECT_TRUE(j.at("source").at("elsewhere").empty());
    const std::string hunk = j.at("source").at("in_the_stage").at(0);
    EXPECT_NE(hunk.find("\n-        for (int key = lane; key < N; key += 32) l_add"), std::string::npos)
        << hunk;
    EXPECT_NE(hunk.find("\n+        for (int key = 0; key < N; ++key) l_add"), std::string::npos) << hunk;
}

// Of all tiles named l, those of the broken side alone are wrong, on whichever side it stands.
TEST(Compare, WrongTilesAreCountedForTheSideThatHasThem) {
    const auto bad_of = [](const json& j) {
        for (const json& tile : j.at("tiles"))
            if (tile.at("tile") == "l") return std::pair<int, int>(tile.at("bad_a"), tile.at("bad_b"));
        return std::pair(-1, -1);
    };
    EXPECT_EQ(bad_of(compare("v2c_3", "v2c_3+32x", 1)), std::pair(0, 4)) << "two blocks of two iterations";
    EXPECT_EQ(bad_of(compare("v2c_3+32x", "v2c_3", 1)), std::pair(4, 0));
}

TEST(Compare, TwoIterationsThatAreBothRightDifferByRoundingOnly) {
    const json j = compare("v2b", "v2c_3", 0);
    EXPECT_EQ(j.at("verdict"), "ok");
    EXPECT_TRUE(j.at("first_difference").is_null());
    for (const json& tile : j.at("tiles")) {
        EXPECT_GT(tile.at("pairs"), 0) << tile.dump();
        EXPECT_EQ(tile.at("differ"), 0) << tile.dump();
        EXPECT_EQ(tile.at("elsewhere"), 0) << tile.dump();
    }
    EXPECT_GT(j.at("tiles").at(0).at("rounding"), 0);
    EXPECT_FALSE(j.at("source").at("elsewhere").empty());
}

// The emulator's order of warps hides this race from the values; the findings tell.
TEST(Compare, ARaceThatChangesNoValueIsStillADifference) {
    const Said said = warplens(with({"compare", "v2c_3", "v2c_3+sync"}, kSmall));
    EXPECT_EQ(said.status, 1);
    for (const char* words :
         {"no difference beyond rounding",
          "findings of A: none",
          "race_shared: race on scores",
          "\n-        __syncthreads();\n+        __syncwarp();"})
        EXPECT_NE(said.out.find(words), std::string::npos) << words << "\n" << said.out;
}

TEST(Compare, TheStageOfAScoreIsTheOneThatComputedIt) {
    const json j = compare("v2c_3", "v2c_3+scale", 1);
    EXPECT_EQ(j.at("first_difference").at("tile"), "scores");
    EXPECT_EQ(j.at("first_difference").at("stage"), "scores");
    EXPECT_TRUE(j.at("first_difference").at("last_agreement").is_null());
    ASSERT_EQ(j.at("source").at("in_the_stage").size(), 1U);
    EXPECT_NE(
        j.at("source").at("in_the_stage").at(0).get<std::string>().find("+            score *= kScale;"),
        std::string::npos
    );
}

TEST(Compare, TilesOfOtherWindowsAreCountedApart) {
    const Said said =
        warplens(with({"compare", "v2b", "v2b", "--json", "--set", "N=32"}, kSmall));  // both: the same
    EXPECT_EQ(said.status, 0) << said.err;
    const TemporaryFolder folder;
    const std::string narrow = folder.path + "/narrow.wlcap";
    ASSERT_EQ(warplens(with({"run", "v2b", "--set", "N=32", "-o", narrow}, kSmall)).status, 0);
    const json j = compare("v2b", narrow, 0);
    bool apart = false;
    for (const json& tile : j.at("tiles")) {
        EXPECT_EQ(tile.at("differ"), 0) << tile.dump();
        if (tile.at("tile") == "l") apart = tile.at("elsewhere") > 0;
    }
    EXPECT_TRUE(apart) << "after 32 keys l is another sum than after 64";
}

TEST(Compare, CapturesAreComparedWithoutRunningAnything) {
    const TemporaryFolder folder;
    const std::string good = folder.path + "/good.wlcap", bad = folder.path + "/bad.wlcap";
    ASSERT_EQ(warplens(with({"run", "v2c_3", "-o", good}, kSmall)).status, 0);
    ASSERT_EQ(warplens(with({"run", "v2c_3+32x", "-o", bad}, kSmall)).status, 1);
    const json j = compare(good, bad, 1);
    EXPECT_EQ(j.at("first_difference").at("tile"), "l");
    EXPECT_EQ(j.at("b").at("faults"), json::array({"32x"}));
    const std::string other = folder.path + "/other.wlcap";
    ASSERT_EQ(warplens(with({"run", "v2c_3", "--seed", "9", "-o", other}, kSmall)).status, 0);
    const Said said = warplens({"compare", good, other});
    EXPECT_EQ(said.status, 2) << said.out;
    EXPECT_NE(said.err.find("same inputs"), std::string::npos) << said.err;
}

TEST(Compare, KernelsWithoutMarksAreComparedByTheirOutputs) {
    const std::string sums = source_path("tests/kernels/sequences/two_pass.toml");
    const Said same = warplens({"compare", sums, sums});
    EXPECT_EQ(same.status, 0) << same.err;
    const Said said = warplens({"compare", sums, sums + "+short"});
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_NE(said.out.find("first difference: output total, element [0,0]"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("+    s[t] = t + 1 < count ? parts[t] : 0.0f;"), std::string::npos) << said.out;
}

}  // namespace
}  // namespace wl::test
