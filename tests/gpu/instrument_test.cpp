// The instrumented PTX of a kernel, run by the emulator, dumps the tiles that the emulator itself takes at
// the marks of the plain one.
#include "instrumentation/diagnosis/resources.h"
#include "tests/gpu/instrumented.h"

#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

namespace wl::gpu {
namespace {

using namespace test;

void expect_same(const Tiles& plain, const Tiles& dumped, const std::string& what) {
    EXPECT_EQ(plain.size(), dumped.size()) << what;
    for (const auto& [key, tile] : plain) {
        const auto found = dumped.find(key);
        const std::string name = fmt::format(
            "{}: {} block {} warp {} iteration {}",
            what,
            std::get<3>(key),
            std::get<0>(key),
            std::get<1>(key),
            std::get<4>(key)
        );
        ASSERT_NE(found, dumped.end()) << name;
        const execution::TileSnapshot& t = found->second;
        EXPECT_EQ(t.site, tile.site) << name;
        EXPECT_EQ(t.memory, tile.memory) << name;
        EXPECT_EQ(t.rows, tile.rows) << name;
        EXPECT_EQ(t.cols, tile.cols) << name;
        EXPECT_EQ(t.ld, tile.ld) << name;
        EXPECT_EQ(t.address, tile.address) << name;
        ASSERT_TRUE(t.values == tile.values) << name << ": the elements differ";
    }
}

std::vector<std::string> lineage() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(WL_SOURCE_DIR "/kernels"))
        if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

class Lineage : public testing::TestWithParam<std::string> {};

TEST_P(Lineage, DumpsTheTilesThatTheEmulatorTakes) {
    manifest::BindOptions bind;
    bind.set = {
        {"B", "1" },
        {"H", "1" },
        {"S", "96"}
    };
    const Subject s = subject(WL_SOURCE_DIR "/kernels/" + GetParam() + ".toml", bind);
    const auto blocks = static_cast<int64_t>(count(manifest::launch_of(s.experiment.problem).grid));
    const Ran plain = run_plain(s, blocks);
    ASSERT_FALSE(plain.tiles.empty());
    const Control control = all_blocks(static_cast<uint64_t>(blocks), 64 << 20);
    // Less than a block dumps: what is beyond it is asked for one by one.
    Control small = control;
    small.part = 64 << 10, small.tile_share = 20 << 10, small.warp_share = 4 << 10;
    for (const Control& c : {control, small}) {
        const Ran dumped = run_instrumented(s, {}, c);
        EXPECT_EQ(dumped.dropped, 0u);
        EXPECT_EQ(dumped.incomplete, 0u);
        EXPECT_TRUE(dumped.incidents.empty());
        expect_same(plain.tiles, dumped.tiles, GetParam());
        for (const execution::Allocation& a : plain.memory.allocations)
            EXPECT_TRUE(execution::find_named(dumped.memory, a.name)->bytes == a.bytes) << a.name;
    }
}

TEST_P(Lineage, PtxasTakesTheInstrumentedText) {
    const Subject s = subject(WL_SOURCE_DIR "/kernels/" + GetParam() + ".toml", {});
    capture::Capture c;
    c.launch.entry = s.experiment.entry, c.launch.arch = "compute_90";
    for (const bool survives : {false, true}) {
        Plan plan{.marks = {}, .stages = survives, .iterations = survives, .host_visible = survives};
        plan.recording.stores = survives;
        if (survives) plan.recording.end_epoch = 3, plan.arrays = test::arrays_of(s);
        c.ptx = ptx::print(instrument(s.experiment.module, *s.plain.listing, plan).module);
        const diagnosis::Resources taken = diagnosis::measure_resources(c);
        EXPECT_TRUE(taken.registers.has_value()) << taken.origin;
    }
}

Subject small(const std::string& sequence = "96") {
    manifest::BindOptions bind;
    bind.set = {
        {"B", "1"     },
        {"H", "1"     },
        {"S", sequence}
    };
    return subject(WL_SOURCE_DIR "/kernels/v2c_3.toml", bind);
}

Tiles only(const Tiles& all, const std::function<bool(const Key&)>& wanted) {
    Tiles out;
    for (const auto& [key, tile] : all)
        if (wanted(key)) out.emplace(key, tile);
    return out;
}

TEST(Instrument, ChoosesBlocksInTheKernel) {
    const Subject s = small("192");
    Control control = all_blocks(3, 16 << 20);
    control.first_block = 1, control.end_block = 2;
    const Tiles plain = run_plain(s, 3).tiles;
    expect_same(
        only(plain, [](const Key& k) { return std::get<0>(k) == 1; }),
        run_instrumented(s, {}, control).tiles,
        "block 1"
    );
}

TEST(Instrument, ChoosesIterationsInTheKernel) {
    const Subject s = small("192");
    Control control = all_blocks(3, 16 << 20);
    control.first_iteration = 1, control.end_iteration = 2;
    const Plan plan{.marks = {}, .stages = false, .iterations = true, .host_visible = true};
    const Tiles plain = run_plain(s, 3).tiles;
    expect_same(
        only(plain, [](const Key& k) { return std::get<4>(k) == 1; }),
        run_instrumented(s, plan, control).tiles,
        "iteration 1"
    );
}

TEST(Instrument, ChoosesMarksAndWarps) {
    manifest::BindOptions bind;
    bind.set = {
        {"B", "1" },
        {"H", "1" },
        {"S", "96"}
    };
    const Subject s = subject(WL_SOURCE_DIR "/kernels/v2c_9.toml", bind);
    const auto is_fragment = [](const ptx::Mark& m) { return m.kind == ptx::Mark::Kind::fragment; };
    Plan plan;
    for (const ptx::Mark& m : s.plain.listing->marks) plan.marks.push_back(is_fragment(m) ? 1 : 0);
    Control control = all_blocks(count(manifest::launch_of(s.experiment.problem).grid), 16 << 20);
    control.warps = 0b10;
    const Tiles plain = run_plain(s, static_cast<int64_t>(control.end_block)).tiles;
    const Tiles wanted = only(plain, [](const Key& k) {
        return std::get<1>(k) == 1 && std::get<2>(k) == static_cast<int>(ptx::Mark::Kind::fragment);
    });
    ASSERT_FALSE(wanted.empty());
    expect_same(wanted, run_instrumented(s, plan, control).tiles, "fragments of warp 1");
}

TEST(Instrument, CountsWhatFoundNoRoomAndKeepsTheRest) {
    const Subject s = small();
    const Ran ran = run_instrumented(s, {}, all_blocks(2, 100'000));
    const Ran whole = run_instrumented(s, {}, all_blocks(2, 16 << 20));
    EXPECT_GT(ran.dropped, 0u);
    EXPECT_EQ(ran.tiles.size() + ran.dropped, whole.tiles.size());
    for (const auto& [key, tile] : ran.tiles) EXPECT_TRUE(whole.tiles.at(key).values == tile.values);
}

TEST(Instrument, DumpsStagesInTheOrderOfEachWarp) {
    const Subject s = small();
    const Ran ran = run_instrumented(s, {.marks = {}, .stages = true}, all_blocks(1, 16 << 20));
    std::map<int, std::vector<std::string>> order;
    for (const execution::TileSnapshot& t : ran.stages)
        order[t.warp].push_back(s.plain.listing->marks[static_cast<size_t>(t.mark)].name);
    ASSERT_EQ(order.size(), 8u);
    for (const auto& [warp, stages] : order) {
        EXPECT_GE(stages.size(), 3u);
        EXPECT_EQ(stages, order.at(0)) << "warp " << warp;
    }
}

INSTANTIATE_TEST_SUITE_P(Instrument, Lineage, testing::ValuesIn(lineage()), [](const auto& kernel) {
    return kernel.param;
});

}  // namespace
}  // namespace wl::gpu
