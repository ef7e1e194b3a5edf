// The heap of a program under `warplens run --` is the program's: memory that it never wrote holds what it
// holds where CUDA's own runtime finds no GPU. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <array>
#include <cstdio>
#include <gtest/gtest.h>

namespace wl::test {
namespace {

struct HostHeap : testing::Test {
    TemporaryFolder folder;

    void SetUp() override {
        if (!compiled(folder.path, "host_heap"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder.path + "/said");
    }
    std::string alone(const std::string& what) const {
        const std::string command =
            fmt::format("LD_LIBRARY_PATH={}/lib {}/host_heap '{}' idle", WL_CUDA, folder.path, what);
        std::array<char, 200> line{};
        std::FILE* out = popen(command.c_str(), "r");
        const char* got = std::fgets(line.data(), line.size(), out);
        pclose(out);
        return got == nullptr ? "" : got;
    }
    std::string watched(const std::string& what) const {
        const Said said = warplens({"run", "--", folder.path + "/host_heap", what});
        EXPECT_TRUE(has(said.err, "ok: 20 launches")) << said.err;
        return said.out;
    }
};

TEST_F(HostHeap, MemoryThatNobodyWroteHoldsWhatItHoldsWithoutKernels) {
    EXPECT_EQ(alone("unwritten"), "0 bytes\n");
    EXPECT_EQ(watched("unwritten"), "0 bytes\n");
}

TEST_F(HostHeap, WhatLiesPastTheEndOfAnArrayIsTheProgramsOwn) {
    const std::string without = alone("past the end");
    EXPECT_EQ(without, "0 of the next 200 bytes\n");
    EXPECT_EQ(watched("past the end"), without);
}

}  // namespace
}  // namespace wl::test
