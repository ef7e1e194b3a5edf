// The tensor-core kernels of the story: clean ones stay silent in every tile, each historical fault is named
// first, with its line and proof.
#include "tests/support/program.h"

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
    testing::Values("flashcore_1", "flashcore_qk_only", "flashcore_2", "flashcore_3", "flashcore_4"),
    [](const auto& kernel) { return std::string(kernel.param); }
);

TEST(LineageTensor, EveryStageOfFlashcoreIsCompared) {
    const TemporaryFolder folder;
    const std::string file = folder.path + "/clean.wlcap";
    ASSERT_EQ(warplens({"run", "flashcore_4", "--shape", "1,1,64,64", "-o", file}).status, 0);
    const json j = json::parse(warplens({"tiles", file, "--json"}).out);
    std::vector<std::string> names;
    for (const json& t : j.at("tiles")) {
        EXPECT_EQ(t.at("verdict"), "ok") << t.dump();
        names.push_back(t.at("tile"));
    }
    EXPECT_EQ(names, (std::vector<std::string>{"scores", "masked", "m", "P", "l", "alpha", "O_accum", "O"}));
}

}  // namespace
}  // namespace wl::test
