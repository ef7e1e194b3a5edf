// What a kernel without marks tells of itself when its stores and barriers are dumped: what the emulator sees
// by looking on. Every kernel of tests/kernels and of the lineage, in two of its blocks.
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/resources.h"
#include "tests/gpu/instrumented.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

namespace wl::gpu {
namespace {

using namespace test;

// Block, warp, lane, site, byte of shared memory -> what was stored there, in order; and epochs, but of
// copies, which count where they are issued on a device and where they land in the emulator.
struct StoreKey {
    int64_t block = 0;
    int warp = 0, lane = 0;
    uint32_t site = 0;
    uint64_t address = 0;
    int epoch = 0;
    bool operator<(const StoreKey& o) const {
        return std::tie(block, warp, lane, site, address, epoch) <
            std::tie(o.block, o.warp, o.lane, o.site, o.address, o.epoch);
    }
};
using Stores = std::map<StoreKey, std::vector<int>>;

// Words of mbarriers, whose bits are the hardware's own: a copy in bulk changes one when it lands, too.
std::set<uint64_t> mbarriers_of(const Ran& ran, const execution::Listing& listing) {
    std::set<uint64_t> out;
    for (const BlockEvent& e : ran.events)
        if (e.event.kind == capture::EventKind::shared_write &&
            listing.sites[e.event.site].text.starts_with("mbarrier"))
            out.insert(e.event.address);
    return out;
}

Stores stores_of(const Ran& ran, const execution::Listing& listing) {
    const std::set<uint64_t> mbarriers = mbarriers_of(ran, listing);
    Stores out;
    for (const BlockEvent& e : ran.events) {
        const std::string& text = listing.sites[e.event.site].text;
        if (e.event.kind != capture::EventKind::shared_write || mbarriers.contains(e.event.address)) continue;
        const int epoch = text.find("cp.async") == std::string::npos ? e.event.epoch : 0;
        // An atomic that polls does so as often as the order of warps lets it.
        const bool polls = text.find("atom.") != std::string::npos;
        for (uint64_t k = 0; k < e.event.bytes; ++k) {
            const auto byte = static_cast<int>(e.event.value >> 8 * k & 0xff);
            std::vector<int>& all =
                out[{e.block, e.event.warp, e.event.lane, e.event.site, e.event.address + k, epoch}];
            if (!polls || all.empty() || all.back() != byte) all.push_back(byte);
        }
    }
    return out;
}

std::string text_of(const StoreKey& k, const execution::Listing& listing) {
    return fmt::format(
        "block {} warp {} lane {} epoch {} address {}: {}",
        k.block,
        k.warp,
        k.lane,
        k.epoch,
        k.address,
        listing.sites[k.site].text
    );
}

void expect_same_stores(const Stores& plain, const Stores& dumped, const execution::Listing& listing) {
    int said = 0;
    for (const auto& [key, bytes] : plain) {
        const auto found = dumped.find(key);
        if (found != dumped.end() && found->second == bytes) continue;
        ADD_FAILURE() << (found == dumped.end() ? "not dumped: " : "other values: ") << text_of(key, listing);
        if (++said > 5) return;
    }
    for (const auto& [key, bytes] : dumped)
        if (!plain.contains(key) && ++said < 5) ADD_FAILURE() << "never stored: " << text_of(key, listing);
}

void expect_same_arrays(const Tiles& plain, const Tiles& dumped) {
    EXPECT_EQ(plain.size(), dumped.size());
    for (const auto& [key, tile] : plain) {
        const auto found = dumped.find(key);
        const std::string name =
            fmt::format("{} block {} barrier {}", std::get<3>(key), std::get<0>(key), std::get<4>(key));
        ASSERT_NE(found, dumped.end()) << name;
        EXPECT_EQ(found->second.site, tile.site) << name;
        EXPECT_EQ(found->second.address, tile.address) << name;
        EXPECT_EQ(found->second.rows, tile.rows) << name;
        EXPECT_EQ(found->second.cols, tile.cols) << name;
        ASSERT_TRUE(found->second.values == tile.values) << name << ": the elements differ";
    }
}

execution::RunOptions both(const Subject& s) {
    execution::RunOptions o;
    o.recording.stores = o.recording.barriers = true;
    o.arrays = test::arrays_of(s);
    return o;
}

Plan plan_of(const execution::RunOptions& o) {
    Plan plan;
    plan.has_marks = false, plan.recording = o.recording, plan.arrays = o.arrays;
    return plan;
}

Tiles arrays_alone(const Tiles& all) {
    Tiles out;
    for (const auto& [key, tile] : all)
        if (std::get<3>(key).starts_with("shared.")) out.emplace(key, tile);
    return out;
}

// Of the gallery every third; all of it where WARPLENS_ALL is set, as for a change of the recorder.
std::vector<std::string> kernels() {
    const size_t step = std::getenv("WARPLENS_ALL") != nullptr ? 1 : 3;
    std::vector<std::string> names, out;
    for (const char* folder : {"/kernels", "/tests/kernels"})
        for (const auto& file :
             std::filesystem::recursive_directory_iterator(std::string(WL_SOURCE_DIR) + folder))
            if (file.path().extension() == ".toml")
                names.push_back(std::filesystem::relative(file.path(), WL_SOURCE_DIR).string());
    std::sort(names.begin(), names.end());
    size_t of_gallery = 0;
    for (const std::string& name : names)
        if (name.find("/gallery/") == name.npos || of_gallery++ % step == step - 1) out.push_back(name);
    return out;
}

class Recording : public testing::TestWithParam<std::string> {};

// Why such a plan is refused: barriers named by a register, or a called function's own; tensor maps, which
// are none to a GPU; empty: it is not.
std::string refusal(const Subject& s, const Plan& plan) {
    if (s.experiment.module.text.find("cp.async.bulk.tensor.") != std::string::npos) return "tensor maps";
    try {
        instrument(s.experiment.module, *s.plain.listing, plan);
    } catch (const Unsupported& u) {
        const std::string why = u.what();
        for (const char* known : {"names a barrier by a register at", "has barriers or stores of its own"})
            if (why.find(known) != std::string::npos) return why;
    }
    return {};
}

TEST_P(Recording, StoresAndBarriersAreThoseThatTheEmulatorSees) {
    manifest::BindOptions bind;
    if (GetParam().starts_with("kernels/"))
        bind.set = {
            {"B", "1" },
            {"H", "1" },
            {"S", "64"}
        };
    Subject s;
    try {
        s = subject(std::string(WL_SOURCE_DIR) + "/" + GetParam(), bind);
    } catch (const std::exception& e) { GTEST_SKIP() << e.what(); }
    if (!prepared(s).memory.textures.empty()) GTEST_SKIP() << "textures";
    const uint64_t blocks = std::min<uint64_t>(2, count(manifest::launch_of(s.experiment.problem).grid));
    const execution::RunOptions o = both(s);
    if (const std::string why = refusal(s, plan_of(o)); !why.empty()) GTEST_SKIP() << why;
    const Ran plain = run_plain(s, static_cast<int64_t>(blocks), &o);
    const Ran dumped = run_instrumented(s, plan_of(o), all_blocks(blocks, 64 << 20));
    EXPECT_EQ(dumped.dropped, 0u);
    EXPECT_EQ(dumped.incomplete, 0u);
    EXPECT_EQ(dumped.incidents, plain.incidents);
    const execution::Listing& listing = *s.plain.listing;
    expect_same_stores(stores_of(plain, listing), stores_of(dumped, listing), listing);
    expect_same_arrays(arrays_alone(plain.tiles), dumped.tiles);
}

// Of the lineage instrument_test asks it.
TEST_P(Recording, PtxasTakesTheInstrumentedText) {
    if (GetParam().starts_with("kernels/")) GTEST_SKIP() << "asked elsewhere";
    Subject s;
    try {
        s = subject(std::string(WL_SOURCE_DIR) + "/" + GetParam(), {});
    } catch (const std::exception& e) { GTEST_SKIP() << e.what(); }
    Plan plan = plan_of(both(s));
    plan.host_visible = true, plan.recording.end_epoch = 3;
    if (const std::string why = refusal(s, plan); !why.empty()) GTEST_SKIP() << why;
    capture::Capture c;
    c.launch.entry = s.experiment.entry, c.launch.arch = "compute_90";
    c.ptx = ptx::print(instrument(s.experiment.module, *s.plain.listing, plan).module);
    const diagnosis::Resources taken = diagnosis::measure_resources(c);
    EXPECT_TRUE(taken.registers.has_value()) << taken.origin;
}

INSTANTIATE_TEST_SUITE_P(Instrument, Recording, testing::ValuesIn(kernels()), [](const auto& kernel) {
    std::string name = kernel.param.substr(0, kernel.param.size() - std::string(".toml").size());
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_'
    );
    return name;
});

}  // namespace
}  // namespace wl::gpu
