// The search where a kernel is more than one file, and where its blocks are long.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

struct Fault {
    const char *name, *line, *rule, *title;
};

// ---- a smaller shape

// Blocks of 614400 columns take some 300000 warp instructions: changes are tried with as few columns as show
// the symptom, and proven with all.
TEST(Smaller, ChangesAreTriedWhereTheSymptomShowsAndProvenWhereItWasSeen) {
    const auto first = [](const char* fault) {
        const std::string toml = source_path("tests/kernels/search/shifted.toml");
        const std::string said =
            warplens({"diagnose", toml, "--preset", "long", "--fault", fault, "--search", "300", "--json"})
                .out;
        return json::parse(said, nullptr, false).at("findings")[0];
    };
    const json warp = first("warp"), far = first("far");
    EXPECT_EQ(warp.at("title"), "`>` should be `>=`");
    const std::string near_proof = warp.at("proof"), far_proof = far.at("proof");
    EXPECT_NE(near_proof.find("0 of 614400 elements of block"), std::string::npos) << near_proof;
    EXPECT_NE(near_proof.find("; found with ROWS = 1, COLS = 19200"), std::string::npos) << near_proof;
    EXPECT_EQ(far.at("proven"), true) << far.dump(1);
    EXPECT_EQ(far.at("where").at("line"), 11) << far.dump(1);
    EXPECT_NE(far_proof.find("0 of 614400 elements of block"), std::string::npos) << far_proof;
    EXPECT_NE(far_proof.find("; found with ROWS = 1, COLS = 76800"), std::string::npos)
        << "65536 are too few: " << far_proof;
}

// A loop that ends after a few turns is no measure of what a right program takes.
TEST(Longer, AChangeThatDoesManyTimesTheWorkIsTriedToItsEnd) {
    const std::string toml = source_path("tests/kernels/search/longer.toml");
    const std::string said = warplens({"diagnose", toml, "--fault", "end", "--search", "300", "--json"}).out;
    const json first = json::parse(said, nullptr, false).at("findings")[0];
    EXPECT_EQ(first.at("title"), "`shown` should be `n`") << first.dump(1);
    EXPECT_EQ(first.at("proven"), true);
}

// ---- what the wrong element alone came through

// Every block of the blur makes its first column of a neighbour's, which is one too far right. All other
// columns are right: what they came through too is tried later. Without them 1749 changes are tried before
// the right one.
TEST(Apart, TheLineThatOnlyTheWrongElementCameThroughIsTriedFirst) {
    const TemporaryFolder folder;
    std::string manifest = read_file(source_path("bench/first_cause/blur.toml"));
    const std::string columns = "COLUMNS = 256";  // a multiple of 64: other sizes are none of the kernel's
    ASSERT_NE(manifest.find(columns), std::string::npos);
    manifest.replace(manifest.find(columns), columns.size(), "TILES = 4\nCOLUMNS = \"64 * TILES\"");
    write_file(folder.path + "/blur.toml", manifest);
    write_file(folder.path + "/blur.py", read_file(source_path("bench/first_cause/blur.py")));
    std::string source = read_file(source_path("bench/first_cause/blur.cu"));
    const std::string right = "first > 0 ? first - 1 : 0";
    ASSERT_NE(source.find(right), std::string::npos);
    source.replace(source.find(right), right.size(), "first > 0 ? first : 0");
    write_file(folder.path + "/blur.cu", source);
    const std::string toml = folder.path + "/blur.toml";
    const Said said = warplens({"diagnose", toml, "--search", "300", "--threads", "1", "--json"});
    const json first = json::parse(said.out, nullptr, false).at("findings")[0];
    EXPECT_EQ(first.at("title"), "`first` should be `first - 1`");
    EXPECT_EQ(first.at("where").at("line"), 9) << first.dump(1);
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_LT(first.at("evidence").at("tried"), 900) << first.dump(1);
}

// ---- headers of the kernel's own

struct InHeader : testing::TestWithParam<Fault> {};

TEST_P(InHeader, TheLineIsTheHeadersAndThePatchIsOfIt) {
    const Fault& fault = GetParam();
    const std::string toml = source_path("tests/kernels/search/shifted.toml");
    const json answer = json::parse(
        warplens({"diagnose", toml, "--fault", fault.name, "--search", "300", "--json"}).out, nullptr, false
    );
    const json& first = answer.at("findings")[0];
    EXPECT_EQ(first.at("title"), fault.title);
    EXPECT_EQ(first.at("rule"), fault.rule);
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    const std::string file = first.at("where").value("file", "");
    const std::string at = file + ":" + std::to_string(first.at("where").value("line", 0));
    const std::string header = std::string("tests/kernels/search/parts/") + fault.name + ".cuh";
    EXPECT_EQ(at, source_place(header, fault.line));
    const std::string patch = answer.value("patch", "");
    EXPECT_EQ(patch.find("--- a/" + file), 0u) << patch;
    EXPECT_EQ(patch.find("--- a/", 1), std::string::npos) << "of one file: " << patch;
    EXPECT_NE(patch.find(fault.line), std::string::npos) << patch;
}

INSTANTIATE_TEST_SUITE_P(
    Shifted,
    InHeader,
    testing::Values(
        Fault{"warp", "step > 1", "boundary_off_by_one", "`>` should be `>=`"},
        Fault{"sum", "int w = 1", "wrong_initial_value", "`1` should be `0`"}
    ),
    [](const auto& each) { return std::string(each.param.name); }
);

TEST(Try, AnIdeaNamesAHeaderOfTheKernels) {
    const std::string toml = source_path("tests/kernels/search/shifted.toml");
    const auto said = [&](const std::string& idea) {
        return warplens({"diagnose", toml, "--fault", "sum", "--search", "0", "--json", "--try", idea});
    };
    const json first = json::parse(said("sum.cuh:12: 1 -> 0").out, nullptr, false).at("findings")[0];
    EXPECT_EQ(first.at("rule"), "tried_change");
    EXPECT_EQ(first.at("proven"), true);
    const Said wrong = said("sam.cuh:12: 1 -> 0");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("parts/warp.cuh"), std::string::npos) << "what there is: " << wrong.err;
}

}  // namespace
}  // namespace wl::test
