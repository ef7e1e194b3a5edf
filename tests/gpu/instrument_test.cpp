// The instrumented PTX of a kernel, run by the emulator, dumps the tiles that the emulator itself takes at
// the marks of the plain one.
#include "instrumentation/gpu/instrument.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/resources.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/gpu/dump.h"

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <tuple>

namespace wl::gpu {
namespace {

using Key = std::tuple<int64_t, int, int, std::string, int>;  // block, warp, kind, name, iteration
using Tiles = std::map<Key, execution::TileSnapshot>;

Key key_of(const execution::TileSnapshot& t, const execution::Listing& listing) {
    const ptx::Mark& mark = listing.marks[static_cast<size_t>(t.mark)];
    return {t.block, t.warp, static_cast<int>(mark.kind), mark.name, t.iteration};
}

struct Ran {
    Tiles tiles;
    execution::GlobalMemory memory;
    uint64_t dropped = 0, incomplete = 0;
};

struct Subject {
    diagnosis::Experiment experiment;
    execution::Executor executor = emulator::executor();
    execution::Executable plain = {};
};

Subject subject(const std::string& path, const manifest::BindOptions& bind) {
    diagnosis::Options options;
    options.reference = false;
    capture::Capture c;
    Subject s{diagnosis::make_experiment(manifest::bind(manifest::load(path), bind), options, c)};
    s.plain = s.executor.prepare(s.experiment.module, s.experiment.entry);
    return s;
}

diagnosis::Prepared prepared(const Subject& s) {
    return diagnosis::prepare_launch(
        s.experiment.problem, ptx::entry_of(s.experiment.module, s.experiment.entry)
    );
}

execution::RunOptions quiet() {
    execution::RunOptions o;
    o.checks = {.races = false, .uninitialised = false, .uniform = false};
    o.threads = 1;
    return o;
}

Ran run_plain(const Subject& s, int64_t end_block) {
    Ran ran;
    diagnosis::Prepared p = prepared(s);
    execution::RunOptions o = quiet();
    for (int64_t b = 0; b < end_block; ++b) o.blocks.push_back(b);
    o.on_tile = [&](execution::TileSnapshot&& t) {
        Key key = key_of(t, *s.plain.listing);
        ran.tiles.emplace(std::move(key), std::move(t));
    };
    s.plain.run(p.launch, p.memory, o);
    ran.memory = std::move(p.memory);
    return ran;
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

Ran run_instrumented(const Subject& s, const Plan& plan, Control control) {
    const Instrumented made = instrument(s.experiment.module, *s.plain.listing, plan);
    // The text is what a driver gets; parsed again it must say the same.
    const ptx::Module module = ptx::parse(ptx::print(made.module));
    const execution::Executable executable = s.executor.prepare(module, s.experiment.entry);
    Ran ran;
    diagnosis::Prepared p = prepared(s);
    control.records =
        execution::allocate(p.memory, "records", std::vector<std::byte>(control.capacity, std::byte{0xff}));
    execution::allocate(p.memory, kControl, bytes_of(control));
    p.launch = launch_of(made, p.launch);
    execution::RunOptions o = quiet();
    const execution::RunResult result = executable.run(p.launch, p.memory, o);
    for (const execution::Incident& i : result.incidents)
        ADD_FAILURE() << "incident " << static_cast<int>(i.kind) << " " << i.detail;
    std::memcpy(&control, execution::find_named(p.memory, kControl)->bytes.data(), sizeof control);
    ran.dropped = control.dropped;
    const Dump dump =
        decode(execution::find_named(p.memory, "records")->bytes, *s.plain.listing, made.iterations);
    ran.incomplete = dump.incomplete;
    for (const execution::TileSnapshot& t : dump.tiles) ran.tiles.emplace(key_of(t, *s.plain.listing), t);
    ran.memory = std::move(p.memory);
    return ran;
}

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

Control all_blocks(uint64_t blocks, uint64_t capacity) {
    Control control;
    control.end_block = blocks, control.capacity = capacity;
    return control;
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
    Control control = all_blocks(static_cast<uint64_t>(blocks), 64 << 20);
    control.part = 64 << 10;  // less than a block dumps: what is beyond it is claimed one by one
    const Ran dumped = run_instrumented(s, {}, control);
    ASSERT_FALSE(plain.tiles.empty());
    EXPECT_EQ(dumped.dropped, 0u);
    EXPECT_EQ(dumped.incomplete, 0u);
    expect_same(plain.tiles, dumped.tiles, GetParam());
    for (const execution::Allocation& a : plain.memory.allocations)
        EXPECT_TRUE(execution::find_named(dumped.memory, a.name)->bytes == a.bytes) << a.name;
}

TEST_P(Lineage, PtxasTakesTheInstrumentedText) {
    const Subject s = subject(WL_SOURCE_DIR "/kernels/" + GetParam() + ".toml", {});
    capture::Capture c;
    c.launch.entry = s.experiment.entry, c.launch.arch = "compute_90";
    for (const bool survives : {false, true}) {
        const Plan plan{.marks = {}, .stages = survives, .iterations = survives, .host_visible = survives};
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
    const Instrumented made =
        instrument(s.experiment.module, *s.plain.listing, {.marks = {}, .stages = true});
    const execution::Executable executable =
        s.executor.prepare(ptx::parse(ptx::print(made.module)), s.experiment.entry);
    diagnosis::Prepared p = prepared(s);
    Control control = all_blocks(1, 16 << 20);
    control.records =
        execution::allocate(p.memory, "records", std::vector<std::byte>(control.capacity, std::byte{0xff}));
    execution::allocate(p.memory, kControl, bytes_of(control));
    p.launch = launch_of(made, p.launch);
    executable.run(p.launch, p.memory, quiet());
    const Dump dump = decode(execution::find_named(p.memory, "records")->bytes, *s.plain.listing, false);
    std::map<int, std::vector<std::string>> order;
    for (const execution::TileSnapshot& t : dump.stages)
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
