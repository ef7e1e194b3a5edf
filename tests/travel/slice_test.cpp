// Dynamic slices: exactly the inputs that an element is made of, through shared memory, shuffles, calls,
// atomics, asynchronous copies and matrix instructions.
#include "tests/travel/slices.h"

namespace wl::travel {
namespace {

TEST_F(Slices, GoThroughSharedMemoryToTheLanesThatWrote) {
    for (const bool debug : {false, true}) {
        const Slice s = of("shared_memory", 64, 5, debug);
        EXPECT_EQ(input(s, "in").bytes, 8u) << "in[5] and in[8]";
        EXPECT_EQ(input(s, "in").first, 20u);
        EXPECT_EQ(input(s, "in").last, 35u);
        EXPECT_EQ(s.inputs.size(), 1u);
        EXPECT_TRUE(s.not_followed.empty());
    }
}

TEST_F(Slices, GoToTheLanesThatAShuffleReads) {
    const Slice s = of("shuffles", 32, 13);
    EXPECT_EQ(input(s, "in").bytes, 32u) << "the eight lanes 8 to 15";
    EXPECT_EQ(input(s, "in").first, 32u);
    EXPECT_EQ(input(s, "in").last, 63u);
}

TEST_F(Slices, GoThroughCallsByTheirParametersAndResults) {
    for (const bool debug : {false, true}) {
        const Slice odd = of("calls", 64, 7, debug);
        EXPECT_EQ(input(odd, "in").bytes, 8u) << "in[7], in[63]";
        EXPECT_EQ(input(odd, "in").first, 28u);
        const Slice even = of("calls", 64, 8, debug);
        EXPECT_EQ(input(even, "in").bytes, 12u) << "in[8], in[62], in[63]";
        EXPECT_EQ(input(even, "in").first, 32u);
    }
}

TEST_F(Slices, GoThroughEveryAtomicOnTheSameWord) {
    const Slice s = of("atomics", 64, 33);  // sum[2] of in[2], in[6], ...
    EXPECT_EQ(input(s, "in").bytes, 64u);
    EXPECT_EQ(input(s, "in").first, 8u);
    EXPECT_EQ(input(s, "in").last, 4u * 62 + 3);
}

TEST_F(Slices, GoThroughAsynchronousCopiesByTheByte) {
    const Slice s = of("copies", 64, 9);  // words[9] is in[52 + 1]
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 4u * 53);
}

TEST_F(Slices, GoThroughACopyOfManyBytes) {
    const Slice s = of("bulk", 64, 50);  // words[2] is in[16 + 2]
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 4u * 18);
    EXPECT_TRUE(s.not_followed.empty());
}

TEST_F(Slices, GoToTheRowAndTheColumnOfAProduct) {
    const Slice s = of("product", 32, 16 * 3 + 9);
    EXPECT_EQ(input(s, "in").bytes, 4u * 32) << "16 elements of a's row and 16 of b's column";
    EXPECT_EQ(input(s, "in").first, 4u * 48);
    EXPECT_EQ(input(s, "in").last, 4u * (256 + 16 * 15 + 9) + 3);
    EXPECT_TRUE(s.not_followed.empty());
}

// Lines that decided about steps at a line, as "address 75" or "guard 77", once each.
TEST_F(Slices, BytesThatACopyFillsWithZeroComeFromNowhere) {
    const Slice s = of("padded", 64, 12);  // words[12] is read, words[13] is zero
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 48u);
}

TEST_F(Slices, WhatOneLoadAloneIsMadeOf) {
    const Slice whole = of("shared_memory", 64, 5);
    SliceOptions options;
    for (const SliceStep& step : whole.steps)
        if (step.read_bytes != 0 && (step.read_address & 0xff00'0000'0000'0000) == emulator::kSharedBase)
            options.through.push_back(step.site);
    ASSERT_EQ(options.through.size(), 2u);
    const Slice s = of("shared_memory", 64, 5, false, options);
    std::set<uint64_t> first;
    for (const auto& inputs : s.through) {
        ASSERT_EQ(inputs.size(), 1u);
        EXPECT_EQ(inputs[0].bytes, 4u);
        first.insert(inputs[0].first);
    }
    EXPECT_EQ(first, (std::set<uint64_t>{20, 32})) << "in[5] by one, in[8] by the other";
    EXPECT_EQ(
        input(s, "in").runs,
        (std::vector<std::pair<uint64_t, uint64_t>>{
            {20, 23},
            {32, 35}
    })
    );
}

TEST_F(Slices, WhoWritesAnAddressIsFoundForwardAndBack) {
    of("atomics", 64, 0);
    const Bytes word{emulator::kSharedBase + 4, 4};
    ASSERT_TRUE(next_write(route, word, 0));
    EXPECT_EQ(route.sites[emulator::here(*route.traveller).site].line, 27);
    const uint64_t first = emulator::here(*route.traveller).order;
    ASSERT_TRUE(next_write(route, word, first + 1));
    EXPECT_EQ(route.sites[emulator::here(*route.traveller).site].line, 29);
    ASSERT_TRUE(last_write(route, word, UINT64_MAX));
    EXPECT_EQ(emulator::here(*route.traveller).warp, 1);
    ASSERT_TRUE(last_write(route, word, first + 1));
    EXPECT_EQ(emulator::here(*route.traveller).order, first);
    EXPECT_FALSE(last_write(route, word, first));
}

}  // namespace
}  // namespace wl::travel
