// The tensor-core kernels of the story: clean ones stay silent in every tile, each historical fault is named
// first, with its line and proof.
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

json diagnose(const std::string& kernel, std::vector<std::string> more) {
    std::vector<std::string> args{"diagnose", kernel, "--json"};
    args.insert(args.end(), more.begin(), more.end());
    const Said said = warplens(args);
    EXPECT_LT(said.status, 2) << said.err;
    return said.out.empty() ? json() : json::parse(said.out);
}

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

}  // namespace
}  // namespace wl::test
