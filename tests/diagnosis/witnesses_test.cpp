// Two executors on one launch: they agree, or what differs is named; and a device that sees no accesses still
// leads to a proven cause.
#include "instrumentation/diagnosis/device/witnesses.h"

#include "instrumentation/diagnosis/run.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

manifest::Problem problem(std::vector<std::string> faults = {}) {
    manifest::BindOptions bind;
    bind.faults = std::move(faults);
    bind.set = {
        {"B", "1" },
        {"H", "1" },
        {"S", "96"}
    };
    return manifest::bind(manifest::load(WL_SOURCE_DIR "/kernels/v2c_3.toml"), bind);
}

using Change = std::function<void(execution::TileSnapshot&, const execution::Listing&)>;

// The emulator, as a device tells of itself: no incidents, no counts; its tiles go through `change`.
execution::Executor device(const Change& change, const std::string& fault = {}) {
    execution::Executor made;
    made.name = "gpu: a test";
    made.can.record = true;
    made.prepare = [change, fault](const ptx::Module& module, std::string_view entry) {
        const execution::Executable inner = emulator::executor().prepare(module, entry);
        execution::Executable out = inner;
        out.run = [inner, change, fault](const auto& launch, auto& memory, execution::RunOptions options) {
            const auto on_tile = options.on_tile;
            if (on_tile)
                options.on_tile = [&](execution::TileSnapshot&& tile) {
                    if (change) change(tile, *inner.listing);
                    on_tile(std::move(tile));
                };
            execution::RunResult result = inner.run(launch, memory, options);
            result.incidents.clear();
            result.warp_instructions = 0;
            if (!fault.empty()) {
                execution::Incident& i = result.incidents.emplace_back();
                i.kind = execution::Incident::Kind::device_fault;
                i.first.site = execution::kUnknownSite;
                i.detail = fault;
            }
            return result;
        };
        return out;
    };
    return made;
}

// Adds to one element of `P` of block 0, at iteration 1.
Change add_to_p(float amount) {
    return [amount](execution::TileSnapshot& tile, const execution::Listing& listing) {
        if (listing.marks[static_cast<size_t>(tile.mark)].name != "P" || tile.iteration != 1 ||
            tile.block != 0)
            return;
        float value = 0;
        const size_t at = static_cast<size_t>(3 * tile.cols + 5) * sizeof value;
        std::memcpy(&value, tile.values.data() + at, sizeof value);
        value += amount;
        std::memcpy(tile.values.data() + at, &value, sizeof value);
    };
}

const Agreement& of(const Witnesses& w, const std::string& name) {
    for (const Agreement& a : w.all)
        if (a.name == name) return a;
    static const Agreement kNone;
    ADD_FAILURE() << "nothing is said of " << name;
    return kNone;
}

TEST(Witnesses, AgreeWhenTheyAreTheSame) {
    const Witnesses w = witness(problem(), {}, device({}));
    EXPECT_TRUE(agree(w)) << witnesses_text(w);
    const Agreement& p = of(w, "P");
    EXPECT_EQ(p.tiles, 4);
    EXPECT_EQ(p.elements, 4 * 64 * 64);
    EXPECT_EQ(p.equal, p.elements);
    EXPECT_EQ(of(w, "O").elements, 96 * 64);
    EXPECT_TRUE(of(w, "O").output);
    EXPECT_NE(witnesses_text(w).find("they agree"), std::string::npos);
}

TEST(Witnesses, WhatRoundingExplainsIsNoDisagreement) {
    const Witnesses w = witness(problem(), {}, device(add_to_p(1e-7F)));
    EXPECT_TRUE(agree(w)) << witnesses_text(w);
    EXPECT_EQ(of(w, "P").equal, of(w, "P").elements - 1);
    EXPECT_GT(of(w, "P").worst, 0);
}

TEST(Witnesses, AnElementThatNoRoundingExplainsIsNamed) {
    const Witnesses w = witness(problem(), {}, device(add_to_p(0.25F)));
    EXPECT_FALSE(agree(w));
    const Agreement& p = of(w, "P");
    EXPECT_EQ(p.beyond, 1);
    ASSERT_TRUE(p.first.has_value());
    EXPECT_EQ(p.first->block, 0);
    EXPECT_EQ(p.first->iteration, 1);
    EXPECT_EQ(p.first->row, 3);
    EXPECT_EQ(p.first->col, 5);
    EXPECT_NEAR(p.first->b - p.first->a, 0.25, 1e-6);
    capture::Capture c = run(problem(), {});
    EXPECT_EQ(c.verdict, "ok");
    add_witnesses(c, w);
    ASSERT_EQ(c.findings.size(), 1u);
    EXPECT_EQ(c.findings[0].rule, "executors_disagree");
    EXPECT_EQ(c.findings[0].where.tile, "P");
    EXPECT_EQ(c.verdict, "findings");
}

TEST(Witnesses, WhereTheValueItselfIsWrongNoLimitHolds) {
    const Change change = [](execution::TileSnapshot& tile, const execution::Listing& listing) {
        if (listing.marks[static_cast<size_t>(tile.mark)].name != "l" || tile.iteration != 1) return;
        float value = 0;
        std::memcpy(&value, tile.values.data(), sizeof value);
        value *= 1.001F;
        std::memcpy(tile.values.data(), &value, sizeof value);
    };
    EXPECT_FALSE(agree(witness(problem(), {}, device(change))));
    const Witnesses w = witness(problem({"32x"}), {}, device(change));
    EXPECT_TRUE(agree(w)) << witnesses_text(w);
    EXPECT_EQ(of(w, "l").unjudged, 2);  // a block each
    EXPECT_NEAR(of(w, "l").worst_unjudged, 1e-3, 1e-4);
}

TEST(Witnesses, ADeviceThatSeesNoAccessesLeadsToAProvenCause) {
    Options options;
    options.executor = device({});
    const capture::Capture c = run(problem({"32x"}), options);
    ASSERT_FALSE(c.findings.empty());
    EXPECT_EQ(c.findings[0].rule, "constant_factor");
    EXPECT_TRUE(is_proven(c.findings[0])) << c.findings[0].proof;
    EXPECT_EQ(c.launch.executor, "gpu: a test");
}

TEST(Witnesses, AFaultOfADeviceIsAFindingWithoutAPlace) {
    Options options;
    options.executor = device({}, "the device stopped it");
    const capture::Capture c = run(problem(), options);
    ASSERT_FALSE(c.findings.empty());
    EXPECT_EQ(c.findings[0].rule, "device_fault");
    EXPECT_EQ(c.findings[0].where.line, 0);
    EXPECT_NE(c.findings[0].explanation.find("The place is unknown"), std::string::npos);
    EXPECT_EQ(c.verdict, "findings");
    EXPECT_FALSE(agree(witness(problem(), {}, options.executor)));
}

TEST(Witnesses, TheEmulatorSaysWhereADeviceStopped) {
    Options options;
    options.executor = device({}, "the device stopped it");
    manifest::BindOptions bind;
    bind.faults = {"misaligned"};
    const capture::Capture c =
        run(manifest::bind(manifest::load(WL_SOURCE_DIR "/tests/kernels/hazards/window.toml"), bind),
            options);
    ASSERT_GE(c.findings.size(), 2u);
    EXPECT_EQ(c.findings[0].rule, "misaligned");
    EXPECT_GT(c.findings[0].where.line, 0);
    const auto fault = std::find_if(c.findings.begin(), c.findings.end(), [](const capture::Finding& f) {
        return f.rule == "device_fault";
    });
    ASSERT_NE(fault, c.findings.end());
    EXPECT_EQ(fault->caused_by, 0);
}

}  // namespace
}  // namespace wl::diagnosis
