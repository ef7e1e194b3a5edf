// cp.async.bulk.tensor beside plain arithmetic: where a tile's elements lie, what stands for those outside,
// when it arrives; and maps that are none.
#include "instrumentation/base/tensor_map.h"
#include "tests/emulator/emulator_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

constexpr uint32_t kWidth = 64, kHeight = 40, kShared = 4096;

TensorMap map_of_rows() {
    TensorMap map;
    map.type = *tensor_type_named("u16"), map.rank = 2;
    map.extents = {kWidth, kHeight}, map.strides = {2, 2 * kWidth};
    map.box = {32, 8};
    return map;
}

std::vector<uint16_t> numbers() {
    std::vector<uint16_t> v(kWidth * kHeight);
    std::iota(v.begin(), v.end(), uint16_t{1});
    return v;
}

const std::string kWait = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0;\n@!%p2 bra WAIT;\n";
const std::string kDrain =
    "mov.u32 %r20, 0;\nDRAIN:\nadd.u32 %r21, %r11, %r20;\nld.shared.b32 %r22, [%r21];\ncvt.u64.u32 %rd10, "
    "%r20;\n"
    "add.u64 %rd10, %rd10, %rd0;\nst.global.b32 [%rd10], %r22;\nadd.u32 %r20, %r20, 4;\nsetp.lt.u32 %p3, "
    "%r20, 4096;\n"
    "@%p3 bra DRAIN;\n";

std::string load_tile(int x, int y, const std::string& more = "", const std::string& mask = "") {
    return fmt::format(
        "mov.s32 %r30, {};\nmov.s32 %r31, {};\ncp.async.bulk.tensor.2d.shared::cluster.global.tile."
        "mbarrier::complete_tx::bytes{} [%r11], [%rd2, {{%r30, %r31}}], [%r10]{};\n",
        x,
        y,
        more,
        mask
    );
}
std::string store_tile(
    int x, int y, const std::string& op = "cp.async.bulk.tensor.2d.global.shared::cta.tile"
) {
    return fmt::format(
        "mov.s32 %r30, {};\nmov.s32 %r31, {};\n{}.bulk_group [%rd2, {{%r30, %r31}}], [%r11];\n"
        "cp.async.bulk.commit_group;\n",
        x,
        y,
        op
    );
}

// One thread. Parameters: what shared memory holds in the end, the tensor, the map.
struct Tile {
    TensorMap map = map_of_rows();
    std::string body;
    uint32_t bytes = 512;  // that the mbarrier expects
    uint64_t spoiled = 0;  // first bytes of the map
};
KernelRun run_of(const Tile& t) {
    KernelRun run(
        kernel(
            fmt::format(
                "mov.u32 %r10, bar;\nmov.u32 %r11, s;\nmbarrier.init.shared.b64 [%r10], 1;\n"
                "mbarrier.arrive.expect_tx.shared.b64 %rd20, [%r10], {};\n",
                t.bytes
            ) + t.body,
            ".shared .align 8 .b64 bar;\n.shared .align 1024 .b8 s[4096];\n"
        ),
        1
    );
    run.out<uint16_t>("d", kShared / 2).in("a", numbers());
    TensorMap map = t.map;
    std::memcpy(&map.address, run.launch.params.data() + 8, 8);
    auto bytes = encoded(map);
    if (t.spoiled != 0) std::memcpy(bytes.data(), &t.spoiled, 8);
    run.in("map", std::vector<std::byte>(bytes.begin(), bytes.end())).go();
    return run;
}

uint16_t element(int x, int y) {
    const bool inside = x >= 0 && y >= 0 && x < static_cast<int>(kWidth) && y < static_cast<int>(kHeight);
    return inside ? numbers()[static_cast<size_t>(y) * kWidth + static_cast<size_t>(x)] : uint16_t{0};
}

TEST(EmulatorCopyTensor, LinesLieOneAfterTheOtherExchangedByTheSwizzle) {
    for (const auto& [swizzle, box] : {
             std::pair{0, 32u},
             {1, 16u},
             {2, 32u},
             {3, 64u}
    })
        for (const auto& [x, y] : {
                 std::pair{8,  4 },
                 {-5, -3},
                 {50, 36}
        }) {
            Tile t;
            t.map.swizzle = static_cast<uint8_t>(swizzle), t.map.box = {box, 8};
            t.bytes = 16 * box;
            t.body = fmt::format("{}{}{}", load_tile(x, y), kWait, kDrain);
            const KernelRun run = run_of(t);
            EXPECT_TRUE(run.incidents(Kind::deadlock).empty());
            const auto d = run.get<uint16_t>("d");
            for (uint32_t line = 0; line < 8; ++line)
                for (uint32_t k = 0; k < box; ++k) {
                    uint32_t at = 2 * (line * box + k);
                    at ^= (at >> 7 & ((1u << swizzle) - 1)) << 4;
                    ASSERT_EQ(d[at / 2], element(x + static_cast<int>(k), y + static_cast<int>(line)))
                        << swizzle << " " << line << " " << k;
                }
        }
}

TEST(EmulatorCopyTensor, FiveDimensions) {
    Tile t;
    t.map.rank = 5, t.map.extents = {16, 2, 4, 4, 5}, t.map.strides = {2, 32, 64, 256, 1024};
    t.map.box = {8, 2, 2, 2, 2};
    t.bytes = 256;
    t.body =
        "mov.s32 %r30, 0;\nmov.s32 %r31, 2;\ncp.async.bulk.tensor.5d.shared::cluster.global.tile."
        "mbarrier::complete_tx::bytes [%r11], [%rd2, {%r31, %r30, %r31, %r30, %r31}], [%r10];\n" +
        kWait + kDrain;
    const auto d = run_of(t).get<uint16_t>("d");
    size_t at = 0;
    for (size_t e = 2; e < 4; ++e)
        for (size_t f = 0; f < 2; ++f)
            for (size_t g = 2; g < 4; ++g)
                for (size_t h = 0; h < 2; ++h)
                    for (size_t k = 2; k < 10; ++k)
                        ASSERT_EQ(d[at++], numbers()[e * 512 + f * 128 + g * 32 + h * 16 + k]);
}

TEST(EmulatorCopyTensor, NanStandsForWhatIsOutside) {
    Tile t;
    t.map.type = *tensor_type_named("f16"), t.map.nan_fill = true;
    t.body = load_tile(-8, 0) + kWait + kDrain;
    const auto d = run_of(t).get<uint16_t>("d");
    EXPECT_EQ(d[7], 0x7fff);
    EXPECT_EQ(d[8], 1);
}

TEST(EmulatorCopyTensor, TheWaitIsMissed) {
    Tile t;
    t.body = load_tile(0, 0) + kDrain;
    EXPECT_FALSE(run_of(t).incidents(Kind::async_copy_wait).empty());
    t.body = load_tile(0, 0) + kWait + kDrain;
    EXPECT_TRUE(run_of(t).incidents(Kind::async_copy_wait).empty());
}

TEST(EmulatorCopyTensor, TheWrongNumberOfBytesNeverEndsThePhase) {
    Tile t;
    t.bytes = 528, t.body = load_tile(0, 0) + kWait;
    EXPECT_EQ(run_of(t).incidents(Kind::deadlock).size(), 1u);
}

TEST(EmulatorCopyTensor, StoresLeaveOutWhatIsOutside) {
    Tile t;
    t.body = load_tile(0, 0) + kWait + "fence.proxy.async.shared::cta;\n" + store_tile(50, 36) +
        "cp.async.bulk.wait_group 0;\n";
    const KernelRun run = run_of(t);
    EXPECT_TRUE(run.incidents(Kind::out_of_bounds).empty());
    const auto a = run.get<uint16_t>("a");
    for (int y = 0; y < static_cast<int>(kHeight); ++y)
        for (int x = 0; x < static_cast<int>(kWidth); ++x) {
            const bool stored = x >= 50 && y >= 36;
            ASSERT_EQ(
                a[static_cast<size_t>(y) * kWidth + static_cast<size_t>(x)],
                stored ? element(x - 50, y - 36) : element(x, y)
            );
        }
}

TEST(EmulatorCopyTensor, ReductionsAddElementByElement) {
    Tile t;
    t.map.type = *tensor_type_named("u32"), t.map.extents = {32, kHeight}, t.map.box = {16, 8};
    t.body = load_tile(0, 0) + kWait +
        store_tile(16, 0, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile") +
        "cp.async.bulk.wait_group 0;\n";
    const auto a = run_of(t).get<uint32_t>("a");
    const std::vector<uint16_t> before = numbers();
    const auto word = [&](size_t k) { return uint32_t{before[2 * k]} | uint32_t{before[2 * k + 1]} << 16; };
    EXPECT_EQ(a[16], word(16) + word(0));
    EXPECT_EQ(a[15], word(15));
}

TEST(EmulatorCopyTensor, AStoreNeedsAProxyFence) {
    const std::string write = "mov.u32 %r40, 7;\nst.shared.u32 [%r11+64], %r40;\n",
                      wait = "cp.async.bulk.wait_group 0;\n";
    Tile t;
    t.body = load_tile(0, 0) + kWait + write + store_tile(0, 0) + wait;
    EXPECT_EQ(run_of(t).incidents(Kind::proxy_fence).size(), 1u);
    t.body = load_tile(0, 0) + kWait + write + "fence.proxy.async.shared::cta;\n" + store_tile(0, 0) + wait;
    EXPECT_TRUE(run_of(t).incidents(Kind::proxy_fence).empty());
}

TEST(EmulatorCopyTensor, WhatIsNoMapIsFound) {
    Tile t;
    t.spoiled = 1, t.body = load_tile(0, 0);
    EXPECT_EQ(run_of(t).incidents(Kind::out_of_bounds).size(), 1u);
    t.spoiled = 0, t.map.box = {3, 8};
    EXPECT_EQ(run_of(t).incidents(Kind::out_of_bounds).size(), 1u);
}

TEST(EmulatorCopyTensor, AMulticastNamesTheOneBlockOfTheCluster) {
    Tile t;
    t.body = "mov.u16 %h1, 1;\n" + load_tile(0, 0, ".multicast::cluster", ", %h1") + kWait + kDrain;
    EXPECT_TRUE(run_of(t).incidents(Kind::out_of_bounds).empty());
    t.body = "mov.u16 %h1, 3;\n" + load_tile(0, 0, ".multicast::cluster", ", %h1") + kWait + kDrain;
    EXPECT_EQ(run_of(t).incidents(Kind::out_of_bounds).size(), 1u);
}

TEST(EmulatorCopyTensor, ReductionsOfRuns) {
    Tile t;
    t.body = load_tile(0, 0) + kWait +
        "mov.u32 %r16, 32;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r11], "
        "%r16;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";
    const auto a = run_of(t).get<uint16_t>("a");
    EXPECT_EQ(a[0], 2);
    EXPECT_EQ(a[15], 32);
    EXPECT_EQ(a[16], 17);
}

}  // namespace
}  // namespace wl::emulator::test
