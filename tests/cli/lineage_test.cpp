// The kernels of the story: clean ones stay silent in every tile, each historical fault is named first, with
// its line and proof.
#include "instrumentation/capture/file.h"
#include "tests/support/diagnose.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

using nlohmann::json;

TEST(Lineage, CleanKernelsHaveNoFindingsAndEveryTileInsideItsBound) {
    for (const char* kernel : {"v2b", "v2c_3"}) {
        for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
                 {"--preset",     "mission" },
                 {         "--shape",  "1,2,256,64", "--causal"},
                 {         "--shape",  "1,1,200,64", "--causal"},
                 {         "--shape", "1,2,160,128"          },
                 { "--shape",    "1,1,100,128",              "--causal"}
        }) {
            const json j = diagnose(kernel, options);
            EXPECT_EQ(j.at("verdict"), "ok") << kernel << " " << options[1] << j.dump(1);
            EXPECT_EQ(j.at("covered").at("blocks"), j.at("covered").at("blocks_compared"));
            EXPECT_LE(j.at("outputs").at(0).at("max_abs_difference").get<double>(), 1e-3);
        }
    }
}

TEST(Lineage, EveryTileOfACleanRunIsCompared) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/clean.wlcap";
    ASSERT_EQ(warplens({"run", "v2b", "--shape", "1,1,128,64", "-o", file}).status, 0);
    const json j = json::parse(warplens({"tiles", file, "--json"}).out);
    std::vector<std::string> names;
    for (const json& t : j.at("tiles")) {
        EXPECT_EQ(t.at("verdict"), "ok") << t.dump();
        names.push_back(t.at("tile"));
    }
    EXPECT_EQ(names, (std::vector<std::string>{"scores", "masked", "m", "P", "l", "alpha", "O_accum", "O"}));
}

TEST(Lineage, OutputsMatchPyTorchOnItsOwnInputs) {
    for (const char* kernel : {"v2b", "v2c_3"}) {
        for (const auto& [file, shape] : {
                 std::pair{"attention_b1_h1_s96_d64",   "1,1,96,64"  },
                 {"attention_b1_h2_s128_d64",  "1,2,128,64" },
                 {"attention_b1_h2_s128_d128", "1,2,128,128"}
        }) {
            for (const bool causal : {false, true}) {
                std::vector<std::string> options{
                    "--inputs", source_path(std::string("tests/golden/") + file + ".npz"), "--shape", shape};
                if (causal) options.emplace_back("--causal");
                const json j = diagnose(kernel, options);
                EXPECT_EQ(j.at("verdict"), "ok") << kernel << file << causal;
                EXPECT_LE(j.at("outputs").at(0).at("max_abs_difference").get<double>(), 1e-3);
            }
        }
    }
}

TEST(Lineage, Fault32xIsAReductionOverAValueThatAllLanesHeld) {
    for (const char* seed : {"0", "5"}) {
        const json j = diagnose("v2c_3", {"--fault", "32x", "--preset", "mission", "--seed", seed});
        const json& f = j.at("findings").at(0);
        EXPECT_EQ(f.at("rule"), "constant_factor");
        EXPECT_EQ(f.at("where").at("tile"), "l");
        EXPECT_EQ(f.at("where").at("iteration"), 0);
        EXPECT_NE(source_line(f.at("where")).find("warp_reduce_sum(l_add)"), std::string::npos) << f.dump(1);
        EXPECT_NE(f.at("title").get<std::string>().find("all 32 lanes already held"), std::string::npos);
        EXPECT_NE(f.at("proof").get<std::string>().find("0 of "), std::string::npos);
        EXPECT_NE(
            j.at("findings")
                .at(1)
                .at("title")
                .get<std::string>()
                .find("O is the reference / 32 in every element"),
            std::string::npos
        );
    }
}

TEST(Lineage, FaultScaleIsAMultiplicationTooMany) {
    const json f = diagnose("v2c_3", {"--fault", "scale", "--preset", "mission"}).at("findings").at(0);
    EXPECT_EQ(f.at("rule"), "constant_factor");
    EXPECT_EQ(f.at("where").at("tile"), "scores");
    EXPECT_NEAR(f.at("evidence").at("ratio").get<double>(), 0.125, 1e-5);
    EXPECT_NE(source_line(f.at("where")).find("kScale"), std::string::npos) << f.dump(1);
    EXPECT_NE(f.at("explanation").get<std::string>().find("1/sqrt(D)"), std::string::npos);
    EXPECT_NE(f.at("proof").get<std::string>().find("0 of "), std::string::npos);
}

TEST(Lineage, FaultSyncIsARaceBetweenWriterAndReaderWarp) {
    const json f = diagnose("v2c_3", {"--fault", "sync", "--preset", "mission"}).at("findings").at(0);
    EXPECT_EQ(f.at("rule"), "race_shared");
    EXPECT_NE(f.at("where").at("warp"), f.at("other").at("warp"));
    EXPECT_NE(f.at("where").at("line"), f.at("other").at("line"));
    EXPECT_NE(f.at("title").get<std::string>().find("scores"), std::string::npos) << f.dump(1);
    EXPECT_NE(f.at("proof").get<std::string>().find("no race is left and 0 of "), std::string::npos)
        << f.dump(1);
}

TEST(Lineage, FaultWarp7IsAStripeThatNobodyWrites) {
    const json j = diagnose("v2b", {"--fault", "warp7", "--preset", "mission"});
    const json& f = j.at("findings").at(0);
    EXPECT_EQ(f.at("rule"), "never_written");
    EXPECT_EQ(f.at("where").at("warp"), 7);
    EXPECT_NE(
        f.at("title").get<std::string>().find("rows 56..63 of scores are never written"), std::string::npos
    ) << f.dump(1);
    EXPECT_NE(f.at("explanation").get<std::string>().find("32768 elements of O are NaN"), std::string::npos)
        << f.dump(1);
    EXPECT_NE(source_line(f.at("other")).find("/ sh.l[row]"), std::string::npos) << f.dump(1);
    EXPECT_NE(f.at("proof").get<std::string>().find("0 of "), std::string::npos) << f.dump(1);
}

}  // namespace
}  // namespace wl::test
