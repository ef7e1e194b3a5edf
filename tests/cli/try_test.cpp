// Changes that somebody asks for, and the patch of one that mends.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

std::string kernel() { return source_path("tests/kernels/search/centre.toml"); }

std::string line_of_sign() {
    const std::string place = source_place("tests/kernels/search/centre.cu", "+ mean) * scale");
    return place.substr(place.rfind(':') + 1);
}

Said tried(const std::string& idea) {
    return warplens(
        {"diagnose", kernel(), "--fault", "sign", "--search", "0", "--try", idea}, {"COLUMNS=200"}
    );
}

TEST(Try, AnIdeaThatMendsIsProven) {
    const Said said = tried(line_of_sign() + ": + mean -> - mean");
    EXPECT_NE(said.out.find("[1] tried_change proven"), std::string::npos) << said.out << said.err;
    EXPECT_NE(said.out.find("`+ mean` should be `- mean`"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("- const float v = (x[row * cols + c] + mean) * scale;"), std::string::npos)
        << said.out;
    EXPECT_NE(said.out.find("+ const float v = (x[row * cols + c] - mean) * scale;"), std::string::npos)
        << said.out;
}

TEST(Try, OneThatDoesNotIsSaidToLeaveWhatWrong) {
    const std::string idea = line_of_sign() + ": mean -> scale";
    const Said said = tried(idea);
    EXPECT_EQ(said.status, 1);
    EXPECT_NE(said.out.find("[1] values_differ witness"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("`" + idea + "` does not mend it: 150 of 150 elements"), std::string::npos)
        << said.out;
}

// A race that is proven by itself is a cause whatever somebody tries.
TEST(Try, EveryIdeaIsAnsweredBesideAProvenRace) {
    const Said said = warplens(
        {"diagnose",
         source_path("tests/kernels/hazards/turn.toml"),
         "--fault",
         "raw",
         "--search",
         "0",
         "--json",
         "--try",
         "17: -> __syncthreads();",
         "--try",
         "17: opposite -> i",
         "--try",
         "13: value -> 2 * value"}
    );
    const json findings = json::parse(said.out).at("findings");
    ASSERT_EQ(findings.size(), 3U) << said.out;
    EXPECT_EQ(findings[0].at("rule"), "race_shared");
    EXPECT_TRUE(findings[0].at("proven")) << findings[0];
    for (const json& f : findings) EXPECT_FALSE(f.contains("caused_by")) << f;
    EXPECT_EQ(findings[1].at("title"), "`__syncthreads();` is missing");
    EXPECT_EQ(findings[2].at("title"), "`opposite` should be `i`");
    const std::string text = findings[0].at("explanation");
    EXPECT_NE(
        text.find("`13: value -> 2 * value` does not mend it: with all checks there still is race_shared"),
        std::string::npos
    ) << text;
    const std::string proof = findings[1].at("proof");
    EXPECT_NE(proof.find("no value was compared with a reference"), std::string::npos) << proof;
    EXPECT_FALSE(findings[1].at("proven"));
}

TEST(Try, WhereNothingIsWrongThatIsSaid) {
    const Said said = warplens(
        {"diagnose",
         source_path("tests/kernels/hazards/turn.toml"),
         "--search",
         "0",
         "--try",
         "17: opposite -> i"}
    );
    EXPECT_EQ(said.status, 0);
    EXPECT_NE(
        said.out.find("--try 17: opposite -> i: nothing is wrong that it could mend"), std::string::npos
    ) << said.out;
}

TEST(Try, AWordIsNoPartOfAnother) {
    const Said said = tried(line_of_sign() + ": mea -> sum");
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("does not say `mea`; it is `const float v"), std::string::npos) << said.err;
}

TEST(Try, ALineBehindTheEndIsSaidToBeNone) {
    const Said said = tried("999: mean -> sum");
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("does not say `mean`; it has "), std::string::npos) << said.err;
    EXPECT_NE(said.err.find(" lines"), std::string::npos) << said.err;
}

TEST(Try, WhatIsNoIdeaIsRefusedWithTheForm) {
    for (const char* idea : {"mean", "x: a -> b", "12: a", "12: ->"}) {
        const Said said = tried(idea);
        EXPECT_EQ(said.status, 2) << idea;
        EXPECT_NE(said.err.find("57: < -> <="), std::string::npos) << said.err;
    }
}

// ---- the patch

TEST(Suggest, ThePatchMakesTheSourceRight) {
    const TemporaryFolder folder;
    for (const char* name : {"centre.cu", "centre.toml", "centre.py"})
        write_file(
            folder.path + "/" + name, read_file(source_path(std::string("tests/kernels/search/") + name))
        );
    const std::string toml = folder.path + "/centre.toml", patch = folder.path + "/mend.patch";
    const Said said = warplens({"diagnose", toml, "--fault", "lost", "--search", "300", "--suggest", patch});
    EXPECT_EQ(said.status, 1) << said.err;
    const std::string text = read_file(patch);
    EXPECT_NE(
        text.find("-        sum = x[row * cols + c];\n+        sum += x[row * cols + c];"), std::string::npos
    ) << text;
    std::string source = read_file(folder.path + "/centre.cu");
    const std::string wrong = "        sum = x[row * cols + c];";
    source.replace(source.find(wrong), wrong.size(), "        sum += x[row * cols + c];");
    write_file(folder.path + "/centre.cu", source);
    EXPECT_EQ(warplens({"diagnose", toml, "--fault", "lost"}).status, 0) << "as the patch has it";
}

TEST(Suggest, WithoutAMendThereIsNoFileAndAWord) {
    const TemporaryFolder folder;
    const std::string patch = folder.path + "/mend.patch";
    const Said said =
        warplens({"diagnose", kernel(), "--fault", "sign", "--search", "0", "--suggest", patch});
    EXPECT_EQ(said.status, 1);
    EXPECT_NE(said.err.find("no patch for " + patch), std::string::npos) << said.err;
    EXPECT_EQ(read_file(patch), "");
}

}  // namespace
}  // namespace wl::test
