// Other schedules of a launch: what they change, again by the same seed, and nothing where nothing races.
#include "instrumentation/diagnosis/orders/hazards.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

Hazards explored(const std::string& fault, uint64_t schedules) {
    const manifest::Kernel kernel = manifest::load(WL_SOURCE_DIR "/tests/kernels/hazards/total.toml");
    manifest::BindOptions bind;
    if (!fault.empty()) bind.faults.push_back(fault);
    return find_hazards(manifest::bind(kernel, bind), {}, schedules);
}

TEST(Explore, ShowsWhatALostUpdateChangesAndBringsItBackBySeed) {
    const Hazards one = explored("count", 12), two = explored("count", 12);
    EXPECT_EQ(one.capture.covered.schedules, 13);
    ASSERT_FALSE(changed(one.exploration).empty()) << "blocks that take turns overwrite each other's counts";
    const TriedSchedule& first = *changed(one.exploration).front();
    ASSERT_EQ(first.outputs.size(), 1u);
    EXPECT_EQ(first.outputs[0].name, "touched");
    EXPECT_EQ(first.outputs[0].elements, 64);
    EXPECT_GT(first.outputs[0].changed, 0);
    EXPECT_LT(first.outputs[0].is, first.outputs[0].was);
    ASSERT_EQ(changed(two.exploration).size(), changed(one.exploration).size());
    EXPECT_EQ(changed(two.exploration).front()->seed, first.seed);
    EXPECT_EQ(outcome(two.exploration), outcome(one.exploration));
    EXPECT_EQ(one.capture.notes.back(), outcome(one.exploration)) << "the capture keeps the seed";
}

TEST(Explore, TriesEachPairOfRacingAccessesBothWaysFirst) {
    const Hazards h = explored("fence", 9);
    const Exploration& x = h.exploration;
    ASSERT_GT(x.pairs, 0u);
    EXPECT_EQ(x.schedules, 9u);
    EXPECT_EQ(x.tried.size(), 9u);
    EXPECT_EQ(x.directed, std::min<uint64_t>(9, 2 * x.pairs));
    for (size_t k = 0; k < x.tried.size(); ++k) {
        EXPECT_EQ(x.tried[k].order.empty(), k >= x.directed);
        EXPECT_EQ(emulator::is_directed(x.tried[k].seed), k < x.directed);
    }
    const std::string &one = x.tried[0].order, &other = x.tried[1].order;
    const size_t middle = one.find(" before ");
    ASSERT_NE(middle, std::string::npos);
    EXPECT_EQ(other, one.substr(middle + 8) + " before " + one.substr(0, middle));
}

TEST(Explore, ShowsTheLostUpdateInTheOrderThatLosesIt) {
    const Exploration x = explored("count", 8).exploration;
    const bool lost = std::any_of(x.tried.begin(), x.tried.end(), [](const TriedSchedule& t) {
        return !t.order.empty() && t.in_order && t.changed && t.outputs.at(0).largest >= 1;
    });
    EXPECT_TRUE(lost) << outcome(x);
    EXPECT_GT(x.pairs_both_ways, 0u) << outcome(x);
}

TEST(Explore, SaysWhetherACaptureWouldShowTheChange) {
    const Exploration lost = explored("count", 8).exploration;
    ASSERT_FALSE(changed(lost).empty());
    EXPECT_TRUE(changed(lost).front()->shows_in_captures) << "the kernel has no marks";
    EXPECT_EQ(outcome(lost).find("takes tiles"), std::string::npos);
    // v2c_3 takes a tile between the two accesses that race, v2 does not.
    const auto of = [](const char* kernel, const char* fault) {
        manifest::BindOptions bind;
        bind.faults.emplace_back(fault);
        bind.set = {
            {"B", "1" },
            {"H", "1" },
            {"S", "64"},
            {"D", "64"}
        };
        return find_hazards(manifest::bind(manifest::load(manifest::resolve(kernel)), bind), {}, 6)
            .exploration;
    };
    const Exploration hidden = of("v2c_3", "sync"), seen = of("v2", "race");
    ASSERT_FALSE(changed(hidden).empty());
    EXPECT_FALSE(changed(hidden).front()->shows_in_captures);
    EXPECT_NE(outcome(hidden).find("not in a run that takes tiles"), std::string::npos) << outcome(hidden);
    ASSERT_FALSE(changed(seen).empty());
    EXPECT_TRUE(changed(seen).front()->shows_in_captures);
}

TEST(Explore, OfACleanKernelChangesNothing) {
    const Hazards h = explored("", 12);
    EXPECT_EQ(h.capture.verdict, "ok");
    EXPECT_TRUE(changed(h.exploration).empty());
    EXPECT_EQ(
        outcome(h.exploration),
        "the outputs are the same in 12 other schedules: harmless only as far as tried"
    );
}

}  // namespace
}  // namespace wl::diagnosis
