// What orders racing accesses, found by trying: several barriers at once, and places where none may stand.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

const std::string kSource = source_path("tests/kernels/order.cu");

json findings(const char* fault) {
    const std::string manifest = source_path("tests/kernels/order.toml");
    return json::parse(warplens({"hazards", manifest, "--fault", fault, "--json"}).out).at("findings");
}

json findings_of_tally() {
    const std::string manifest = source_path("tests/kernels/tally.toml");
    return json::parse(warplens({"hazards", manifest, "--json"}).out).at("findings");
}

std::string proof(const json& finding) { return finding.at("proof"); }

TEST(Ordering, NamesEachOfTwoBarriersThatAreMissingAtOnce) {
    const json all = findings("two");
    ASSERT_EQ(all.size(), 2U) << all;
    const std::string both = kSource + ":11 and a block barrier before " + kSource + ":15 no race is left";
    for (const json& f : all) {
        EXPECT_EQ(f.at("evidence_kind"), "proven") << f;
        EXPECT_FALSE(f.contains("caused_by")) << "neither goes with the other's barrier";
        EXPECT_NE(proof(f).find(both), std::string::npos) << proof(f);
    }
    EXPECT_EQ(proof(all.at(0)).find("with a block barrier before " + kSource + ":11 it is gone"), 0U);
    EXPECT_EQ(proof(all.at(1)).find("with a block barrier before " + kSource + ":15 it is gone"), 0U);
}

TEST(Ordering, PutsNoBarrierWhereOnlySomeWarpsComeBy) {
    const json all = findings("branch");
    ASSERT_EQ(all.size(), 1U) << all;
    EXPECT_EQ(all.at(0).at("evidence_kind"), "proven");
    EXPECT_EQ(proof(all.at(0)), "with a block barrier before " + kSource + ":19 no race is left")
        << "before the branch, not before the store in it";
}

TEST(Ordering, SaysThatARaceIsLeftWhichNoBarrierMends) {
    const json all = findings("mixed");
    ASSERT_EQ(all.size(), 2U) << all;
    EXPECT_EQ(proof(all.at(0)), "with a block barrier before " + kSource + ":11 it is gone, others are left");
    EXPECT_EQ(all.at(1).at("evidence_kind"), "witness");
    EXPECT_EQ(all.at(1).at("where").at("line"), all.at(1).at("other").at("line"));
}

TEST(Ordering, TakesNoFenceThatHelpsInOneOrderOfBlocksOnly) {
    const json all = findings_of_tally();
    ASSERT_EQ(all.size(), 1U) << all;
    EXPECT_EQ(all.at(0).at("rule"), "race_global");
    EXPECT_NE(all.at(0).at("where").at("block"), all.at(0).at("other").at("block"));
    EXPECT_EQ(all.at(0).at("evidence_kind"), "witness") << proof(all.at(0));
}

}  // namespace
}  // namespace wl::test
