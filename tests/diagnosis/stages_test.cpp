// Faults in a sequence of launches whose results nobody compares until the last one.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wl::test {
namespace {

using nlohmann::json;

const std::string kSource = "tests/kernels/search/stages.cu";

json first_of(const std::string& fault, const std::vector<std::string>& search) {
    std::vector<std::string> words = {
        "diagnose", source_path("tests/kernels/search/stages.toml"), "--fault", fault, "--json"};
    words.insert(words.end(), search.begin(), search.end());
    return json::parse(warplens(words).out).at("findings").at(0);
}

// A person's own change of the line that says `at`.
json tried(const std::string& fault, const char* at, const char* change) {
    const std::string place = source_place(kSource, at), line = place.substr(place.rfind(':') + 1);
    return first_of(fault, {"--search", "0", "--try", line + ": " + change});
}

struct Early {
    const char *fault, *line, *rule, *title;
};
struct Stages : testing::TestWithParam<Early> {};

TEST_P(Stages, ALaunchBeforeTheWrongOneIsNamed) {
    const Early& each = GetParam();
    const json first = first_of(each.fault, {"--search", "300"});
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_EQ(first.at("rule"), each.rule) << first.dump(1);
    EXPECT_EQ(first.value("title", "").rfind(each.title, 0), 0U) << first.dump(1);
    const json& at = first.at("where");
    EXPECT_EQ(
        at.value("file", "") + ":" + std::to_string(at.value("line", 0)), source_place(kSource, each.line)
    );
}

INSTANTIATE_TEST_SUITE_P(
    Search,
    Stages,
    testing::Values(
        // in a function that two launches call: changed in one of them alone it mends nothing
        Early{"soft", "return v * (1.0f", "wrong_operation", "`*` should be `/`"},
        Early{"row", "raw[i * 3 + axis]", "wrong_index", "`i * 3 + axis` should be `axis * n + i`"},
        // wrong at three places that read alike
        Early{"axes", "d.x -= box * floorf", "wrong_operation", "`floorf` should be `rintf`, and at line "},
        Early{"twice", "sums[i] = sum + sum;", "double_count", "`sum + sum` should be `sum`"},
        // what mends the last launch alone, `(blockIdx.x + 2)`, lets two blocks of an earlier one write the
        // same
        Early{"blocks", "const int each = n /", "boundary_off_by_one", "`n / gridDim.x` should be `(n + "}
    )
);

TEST(Stages, ARightSequenceIsNotSearched) {
    const std::string toml = source_path("tests/kernels/search/stages.toml");
    EXPECT_EQ(json::parse(warplens({"diagnose", toml, "--json"}).out).at("verdict"), "ok");
}

// What makes one launch right leaves the next one wrong: it is no cause, whoever has the idea.
TEST(Stages, WhatMendsOneLaunchAloneIsRefuted) {
    const json first = tried("twice", "out[i] = by * sums[i]", "by * -> by * 0.5f *");
    EXPECT_EQ(first.at("proven"), false) << first.dump(1);
    const std::string why = first.value("explanation", "");
    EXPECT_NE(
        why.find("it mends this launch, but after all 4 launches 75 of 150 elements are wrong"),
        std::string::npos
    ) << why;
}

// A person's own change is made in every launch, too.
TEST(Stages, AnIdeaIsTriedInAllLaunches) {
    const json first = tried("soft", "return v * (1.0f", "v * -> v /");
    EXPECT_EQ(first.at("rule"), "tried_change") << first.dump(1);
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
}

// At the shape of the manifest, and at one twice as large.
TEST(Stages, WhatIsProvenIsTriedAtTwoOtherShapes) {
    const json first = first_of("blocks", {"--search", "300", "--set", "N=77"});
    const std::string proof = first.value("proof", "");
    EXPECT_NE(proof.find("; with the shape without a preset 0 of 150"), std::string::npos) << proof;
    EXPECT_NE(proof.find("; with N = 154 0 of 308"), std::string::npos) << proof;
}

// With 77 points one is left of blocks of 19, and `<=` takes it; of 75 three are.
TEST(Stages, AnotherShapeRefutesWhatMendsThisOneAlone) {
    const std::string place = source_place(kSource, "i < min((blockIdx.x + 1)");
    const std::string line = place.substr(place.rfind(':') + 1);
    const json first = first_of("blocks", {"--search", "0", "--set", "N=77", "--try", line + ": < -> <="});
    const std::string why = first.value("explanation", "");
    EXPECT_NE(why.find("with the shape without a preset 4 of 150 elements are outside"), std::string::npos)
        << why;
}

// The first launch only left what the others, which go astray, should have changed.
TEST(Stages, AFaultBehindTheFirstWrongLaunchIsSearchedByWhatTheEndSays) {
    const std::string kernel = source_path("tests/kernels/search/frontier.toml");
    EXPECT_EQ(json::parse(warplens({"diagnose", kernel, "--json"}).out).at("verdict"), "ok");
    const json all =
        json::parse(warplens({"diagnose", kernel, "--fault", "half", "--search", "300", "--json"}).out)
            .at("findings");
    EXPECT_EQ(all.at(0).at("proven"), true) << all.dump(1);
    const json& at = all.at(0).at("where");
    EXPECT_EQ(
        at.value("file", "") + ":" + std::to_string(at.value("line", 0)),
        source_place("tests/kernels/search/frontier.cu", "queue + (level & 1) * n;  // its own")
    );
    for (size_t k = 1; k < all.size(); ++k) EXPECT_EQ(all.at(k).at("caused_by"), 0) << all.at(k).dump(1);
}

}  // namespace
}  // namespace wl::test
