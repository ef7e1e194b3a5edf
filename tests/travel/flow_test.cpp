// The way of single bytes through a slice: what carries them, and what ends it.
#include "instrumentation/travel/flow.h"

#include <gtest/gtest.h>

namespace wl::travel {
namespace {

Cell reg(uint64_t number) { return {uint64_t{1} << 62 | number << 5, 0}; }
Cell bytes(uint64_t address, uint32_t mask = 0xf) { return {address, mask}; }

struct Step {
    uint64_t order = 0;
    Cell to;
    std::vector<Cell> from;
    bool bytewise = false;
};

// As a slice has them: against kernel time, one without a source for each write.
Slice slice_of(const std::vector<Step>& steps) {
    Slice out;
    for (size_t k = steps.size(); k-- > 0;) {
        const Step& s = steps[k];
        out.passings.push_back({s.order, static_cast<uint32_t>(s.order), 0, 0, false, false, s.to, {}});
        for (const Cell& from : s.from)
            out.passings.push_back(
                {s.order, static_cast<uint32_t>(s.order), 0, 0, true, s.bytewise, s.to, from}
            );
    }
    return out;
}

std::vector<uint64_t> orders(const std::vector<Link>& way) {
    std::vector<uint64_t> out;
    for (const Link& l : way) out.push_back(l.order);
    return out;
}

using Orders = std::vector<uint64_t>;

TEST(Flow, AWayEndsWhereItsRegisterIsSetAnew) {
    const Slice slice = slice_of({
        {1, reg(1), {bytes(0x100)}  },
        {2, reg(2), {reg(2), reg(1)}},
        {3, reg(2), {}              },
        {4, reg(2), {reg(2), reg(3)}}
    });
    const auto way = way_of(slice, {0x100, 4});
    EXPECT_EQ(orders(way), (Orders{1, 2}));
    EXPECT_EQ(way[0].read.mask, 0xfu);
    EXPECT_FALSE(way[0].mixed);
    EXPECT_TRUE(way[1].mixed) << "a sum";
    EXPECT_EQ(way[1].read.mask, 0u);
    EXPECT_TRUE(way_of(slice, {0x104, 4}).empty());
}

TEST(Flow, WhatAnInstructionReadsIsWhatWasThereBeforeIt) {
    // Lanes that exchange: each is read before the other is written.
    const Slice slice = slice_of({
        {1, reg(1), {bytes(0x100)}},
        {2, reg(1), {reg(2)}      },
        {2, reg(2), {reg(1)}      },
        {3, reg(3), {reg(1)}      },
        {4, reg(4), {reg(2)}      }
    });
    EXPECT_EQ(orders(way_of(slice, {0x100, 4})), (Orders{1, 2, 4}));
}

TEST(Flow, ACopyCarriesByteByByte) {
    const Slice slice = slice_of({
        {1,               bytes(0x800, 0xffff),    {bytes(0x100, 0xffff)}, true},
        {2,           reg(1),                      {bytes(0x804)}                               },
        {3, reg(2),{bytes(0x808)}}
    });
    EXPECT_EQ(orders(way_of(slice, {0x104, 4})), (Orders{1, 2}));
    EXPECT_EQ(orders(way_of(slice, {0x108, 2})), (Orders{1, 3}));
}

}  // namespace
}  // namespace wl::travel
