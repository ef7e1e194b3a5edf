// Kernels that are on the device at once under `warplens run -- PROGRAM`. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

struct Residents : testing::Test {
    static TemporaryFolder* folder;

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "residents"); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/residents"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }
    static Said run(const std::string& what) {
        return warplens({"run", "--", folder->path + "/residents", what});
    }
};
TemporaryFolder* Residents::folder = nullptr;

TEST_F(Residents, TakeTurnsUntilAllHaveEnded) {
    for (const char* what : {"talk", "reversed"}) {
        const Said said = run(what);
        EXPECT_EQ(said.status, 0) << what << said.err;
        EXPECT_EQ(said.out, "0 wrong\n") << what;
        EXPECT_TRUE(has(said.err, "ok: 2 launches")) << said.err;
    }
}

TEST_F(Residents, WhatComesAfterOneWaitsAndWhatComesBesideItDoesNot) {
    EXPECT_EQ(run("after").out, "1\n");
    EXPECT_EQ(run("copy").out, "cudaSuccess\n");
    EXPECT_EQ(run("query").out, "cudaErrorNotReady cudaSuccess\n");
}

TEST_F(Residents, TheHostFeedsOneThroughPinnedMemory) {
    const Said said = run("host");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, "9\n");
}

TEST_F(Residents, StreamsWriteValuesAndWaitForThem) {
    const Said written = run("written");
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.out, "cudaSuccess 7\n");
    const Said awaited = run("awaited"), not_awaited = run("not awaited"), not_written = run("not written");
    EXPECT_EQ(awaited.status, 0) << awaited.err;
    EXPECT_EQ(awaited.out, "0\ncudaSuccess 10\n");
    EXPECT_EQ(not_awaited.status, 1) << not_awaited.err;
    EXPECT_TRUE(has(not_awaited.err, "race_stream")) << not_awaited.err;
    EXPECT_EQ(not_written.status, 1) << not_written.err;
    EXPECT_TRUE(has(not_written.err, "stream 2 waits for a value that nobody writes")) << not_written.err;
}

TEST_F(Residents, NobodyCanHelp) {
    const Said said = run("never");
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_TRUE(has(said.err, "[1] deadlock")) << said.err;
    EXPECT_TRUE(has(said.err, "residents.cu:")) << said.err;
}

TEST_F(Residents, ThereIsNoRoomForWhoWouldHelp) {
    const Said full = run("full"), fits = run("fits");
    EXPECT_EQ(full.status, 1) << full.err;
    EXPECT_TRUE(has(full.err, "[1] deadlock")) << full.err;
    EXPECT_EQ(fits.status, 0) << fits.err;
    EXPECT_EQ(fits.out, "cudaSuccess\n");
}

}  // namespace
}  // namespace wl::test
