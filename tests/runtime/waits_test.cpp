// Kernels that wait for memory under `warplens run -- PROGRAM`: a deadlock is told only where nobody could
// end it on a GPU. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

struct Waits : testing::Test {
    static TemporaryFolder* folder;

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "waits"); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/waits"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }
    static Said run(const std::string& what) {
        return warplens({"run", "--", folder->path + "/waits", what});
    }
};
TemporaryFolder* Waits::folder = nullptr;

TEST_F(Waits, ForTheHostEndWhenItHasWritten) {
    for (const char* what : {"pinned", "managed"}) {
        const Said said = run(what);
        EXPECT_EQ(said.status, 0) << said.err;
        EXPECT_EQ(said.out, "cudaSuccess\n");
    }
}

// Another thread of the host might still write.
TEST_F(Waits, ForTheHostAreNoFindingOfTheKernel) {
    const Said said = run("count");
    EXPECT_EQ(said.status, 3) << said.err;
    EXPECT_EQ(said.out, "cudaErrorLaunchTimeout\n");
    EXPECT_TRUE(has(
        said.err,
        "/waits.cu:16 it waits for allocation 2, which the host sees and can write meanwhile; nothing has "
        "changed it before the host waited for the launch, so this one was ended\n"
    )) << said.err;
    EXPECT_FALSE(has(said.err, "[1]")) << said.err;
}

TEST_F(Waits, ForWorkOfAnotherStreamEndWhenThatIsDone) {
    const Said said = run("stream");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, "cudaSuccess\n");
}

TEST_F(Waits, ForWhatNobodyCanDoAreFindings) {
    for (const char* what : {"nobody", "meet", "meet beside a stream"}) {
        const Said said = run(what);
        EXPECT_EQ(said.status, 1) << said.err;
        EXPECT_TRUE(has(said.err, "[1] deadlock")) << said.err;
        EXPECT_TRUE(has(said.err, "memory is polled that will never change")) << said.err;
    }
}

TEST_F(Waits, WhatWasFoundBeforeIsToldBesides) {
    const Said said = run("race");
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_TRUE(has(said.err, "[1] race_shared (256 times)")) << said.err;
    EXPECT_FALSE(has(said.err, "deadlock")) << said.err;
}

}  // namespace
}  // namespace wl::test
