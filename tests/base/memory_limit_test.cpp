// Bounds that are looked at before memory is taken.
#include "instrumentation/base/os/memory_limit.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/launch_limits.h"

#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>

namespace wl {
namespace {

std::string said(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) { return error.what(); }
    return {};
}

constexpr uint64_t kGigabyte = 1'000'000'000;

TEST(MemoryLimit, WhatAFileMayUnpackToFollowsItsSize) {
    unsetenv("WARPLENS_UNPACK");
    EXPECT_EQ(
        said([] { check_unpacked(17'180'000'000, 167'936, "bomb.wllaunch"); }),
        "bomb.wllaunch would unpack to 17.2 GB, more than 1.0 GB: the most that a file of its size may. If "
        "it is "
        "right, give WARPLENS_UNPACK=18G."
    );
    EXPECT_EQ(said([] { check_unpacked(kGigabyte / 2, 1000, "f"); }), "");
    EXPECT_EQ(
        said([] { check_unpacked(kGigabyte + 1, kGigabyte / 1000, "f"); }).substr(0, 16), "f would unpack t"
    );
    setenv("WARPLENS_UNPACK", "18G", 1);
    EXPECT_EQ(said([] { check_unpacked(kGigabyte + 1, 1000, "f"); }), "");
    unsetenv("WARPLENS_UNPACK");
}

TEST(MemoryLimit, WhatNoMachineHasIsRefused) {
    EXPECT_GT(memory_limit(), 0U);
    EXPECT_EQ(said([] { check_memory(UINT64_MAX, "x"); }).substr(0, 23), "x needs 18446744073.7 G");
    EXPECT_EQ(said([] { check_memory(1000, "x"); }), "");
    EXPECT_EQ(capped_product(uint64_t{1} << 40, uint64_t{1} << 40), UINT64_MAX);
    EXPECT_EQ(capped_product(6, 7), 42U);
}

LaunchShape launch(
    std::array<int64_t, 3> grid, std::array<int64_t, 3> block, int64_t shared = 0, int64_t stack = 0
) {
    return LaunchShape{grid, block, shared, stack};
}

TEST(LaunchLimits, EachNumberHasItsOwn) {
    const auto said_of = [](const LaunchShape& shape) {
        return launch_problem(shape, [](const std::string& key) { return "launch." + key; });
    };
    EXPECT_EQ(said_of(launch({2147483647, 65535, 65535}, {1024, 1, 1}, 232448, 524288)), "");
    EXPECT_EQ(said_of(launch({1, 65536, 1}, {1, 1, 1})), "launch.grid[1] is 65,536, the limit is 65,535.");
    EXPECT_EQ(said_of(launch({0, 1, 1}, {1, 1, 1})), "launch.grid[0] is 0, and must be at least 1.");
    EXPECT_EQ(said_of(launch({1, 1, 1}, {1, 1, 65})), "launch.block[2] is 65, the limit is 64.");
    EXPECT_EQ(
        said_of(launch({1, 1, 1}, {1024, 2, 1})),
        "launch.block is 2,048 threads (1024 x 2 x 1), the limit is 1,024 a block."
    );
    EXPECT_EQ(
        said_of(launch({1, 1, 1}, {1, 1, 1}, 232449)),
        "launch.shared asks for 232,449 bytes of dynamic shared memory, the limit is 232,448 (227 KB a "
        "block, "
        "sm_90)."
    );
    EXPECT_EQ(
        said_of(launch({1, 1, 1}, {1, 1, 1}, 0, 524289)),
        "launch.stack asks for 524,289 bytes of stack, the limit is 524,288 (512 KB of local memory a "
        "thread)."
    );
}

}  // namespace
}  // namespace wl
