// Other schedules of a launch: what they change, again by the same seed, and nothing where nothing races.
#include "instrumentation/diagnosis/explore.h"

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
    ASSERT_FALSE(one.exploration.changed.empty()) << "blocks that take turns overwrite each other's counts";
    const TriedSchedule& first = one.exploration.changed.front();
    ASSERT_EQ(first.outputs.size(), 1u);
    EXPECT_EQ(first.outputs[0].name, "touched");
    EXPECT_EQ(first.outputs[0].elements, 64);
    EXPECT_GT(first.outputs[0].changed, 0);
    EXPECT_LT(first.outputs[0].is, first.outputs[0].was);
    ASSERT_EQ(two.exploration.changed.size(), one.exploration.changed.size());
    EXPECT_EQ(two.exploration.changed.front().seed, first.seed);
    EXPECT_EQ(outcome(two.exploration), outcome(one.exploration));
    EXPECT_EQ(one.capture.notes.back(), outcome(one.exploration)) << "the capture keeps the seed";
}

TEST(Explore, TurnsARaceRoundFirst) {
    const Hazards h = explored("fence", 4);
    EXPECT_GT(h.exploration.directed, 0u);
    EXPECT_LE(h.exploration.directed, 4u);
    EXPECT_EQ(h.exploration.schedules, 4u);
}

TEST(Explore, OfACleanKernelChangesNothing) {
    const Hazards h = explored("", 12);
    EXPECT_EQ(h.capture.verdict, "ok");
    EXPECT_TRUE(h.exploration.changed.empty());
    EXPECT_EQ(
        outcome(h.exploration),
        "the outputs are the same in 12 other schedules: harmless only as far as tried"
    );
}

}  // namespace
}  // namespace wl::diagnosis
