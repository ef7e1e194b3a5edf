// The shared-memory line of the story, v2 to v2c_5, beyond v2b and v2c_3: right kernels are silent, and the
// fault that each of the others had is named first, with its line and proof, on two seeds.
#include "tests/support/diagnose.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

using nlohmann::json;

class RightKernel : public testing::TestWithParam<const char*> {};

TEST_P(RightKernel, HasNoFindingsAndEveryTileInsideItsBound) {
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
             {"--preset",     "mission" },
             { "--shape",  "1,1,200,64", "--causal"},
             { "--shape", "1,1,100,128", "--causal"}
    }) {
        const json j = diagnose(GetParam(), options);
        EXPECT_EQ(j.at("verdict"), "ok") << options[1] << j.at("findings").dump(1);
        EXPECT_EQ(j.at("covered").at("blocks"), j.at("covered").at("blocks_compared"));
        EXPECT_LE(j.at("outputs").at(0).at("max_abs_difference").get<double>(), 1e-3);
    }
}

INSTANTIATE_TEST_SUITE_P(FamilyA, RightKernel, testing::Values("v2", "v2c_1", "v2c_2", "v2c_4", "v2c_5"));

TEST(FamilyA, FaultSmemOfV2bIsABudgetBeyondTheDevice) {
    for (const char* seed : {"0", "1"}) {
        const json j = diagnose("v2b", {"--fault", "smem", "--seed", seed});
        ASSERT_EQ(j.at("findings").size(), 1U);
        const json& f = j.at("findings").at(0);
        EXPECT_EQ(f.at("rule"), "launch_impossible");
        expect_text(
            f, "title", "173824 bytes (169.8 KB) of shared memory, the device gives 101376 bytes (99.0 KB)"
        );
        EXPECT_NE(source_line(f.at("where")).find("[launch.shared]"), std::string::npos) << f.dump(1);
        expect_text(
            f,
            "proof",
            "K 52224 + V 52224 + O_accum 34816 + Q 17408 + scores 16384 + m, l, alpha 768 = 173824"
        );
        expect_text(f, "explanation", "N = 16 (81.2 KB)");
        EXPECT_EQ(j.at("covered").at("blocks"), 0);
    }
}

TEST(FamilyA, FaultRaceOfV2IsTwoWarpsThatWriteOneElementInOneEpoch) {
    for (const char* seed : {"0", "1"}) {
        const json j = diagnose("v2", {"--fault", "race", "--seed", seed, "--shape", "1,1,128,64"});
        const json& f = j.at("findings").at(0);
        EXPECT_EQ(f.at("rule"), "race_shared");
        expect_text(
            f, "title", "two warps write one element of m, alpha, l and O_accum within one barrier epoch"
        );
        EXPECT_EQ(f.at("where").at("line"), f.at("other").at("line"));
        EXPECT_EQ(f.at("where").at("epoch"), f.at("other").at("epoch"));
        EXPECT_NE(f.at("where").at("warp"), f.at("other").at("warp"));
        EXPECT_NE(source_line(f.at("where")).find("sh.m[row] = m_new"), std::string::npos) << f.dump(1);
        expect_text(f, "proof", "of 4 orders of warps 1 give right outputs and 3 wrong ones");
        EXPECT_EQ(f.at("evidence_kind"), "proven");
    }
}

TEST(FamilyA, FaultFragmentOfV2c1WritesBehindTheEndOfSharedMemory) {
    for (const char* seed : {"0", "1"}) {
        const json j = diagnose("v2c_1", {"--fault", "fragment", "--seed", seed, "--shape", "1,1,128,64"});
        const json& f = j.at("findings").at(0);
        EXPECT_EQ(f.at("rule"), "out_of_bounds");
        expect_text(f, "title", "writes right past the end of the block's 92928 bytes of shared memory");
        EXPECT_NE(source_line(f.at("where")).find("ts[lane][e]"), std::string::npos) << f.dump(1);
        EXPECT_EQ(f.at("where").at("warp"), 7);
        EXPECT_EQ(f.at("where").at("lanes"), "16");
        expect_text(f, "explanation", "inside, the same line writes bytes ");
        expect_text(f, "proof", "writes 16 bytes at shared address 0x16b00");
    }
}

TEST(FamilyA, FaultQkOfV2c2IsATransposedOperand) {
    for (const char* seed : {"0", "1"}) {
        const json f = diagnose("v2c_2", {"--fault", "qk", "--seed", seed, "--shape", "1,1,128,64"})
                           .at("findings")
                           .at(0);
        EXPECT_EQ(f.at("rule"), "transposed_operand");
        EXPECT_EQ(f.at("title"), "scores are Q K instead of Q K^T");
        EXPECT_NE(source_line(f.at("where")).find("load_matrix_sync(k,"), std::string::npos) << f.dump(1);
        EXPECT_LT(f.at("evidence").at("residual").get<double>(), 1e-5);
        EXPECT_GT(f.at("evidence").at("difference_from_reference").get<double>(), 1);
        expect_text(f, "proof", "each 64 x 64 part of K transposed in memory before the launch, 0 of ");
        expect_text(f, "proof", " other seeds");
    }
}

TEST(FamilyA, FaultLdOfV2c4IsAWrongLeadingDimension) {
    for (const char* seed : {"0", "1"}) {
        const json j = diagnose("v2c_4", {"--fault", "ld", "--seed", seed, "--shape", "1,1,128,64"});
        const json& f = j.at("findings").at(0);
        EXPECT_EQ(f.at("rule"), "wrong_leading_dimension");
        EXPECT_EQ(f.at("title"), "matrix written with leading dimension 72, read with 128");
        EXPECT_NE(source_line(f.at("where")).find("load_matrix_sync(k,"), std::string::npos) << f.dump(1);
        expect_text(f, "proof", "with leading dimension 72 at " WL_SOURCE_DIR "/kernels/v2c_4.cu:");
        expect_text(f, "proof", ", 0 of ");
        EXPECT_EQ(f.at("evidence_kind"), "proven");
        for (size_t i = 1; i < j.at("findings").size(); ++i)
            EXPECT_EQ(j.at("findings").at(i).at("caused_by"), 0) << j.dump(1);
    }
}

TEST(FamilyA, FaultStripeOfV2c4ReadsRowsThatNobodyWrote) {
    for (const char* seed : {"0", "1"}) {
        const json f = diagnose("v2c_4", {"--fault", "stripe", "--seed", seed, "--shape", "1,1,128,64"})
                           .at("findings")
                           .at(0);
        EXPECT_EQ(f.at("rule"), "uninitialised");
        expect_text(f, "title", "reads rows that nobody wrote: 12..15, 28..31, 44..47");
        expect_text(
            f,
            "explanation",
            "lanes 16-31 touch shared memory from address 0x6c0 on, row 12; filled before it are rows 0..11, "
            "addresses 0x0 to 0x6af"
        );
        EXPECT_NE(source_line(f.at("where")).find("load_matrix_sync(q,"), std::string::npos) << f.dump(1);
        EXPECT_NE(source_line(f.at("other")).find("kStripeRows"), std::string::npos) << f.dump(1);
        EXPECT_EQ(f.at("evidence_kind"), "witness");
    }
}

}  // namespace
}  // namespace wl::test
