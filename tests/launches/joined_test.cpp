// Two launches side by side: what is the same memory, and what keeps a comparison from saying anything.
#include "instrumentation/launches/joined.h"

#include <cstring>
#include <gtest/gtest.h>

namespace wl::launches {
namespace {

std::vector<std::byte> words(std::initializer_list<uint64_t> all) {
    std::vector<std::byte> out(all.size() * sizeof(uint64_t));
    size_t at = 0;
    for (const uint64_t word : all) std::memcpy(out.data() + at++ * sizeof word, &word, sizeof word);
    return out;
}

Memory memory(uint64_t base, std::initializer_list<uint64_t> before) {
    Memory m;
    m.base = base, m.before = words(before);
    m.after = After::unchanged;
    return m;
}
Memory changed(uint64_t base, std::initializer_list<uint64_t> before, std::initializer_list<uint64_t> left) {
    Memory m = memory(base, before);
    set_left(m, words(left));
    return m;
}

// Parameters: where to write, a list's first node, a number. The node points to the numbers.
RecordedLaunch launch(uint64_t at, uint64_t left) {
    RecordedLaunch l;
    l.params = words({at + 8, at + 0x1000, 7});
    l.memory = {
        changed(at, {0, 0}, {0, left}), memory(at + 0x1000, {at + 0x2000, 1}), memory(at + 0x2000, {5, 6})};
    return l;
}

const Memory& at(const Joined& j, uint64_t base) {
    for (const Memory& m : j.launch.memory)
        if (m.base == base) return m;
    throw std::runtime_error("no memory there");
}

TEST(Joined, MemoryIsPairedByParametersAndByPointersInMemory) {
    const Joined j = joined(launch(0x10000, 1), launch(0x50000, 2));
    EXPECT_TRUE(j.hinder.empty()) << j.hinder.front();
    EXPECT_EQ(at(j, 0x10000).left, words({0, 2}));
    EXPECT_EQ(at(j, 0x12000).after, After::unchanged);
    EXPECT_TRUE(j.launch.notes.empty());
}

TEST(Joined, WhatOnlyOneOfThemChangedIsAnOutput) {
    RecordedLaunch lazy = launch(0x50000, 2);
    lazy.memory[0] = memory(0x50000, {0, 0});
    const Joined got = joined(launch(0x10000, 1), lazy);
    EXPECT_EQ(at(got, 0x10000).after, After::changed);
    EXPECT_EQ(at(got, 0x10000).left, words({0, 0}));
    const Joined other = joined(lazy, launch(0x10000, 1));
    EXPECT_EQ(at(other, 0x50000).after, After::changed);
    EXPECT_EQ(at(other, 0x50000).left, words({0, 1}));
}

TEST(Joined, OtherInputsBehindAPointerHinder) {
    RecordedLaunch other = launch(0x50000, 2);
    other.memory[2].before = words({5, 9});
    const Joined j = joined(launch(0x10000, 1), other);
    ASSERT_EQ(j.hinder.size(), 1u);
    EXPECT_EQ(j.hinder[0], "both found other inputs: memory at 0x12000 differs from byte 8 on");
}

TEST(Joined, OtherParametersHinderAndOtherPlacesOfMemoryToo) {
    RecordedLaunch number = launch(0x50000, 2), place = launch(0x50000, 2), fewer = launch(0x50000, 2);
    number.params = words({0x50008, 0x51000, 8});
    place.params = words({0x50000, 0x51000, 7});
    fewer.params = words({0x50008, 0x51000});
    EXPECT_EQ(
        joined(launch(0x10000, 1), number).hinder.at(0),
        "both were given other parameters: they differ from byte 16 on"
    );
    EXPECT_EQ(
        joined(launch(0x10000, 1), place).hinder.at(0),
        "both were given other parameters: they differ from byte 0 on"
    );
    EXPECT_EQ(
        joined(launch(0x10000, 1), fewer).hinder.at(0),
        "it takes 24 bytes of parameters, and the reference's kernel 16"
    );
}

TEST(Joined, VariablesArePairedByNameAndWhatIsAloneIsNamed) {
    RecordedLaunch one = launch(0x10000, 1), other = launch(0x50000, 2);
    one.memory.push_back(changed(0x14000, {3}, {4})), one.memory.back().name = "total";
    one.memory.back().is_variable = true;
    const Joined alone = joined(one, other);
    ASSERT_EQ(alone.launch.notes.size(), 1u);
    EXPECT_EQ(alone.launch.notes[0], "total has no counterpart in the reference, and is not compared");
    EXPECT_EQ(at(alone, 0x14000).after, After::unknown);
    other.memory.push_back(changed(0x58000, {3}, {5})), other.memory.back().name = "total";
    other.memory.back().is_variable = true;
    EXPECT_EQ(at(joined(one, other), 0x14000).left, words({5}));
}

TEST(Joined, LaunchesThatChangeNothingCompareNothing) {
    RecordedLaunch nothing = launch(0x10000, 1);
    nothing.memory[0] = memory(0x10000, {0, 0});
    EXPECT_EQ(joined(nothing, nothing).hinder.at(0), "neither changed memory that both have");
}

}  // namespace
}  // namespace wl::launches
