// The shared-memory line of the story, v2 to v2c_5, beyond v2b and v2c_3: right kernels are silent, and the
// fault that each of the others had is named first, with its line and proof, on two seeds.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

json diagnose(const std::string& kernel, const std::vector<std::string>& more) {
    std::vector<std::string> args{"diagnose", kernel, "--json"};
    args.insert(args.end(), more.begin(), more.end());
    const Said said = warplens(args);
    EXPECT_LT(said.status, 2) << said.err;
    return said.out.empty() ? json() : json::parse(said.out);
}

std::string source_line(const json& where) {
    std::istringstream text(read_file(source_path(where.at("file").get<std::string>())));
    std::string out;
    for (int i = 0; i < where.at("line").get<int>(); ++i) std::getline(text, out);
    return out;
}

void expect_text(const json& finding, const char* key, const std::string& part) {
    EXPECT_NE(finding.at(key).get<std::string>().find(part), std::string::npos) << finding.dump(1);
}

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

INSTANTIATE_TEST_SUITE_P(FamilyA, RightKernel, testing::Values("v2", "v2c_2", "v2c_4", "v2c_5"));

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
        expect_text(f, "proof", "with another seed");
    }
}

TEST(FamilyA, FaultLdOfV2c4IsAWrongLeadingDimension) {
    for (const char* seed : {"0", "1"}) {
        const json j = diagnose("v2c_4", {"--fault", "ld", "--seed", seed, "--shape", "1,1,128,64"});
        const json& f = j.at("findings").at(0);
        EXPECT_EQ(f.at("rule"), "wrong_leading_dimension");
        EXPECT_EQ(f.at("title"), "matrix written with leading dimension 72, read with 128");
        EXPECT_NE(source_line(f.at("where")).find("load_matrix_sync(k,"), std::string::npos) << f.dump(1);
        expect_text(f, "proof", "with leading dimension 72 at kernels/v2c_4.cu:");
        expect_text(f, "proof", ", 0 of ");
        EXPECT_TRUE(f.at("proven").get<bool>());
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
        EXPECT_NE(source_line(f.at("where")).find("load_matrix_sync(q,"), std::string::npos) << f.dump(1);
        EXPECT_NE(source_line(f.at("other")).find("kStripeRows"), std::string::npos) << f.dump(1);
        expect_text(f, "proof", "witness: ");
    }
}

}  // namespace
}  // namespace wl::test
