// The tensor-core kernels of the story: clean ones stay silent in every tile, each historical fault is named
// first, with its line and proof.
#include "tests/support/diagnose.h"
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::test {
namespace {

using nlohmann::json;

class CleanTensorKernel : public testing::TestWithParam<const char*> {};

TEST_P(CleanTensorKernel, HasNoFindingAndEveryTileInsideItsBound) {
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
             {"--shape",      "2,1,192,64"},
             { "--shape",  "1,1,100,64",   "--causal"},
             { "--shape", "1,1,100,128",   "--causal"}
    }) {
        const json j = diagnose(GetParam(), options);
        EXPECT_EQ(j.at("verdict"), "ok") << options[1] << j.dump(1);
        EXPECT_EQ(j.at("covered").at("blocks"), j.at("covered").at("blocks_compared"));
        EXPECT_LE(j.at("outputs").at(0).at("max_abs_difference").get<double>(), 1e-3);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Lineage,
    CleanTensorKernel,
    testing::Values(
        "flashcore_1",
        "flashcore_qk_only",
        "flashcore_2",
        "flashcore_3",
        "flashcore_4",
        "v2c_6",
        "v2c_7",
        "v2c_8",
        "v2c_9"
    ),
    [](const auto& kernel) { return std::string(kernel.param); }
);

class Stages : public testing::TestWithParam<const char*> {};

TEST_P(Stages, AreAllComparedInSharedMemoryOrInRegisters) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/clean.wlcap";
    ASSERT_EQ(warplens({"run", GetParam(), "--shape", "1,1,64,64", "-o", file}).status, 0);
    const json j = json::parse(warplens({"tiles", file, "--json"}).out);
    std::vector<std::string> names;
    for (const json& t : j.at("tiles")) {
        EXPECT_EQ(t.at("verdict"), "ok") << t.dump();
        names.push_back(t.at("tile"));
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"O", "O_accum", "P", "alpha", "l", "m", "masked", "scores"}));
}

INSTANTIATE_TEST_SUITE_P(
    Lineage,
    Stages,
    testing::Values("flashcore_4", "v2c_6", "v2c_8", "v2c_9"),
    [](const auto& kernel) { return std::string(kernel.param); }
);

TEST(LineageTensor, SwizzledTilesMeetNoBankConflictAndRowsOf128BytesDo) {
    const auto conflicts = [](const std::string& kernel) {
        const json j =
            json::parse(warplens({"banks", kernel, "--shape", "1,1,64,64", "--json"}).out).at("shared");
        return j.at("wavefronts").get<int64_t>() - j.at("ideal").get<int64_t>();
    };
    EXPECT_EQ(conflicts("v2c_9"), 0);
    EXPECT_GT(conflicts("flashcore_3"), 0);
}

// The first finding on two seeds, always about scores: no softmax and no P V is accused.
std::vector<json> causes(const std::string& kernel, const std::string& fault) {
    std::vector<json> out;
    for (const char* seed : {"0", "7"}) {
        out.push_back(
            diagnose(kernel, {"--fault", fault, "--seed", seed, "--shape", "1,1,128,64"}).at("findings").at(0)
        );
        EXPECT_EQ(out.back().at("where").at("tile"), "scores") << out.back().dump(1);
        EXPECT_EQ(out.back().at("where").at("iteration"), 0);
        EXPECT_NE(source_line(out.back().at("where")).find("load_matrix_sync(keys,"), std::string::npos);
        EXPECT_GT(out.back().at("evidence").at("difference_from_reference").get<double>(), 1);
        EXPECT_LT(out.back().at("evidence").at("residual").get<double>(), 1e-5);
    }
    return out;
}

TEST(LineageTensor, FaultQkOfFlashcore1IsAnUntransposedFragment) {
    for (const json& f : causes("flashcore_1", "qk")) {
        EXPECT_EQ(f.at("rule"), "permuted_operand");
        expect_text(f, "title", "each 16 x 16 block of it transposed instead of Q K^T");
        expect_text(f, "proof", "with col_major for row_major at " WL_SOURCE_DIR "/kernels/flashcore_1.cu:");
    }
}

TEST(LineageTensor, FaultRowMajorOfFlashcore2ComputesQK) {
    for (const json& f : causes("flashcore_2", "row_major")) {
        EXPECT_EQ(f.at("rule"), "transposed_operand");
        EXPECT_EQ(f.at("title"), "scores are Q K instead of Q K^T");
        expect_text(f, "proof", "each 64 x 64 part of K transposed in memory before the launch, 0 of ");
    }
}

TEST(LineageTensor, FaultColMajorOfFlashcore2TakesOtherElementsOfK) {
    for (const json& f : causes("flashcore_2", "col_major")) {
        EXPECT_EQ(f.at("rule"), "wrong_index");
        EXPECT_EQ(f.at("evidence").at("rows_apart"), 80);
        EXPECT_EQ(f.at("evidence").at("row_step"), 64);
        expect_text(f, "explanation", "64 elements from row to row where 80 would be right");
        expect_text(f, "explanation", "1024 elements from one block of 16 columns to the next where 16");
        expect_text(f, "explanation", "K[16,0] comes from K[0,16], K[0,16] comes from padding");
        expect_text(f, "proof", "equals all 2048 elements within ");
        expect_text(f, "proof", "; with another seed the same elements equal all 2048 within ");
        EXPECT_EQ(f.at("evidence_kind"), "response");
    }
}

}  // namespace
}  // namespace wl::test
