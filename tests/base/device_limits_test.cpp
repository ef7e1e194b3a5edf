#include "instrumentation/base/device_limits.h"

#include <gtest/gtest.h>

namespace wl {
namespace {

TEST(DeviceLimits, GoByComputeCapability) {
    EXPECT_EQ(device_limits("compute_90")->shared_opted, 227u << 10);
    EXPECT_EQ(device_limits("sm_90a")->shared_opted, 227u << 10);
    EXPECT_EQ(device_limits("compute_86")->shared_opted, 99u << 10);
    EXPECT_EQ(device_limits("sm_80")->shared_opted, 163u << 10);
    EXPECT_EQ(device_limits("compute_75")->shared_opted, 64u << 10);
    EXPECT_EQ(device_limits("sm_120")->shared_opted, 99u << 10);
    EXPECT_EQ(device_limits("sm_62")->registers, 32u << 10);
}

TEST(DeviceLimits, AMinorNumberWithoutARowIsThatBelow) {
    EXPECT_EQ(device_limits("sm_88")->capability, 87);
    EXPECT_EQ(capability_text(*device_limits("sm_88")), "8.7");
    EXPECT_EQ(capability_text(*device_limits("sm_121")), "12.1");
}

TEST(DeviceLimits, ADeviceThatIsNotThereHasNone) {
    EXPECT_FALSE(device_limits("sm_110"));
    EXPECT_FALSE(device_limits("sm_30"));
    EXPECT_FALSE(device_limits("native"));
    EXPECT_FALSE(device_limits(""));
}

TEST(DeviceLimits, RegistersAreGivenToWarpsInPieces) {
    const DeviceLimits limits = *device_limits("sm_90");
    EXPECT_EQ(registers_of_block(limits, 1024, 64), 65536u);
    EXPECT_EQ(registers_of_block(limits, 1024, 65), 32u * 2304);
    EXPECT_EQ(registers_of_block(limits, 33, 8), 2u * 256);
}

}  // namespace
}  // namespace wl
