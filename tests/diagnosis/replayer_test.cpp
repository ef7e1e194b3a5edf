// A second executor, which runs nothing and answers from a stored capture: what it returns goes through the
// assembling of every executor and comes out as it went in.
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/ptx/module.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace wl::diagnosis {
namespace {

using Stored = std::shared_ptr<const capture::Capture>;

capture::ProbeKind kind_of(ptx::Mark::Kind kind) {
    switch (kind) {
        case ptx::Mark::Kind::warp_tile: return capture::ProbeKind::warp_tile;
        case ptx::Mark::Kind::fragment: return capture::ProbeKind::fragment;
        case ptx::Mark::Kind::lanes: return capture::ProbeKind::lanes;
        default: return capture::ProbeKind::tile;
    }
}

int mark_of(const execution::Listing& listing, const capture::Probe& probe) {
    const auto found = std::find_if(listing.marks.begin(), listing.marks.end(), [&](const ptx::Mark& m) {
        return m.name == probe.name && kind_of(m.kind) == probe.kind && m.kind != ptx::Mark::Kind::stage;
    });
    return static_cast<int>(found - listing.marks.begin());
}

const std::vector<std::byte>& blob(const capture::Capture& c, capture::BlobId id) {
    return c.blobs.blobs.at(static_cast<size_t>(id));
}

execution::TileSnapshot snapshot(
    const capture::Capture& c, const execution::Listing& listing, const capture::Tile& tile
) {
    const capture::Probe& probe = c.probes[static_cast<size_t>(tile.probe)];
    execution::TileSnapshot s;
    s.site = static_cast<uint32_t>(probe.site), s.mark = mark_of(listing, probe);
    s.block = tile.block, s.warp = tile.warp, s.iteration = tile.iteration, s.time = tile.time;
    s.rows = tile.rows, s.cols = tile.cols, s.dtype = probe.dtype;
    s.memory = probe.memory, s.address = tile.address, s.ld = tile.ld;
    s.values = blob(c, tile.values);
    s.owners.resize(blob(c, tile.owner).size() / sizeof(capture::Owner));
    if (!s.owners.empty())
        std::memcpy(s.owners.data(), blob(c, tile.owner).data(), blob(c, tile.owner).size());
    return s;
}

capture::BlockRecord with_marks(
    const capture::Capture& c, const execution::Listing& listing, capture::BlockRecord record
) {
    for (capture::Event& e : record.events)
        if (e.kind == capture::EventKind::tile)
            e.value = static_cast<uint64_t>(mark_of(listing, c.probes.at(e.value)));
    return record;
}

execution::RunResult answer(
    const capture::Capture& c,
    const execution::Listing& listing,
    execution::GlobalMemory& memory,
    const execution::RunOptions& options
) {
    execution::RunResult result;
    const auto is_asked = [&](int64_t block) {
        return options.blocks.empty() || std::ranges::count(options.blocks, block) != 0;
    };
    for (const capture::Tile& tile : c.tiles) {
        const capture::Probe& probe = c.probes[static_cast<size_t>(tile.probe)];
        if (tile.block == capture::kWholeLaunch) {
            execution::Allocation& output = *execution::find_named(memory, probe.name);
            output.bytes = blob(c, tile.values);
            output.written.assign(output.written.size(), 1);
        } else if (options.marks && is_asked(tile.block))
            options.on_tile(snapshot(c, listing, tile));
    }
    for (const capture::BlockRecord& record : c.records) {
        if (!options.record || !is_asked(record.block)) continue;
        result.records.push_back(with_marks(c, listing, record));
        result.events.push_back(record.events.size());
    }
    result.blocks = options.blocks.empty() ? count(c.launch.grid) : options.blocks.size();
    result.warp_instructions = static_cast<uint64_t>(c.counters.at(0).second);
    result.stages = c.stages;
    return result;
}

execution::Executor replayer(const Stored& stored) {
    execution::Executor made;
    made.name = "replay of " + stored->launch.kernel;
    made.can.record = true;
    made.prepare = [stored](const ptx::Module& module, std::string_view entry) {
        const ptx::Function* function = ptx::find_entry(module, entry);
        if (function == nullptr) throw Error("no such entry");
        const auto listing = std::make_shared<const execution::Listing>(
            execution::list(module, static_cast<int>(function - module.functions.data()))
        );
        const auto run = [stored, listing](const auto&, auto& memory, const auto& options) {
            return answer(*stored, *listing, memory, options);
        };
        return execution::Executable{listing, stored->launch.static_shared, run};
    };
    return made;
}

manifest::Problem problem(const std::string& fault) {
    manifest::BindOptions b;
    b.set = {
        {"H", "1"  },
        {"S", "128"}
    };
    if (!fault.empty()) b.faults = {fault};
    return manifest::bind(manifest::load(manifest::resolve("v2c_3")), b);
}

Options all_recorded(const manifest::Problem& p) {
    Options o;
    o.diagnose = false;
    o.record.resize(count(manifest::launch_of(p).grid));
    std::iota(o.record.begin(), o.record.end(), 0);
    return o;
}

// As the emulator left it, and as a file gives it back.
Stored stored(const manifest::Problem& p) {
    const capture::Capture c = run(p, all_recorded(p));
    return std::make_shared<const capture::Capture>(capture::decode(capture::encode(c, "a test"), "a test"));
}

capture::Capture replayed(const manifest::Problem& p, const Stored& from) {
    Options o = all_recorded(p);
    o.executor = replayer(from);
    return run(p, o);
}

capture::Tile without_blobs(capture::Tile tile) {
    tile.values = tile.reference = tile.bound = tile.owner = capture::kNoBlob;
    return tile;
}

// Blobs are numbered as they are met; what they hold is compared.
void expect_same_tiles(const capture::Capture& a, const capture::Capture& b) {
    ASSERT_EQ(a.tiles.size(), b.tiles.size());
    for (size_t k = 0; k < a.tiles.size(); ++k) {
        const capture::Tile &x = a.tiles[k], &y = b.tiles[k];
        EXPECT_TRUE(without_blobs(x) == without_blobs(y)) << "tile " << k;
        for (const auto part :
             {&capture::Tile::values,
              &capture::Tile::reference,
              &capture::Tile::bound,
              &capture::Tile::owner})
            EXPECT_TRUE(blob(a, x.*part) == blob(b, y.*part)) << "tile " << k;
    }
}

void expect_same(const capture::Capture& a, const capture::Capture& b) {
    EXPECT_TRUE(a.sites == b.sites);
    EXPECT_EQ(a.stages, b.stages);
    EXPECT_TRUE(a.probes == b.probes);
    expect_same_tiles(a, b);
    EXPECT_TRUE(a.outputs == b.outputs);
    EXPECT_TRUE(a.records == b.records);
    EXPECT_EQ(a.counters, b.counters);
    EXPECT_EQ(a.covered.blocks, b.covered.blocks);
    EXPECT_EQ(a.covered.blocks_compared, b.covered.blocks_compared);
    EXPECT_EQ(a.verdict, b.verdict);
}

TEST(Replayer, GivesTheCaptureThatItWasMadeFrom) {
    const manifest::Problem p = problem("");
    const Stored first = stored(p);
    ASSERT_EQ(first->records.size(), count(manifest::launch_of(p).grid));
    ASSERT_GT(first->tiles.size(), 10u);
    const capture::Capture again = replayed(p, first);
    expect_same(*first, again);
    EXPECT_EQ(again.verdict, "ok");
}

TEST(Replayer, GivesTheVerdictsOfAFaultyKernelToo) {
    const manifest::Problem p = problem("scale");
    const Stored first = stored(p);
    const capture::Capture again = replayed(p, first);
    expect_same(*first, again);
    EXPECT_EQ(again.verdict, "findings");
    EXPECT_EQ(again.outputs.at(0).verdict, capture::Verdict::bad);
}

TEST(Replayer, IsNamedAndCreditedWithWhatItDid) {
    const manifest::Problem p = problem("");
    const Stored first = stored(p);
    const capture::Capture again = replayed(p, first);
    EXPECT_EQ(first->launch.executor, "emulator");
    EXPECT_EQ(again.launch.executor, "replay of v2c_3");
    EXPECT_EQ(
        first->covered.checks,
        (std::vector<std::string>{"races", "uninitialised", "bounds", "barriers", "reference"})
    );
    EXPECT_EQ(again.covered.checks, std::vector<std::string>{"reference"});
}

// Verdicts are made where the capture is assembled, from what the executor returned.
TEST(Replayer, AWrongAnswerIsJudgedAsWrong) {
    const manifest::Problem p = problem("");
    const Stored first = stored(p);
    auto spoilt = std::make_shared<capture::Capture>(*first);
    const capture::Tile& output = spoilt->tiles[static_cast<size_t>(spoilt->outputs.at(0).tile)];
    const uint16_t thousand = 0x63d0;  // f16
    std::memcpy(
        spoilt->blobs.blobs[static_cast<size_t>(output.values)].data() + 10, &thousand, sizeof thousand
    );
    const capture::Capture again = replayed(p, spoilt);
    EXPECT_EQ(again.verdict, "findings");
    EXPECT_EQ(again.outputs.at(0).verdict, capture::Verdict::bad);
}

TEST(Replayer, IsNotAskedForASchedule) {
    const manifest::Problem p = problem("");
    Options o = all_recorded(p);
    o.executor = replayer(stored(p));
    o.schedule_seed = 7;
    EXPECT_THROW(run(p, o), Error);
}

}  // namespace
}  // namespace wl::diagnosis
