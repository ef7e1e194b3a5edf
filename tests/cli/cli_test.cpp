// The command line as people and scripts meet it: verbs, exit status, JSON, text.
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kSmall{"--shape", "1,1,128,64"};

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

TEST(Cli, KernelsListsFaultsAndPresets) {
    const Said said = warplens({"kernels"});
    EXPECT_EQ(said.status, 0);
    for (const char* word : {"v2b", "v2c_3", "--fault warp7", "--fault 32x", "mission_causal"})
        EXPECT_NE(said.out.find(word), std::string::npos) << word;
    const json list = json::parse(warplens({"kernels", "--json"}).out);
    EXPECT_GE(list.at("kernels").size(), 2U);
}

TEST(Cli, ACleanKernelExitsWithZeroAndSaysWhatWasCovered) {
    const Said said = warplens(with({"diagnose", "v2c_3", "-v"}, kSmall));
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_NE(said.out.find("ok: no findings"), std::string::npos);
    EXPECT_NE(said.out.find("2 of 2 blocks compared"), std::string::npos);
    EXPECT_NE(said.out.find("simulated"), std::string::npos);
}

TEST(Cli, TheThirtyTwoFoldBugIsNamedInWords) {
    const Said said = warplens(with({"diagnose", "v2c_3", "--fault", "32x"}, kSmall));
    EXPECT_EQ(said.status, 1) << said.err;
    for (const char* words :
         {"O is the reference / 32 in every element",
          "32 = warp size",
          "l is 32x the reference",
          "all 32 lanes already held",
          "kernels/v2c_3.cu:"}) {
        EXPECT_NE(said.out.find(words), std::string::npos) << words << "\n" << said.out;
    }
}

TEST(Cli, JsonHoldsTheFieldsThatScriptsRelyOn) {
    const Said said =
        warplens(with({"diagnose", "v2c_3", "--fault", "32x", "--seed", "7", "--json"}, kSmall));
    EXPECT_EQ(said.status, 1);
    const json j = json::parse(said.out);
    EXPECT_EQ(j.at("verb"), "diagnose");
    EXPECT_EQ(j.at("kernel"), "v2c_3");
    EXPECT_EQ(j.at("faults"), json::array({"32x"}));
    EXPECT_EQ(j.at("on"), "cpu");
    EXPECT_EQ(j.at("seed"), 7);
    EXPECT_EQ(j.at("verdict"), "findings");
    EXPECT_EQ(j.at("covered").at("blocks_compared"), 2);
    EXPECT_EQ(j.at("outputs").at(0).at("name"), "O");
    EXPECT_FALSE(j.at("outputs").at(0).at("ok"));
    const json& first = j.at("findings").at(0);
    EXPECT_EQ(first.at("rule"), "constant_factor");
    EXPECT_EQ(first.at("where").at("tile"), "l");
    EXPECT_EQ(first.at("where").at("iteration"), 0);
    EXPECT_GT(first.at("where").at("line"), 0);
    EXPECT_NEAR(first.at("evidence").at("ratio").get<double>(), 32, 0.01);
    EXPECT_EQ(j.at("findings").at(1).at("caused_by"), 0);
    for (const char* key : {"compile", "run", "compare"}) EXPECT_TRUE(j.at("seconds").contains(key)) << key;
}

TEST(Cli, ARunWritesACaptureThatTheOtherVerbsRead) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/bad.wlcap";
    EXPECT_EQ(warplens(with({"run", "v2c_3", "--fault", "scale", "-o", file}, kSmall)).status, 1);
    ASSERT_TRUE(std::filesystem::exists(file));
    const Said tiles = warplens({"tiles", file});
    EXPECT_EQ(tiles.status, 1);
    EXPECT_NE(tiles.out.find("scores"), std::string::npos);
    const json j = json::parse(warplens({"tiles", file, "--json"}).out);
    EXPECT_EQ(j.at("tiles").at(0).at("tile"), "scores");
    EXPECT_EQ(j.at("tiles").at(0).at("verdict"), "wrong");
    EXPECT_EQ(j.at("tiles").at(0).at("first_bad").at("iteration"), 0);
    const Said again = warplens({"diagnose", file});
    EXPECT_EQ(again.status, 1);
    EXPECT_NE(again.out.find("scores is 0.125x the reference"), std::string::npos) << again.out;
    const std::string png = folder.path + "/scores.png";
    EXPECT_EQ(warplens({"show", file, "--tile", "scores", "--view", "ratio", "-o", png}).status, 0);
    EXPECT_EQ(read_file(png).substr(1, 3), "PNG");
}

TEST(Cli, EveryVerbHasHelpWithAnExample) {
    for (const char* verb :
         {"kernels",
          "run",
          "diagnose",
          "tiles",
          "show",
          "open",
          "banks",
          "estimate",
          "check",
          "at",
          "accept",
          "why"}) {
        const Said said = warplens({verb, "--help"});
        EXPECT_EQ(said.status, 0) << verb;
        EXPECT_NE(said.out.find("Example:"), std::string::npos) << verb;
    }
}

TEST(Cli, BanksNamesTheConflictsTheirLinesAndTheLayoutThatRemovesThem) {
    const Said said = warplens(with({"banks", "v2b"}, kSmall));
    EXPECT_EQ(said.status, 1) << said.err;
    for (const std::string& words : std::vector<std::string>{
             "2048 requests of 8.00 wavefronts each, where 1.00 would do; degree 8",
             source_place("kernels/v2b.cu", "score * kScale"),
             "array P, masked, scores",
             "lanes 0, 1, 2, 3, 4, 5, 6, 7 of one phase meet in bank 0",
             "leading dimension 68 instead of 64",
             "26624 -> 12288 wavefronts",
             "XOR swizzle: put the 16-byte piece p of row r at p ^ (r & 7)",
             "results unchanged",
             "2 of 2 blocks"})
        EXPECT_NE(said.out.find(words), std::string::npos) << words << "\n" << said.out;
    const Said one = warplens(with({"banks", "v2b", "--block", "1,0,0", "--json"}, kSmall));
    const json j = json::parse(one.out);
    EXPECT_EQ(j.at("verdict"), "findings");
    EXPECT_EQ(j.at("covered").at("blocks"), 1);
    EXPECT_EQ(j.at("shared").at("lines").at(0).at("requests"), 1024);
    EXPECT_EQ(j.at("shared").at("lines").at(0).at("witness").at("block"), 1);
    for (const json& r : j.at("remedies")) {
        EXPECT_TRUE(r.at("same_results"));
        EXPECT_LT(r.at("after"), r.at("before"));
        EXPECT_TRUE(r.at("array") != "P, masked, scores" || r.at("after") == r.at("ideal")) << r;
    }
    EXPECT_EQ(warplens(with({"banks", "v2b", "--block", "9,0,0"}, kSmall)).status, 2);
}

// gemm.cu pads its tiles: nothing collides, and a kernel without conflicts exits with 0.
TEST(Cli, BanksOfAKernelWithoutConflictsExitsWithZero) {
    const Said said = warplens({"banks", source_path("tests/kernels/gemm.cu")});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_NE(said.out.find("shared memory: "), std::string::npos);
    EXPECT_EQ(said.out.find("what removes them"), std::string::npos);
}

// What is estimated is what the recording holds.
TEST(Cli, AnEstimateSaysWhatTheRecordingThenTakes) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/recorded.wlcap";
    const std::vector<std::string> blocks = with({"--record", "0,0,0", "--record", "1,0,0"}, kSmall);
    const Said said = warplens(with({"estimate", "v2c_3", "--json"}, blocks));
    EXPECT_EQ(said.status, 0) << said.err;
    const json j = json::parse(said.out);
    EXPECT_EQ(warplens(with({"run", "v2c_3", "-o", file}, blocks)).status, 0);
    const capture::Capture c = capture::read_capture(file);
    ASSERT_EQ(c.records.size(), 2U);
    for (size_t k = 0; k < 2; ++k) EXPECT_EQ(j.at("blocks").at(k).at("events"), c.records[k].events.size());
    uint64_t blobs = 0;
    for (const auto& blob : c.blobs.blobs) blobs += blob.size();
    EXPECT_GT(j.at("blocks").at(0).at("tiles").get<int>(), 0);
    EXPECT_GE(j.at("blocks").at(0).at("tile_bytes").get<uint64_t>() * 2 + 1'000'000, blobs);
    // Besides there are findings and notes: a few tenths of a percent. Equal tiles (K and V of both blocks)
    // are kept once, so that less is needed.
    const auto size = static_cast<double>(std::filesystem::file_size(file));
    EXPECT_GT(j.at("file_bytes").get<double>() / size, 0.99);
    // Which parts of the reference are equal, and kept once, is not known without running it.
    EXPECT_LT(j.at("file_bytes").get<double>() / size, 1.15);
    EXPECT_EQ(j.at("output_bytes"), 128 * 64 * (2 + 8 + 4)) << "f16, its FP64 reference, its f32 bound";
}

TEST(Cli, AnEstimateKnowsTheLimit) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/limited.wlcap";
    const std::vector<std::string> blocks = with({"--record", "0,0,0", "--record", "1,0,0"}, kSmall);
    for (const auto& [limit, fitting] : {
             std::pair{"0", 0},
             std::pair{"1", 0},
             std::pair{"2", 1},
             std::pair{"5", 2}
    }) {
        const std::vector<std::string> words = with({"v2c_3", "--record-limit", limit}, blocks);
        const json j = json::parse(warplens(with({"estimate", "--json"}, words)).out);
        EXPECT_EQ(j.at("fitting"), fitting) << limit << " MB";
        EXPECT_EQ(warplens(with({"run", "-o", file}, words)).status, 0);
        EXPECT_EQ(capture::read_capture(file).records.size(), static_cast<size_t>(fitting)) << limit << " MB";
        const auto size = static_cast<double>(std::filesystem::file_size(file));
        EXPECT_NEAR(j.at("file_bytes").get<double>() / size, 1, 0.15) << limit << " MB";
    }
    const Said none = warplens(with({"estimate", "v2c_3", "--record-limit", "0"}, blocks));
    EXPECT_NE(
        none.out.find(
            "at least 0 of 2 within the limit of 0 B (--record-limit): what goes beyond it is dropped, whole "
            "blocks, from (0,0,0) on at the earliest, but for the tiles of that one"
        ),
        std::string::npos
    ) << none.out;
}

TEST(Cli, ABlockBeyondTheLimitIsLeftOutWholeAndSaidToBe) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/limited.wlcap";
    const std::vector<std::string> blocks = with({"--record", "0,0,0", "--record", "1,0,0"}, kSmall);
    const json j = json::parse(warplens(with({"estimate", "v2c_3", "--json"}, blocks)).out);
    const uint64_t one = j.at("blocks").at(0).at("bytes").get<uint64_t>();
    const std::string limit = std::to_string(one / 1'000'000 + 1);  // one block fits, two do not
    const Said said = warplens(with({"run", "v2c_3", "-o", file, "--record-limit", limit}, blocks));
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.out.find("block (1,0,0) was not recorded"), std::string::npos) << said.out;
    const capture::Capture c = capture::read_capture(file);
    ASSERT_EQ(c.records.size(), 1U);
    EXPECT_EQ(c.records[0].block, 0);
    EXPECT_FALSE(c.records[0].truncated);
    EXPECT_EQ(c.notes.size(), 1U);
    bool kept = false, summary = false;
    for (const capture::Tile& t : c.tiles) {
        EXPECT_TRUE(t.block != 1 || t.values == capture::kNoBlob);
        kept = kept || (t.block == 0 && t.values != capture::kNoBlob), summary = summary || t.block == 1;
    }
    EXPECT_TRUE(kept && summary);
    const Said none = warplens(with({"run", "v2c_3", "-o", file, "--record-limit", "0"}, kSmall));
    EXPECT_NE(none.out.find("block (0,0,0) was not recorded but for its tiles"), std::string::npos)
        << none.out;
    EXPECT_TRUE(capture::read_capture(file).records.empty());
}

TEST(Cli, AUsersOwnKernelWorksByItsPath) {
    const Said clean = warplens({"diagnose", source_path("tests/kernels/gemm.toml"), "-v"});
    EXPECT_EQ(clean.status, 0) << clean.out << clean.err;
    EXPECT_NE(clean.out.find("12 of 12 blocks compared"), std::string::npos) << clean.out;
    EXPECT_NE(clean.out.find("output C: ok"), std::string::npos) << clean.out;
    const Said bad = warplens(
        {"diagnose", source_path("tests/kernels/gemm.cu"), "--fault", "stride", "--search", "0", "--json"}
    );
    EXPECT_EQ(bad.status, 1) << bad.err;
    const json j = json::parse(bad.out);
    EXPECT_EQ(j.at("verdict"), "findings");
    EXPECT_FALSE(j.at("outputs").at(0).at("ok"));
    // What is read with the wrong leading dimension first lies between two rows, where nobody wrote.
    const json& first = j.at("findings").at(0);
    EXPECT_EQ(first.at("rule"), "uninitialised");
    const std::string read = source_place("tests/kernels/gemm.cu", "b[inner * kReadLd + column]");
    EXPECT_EQ(first.at("where").at("line"), std::stoi(read.substr(read.rfind(':') + 1)));
    bool stripe = false;
    for (const json& f : j.at("findings"))
        stripe =
            stripe || (f.at("where").value("tile", "") == "stripe" && f.at("where").at("iteration") == 0);
    EXPECT_TRUE(stripe) << "the first tile that differs\n" << bad.out;
}

TEST(Cli, UnsupportedInstructionsAreNamedByLineAndExitWithThree) {
    const Said said = warplens({"diagnose", source_path("tests/kernels/unsupported.cu")});
    EXPECT_EQ(said.status, 3) << said.out << said.err;
    EXPECT_NE((said.out + said.err).find("unsupported: "), std::string::npos);
    EXPECT_NE((said.out + said.err).find("unsupported.cu:"), std::string::npos);
    EXPECT_EQ(warplens({"diagnose", "v2c_3", "--on", "gpu"}).status, 3);
}

}  // namespace
}  // namespace wl::test
