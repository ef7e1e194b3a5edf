// Launches that are executed before with the same parameters wait until somebody looks; nobody can tell.
#include "tests/runtime/compiled.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

struct Repeats : testing::Test {
    static TemporaryFolder* folder;

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "repeats"); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/repeats"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }

    static Said run(const std::string& what, std::vector<std::string> options = {}) {
        options.insert(options.begin(), "run");
        options.insert(options.end(), {"--", folder->path + "/repeats", what});
        return warplens(options);
    }
};
TemporaryFolder* Repeats::folder = nullptr;

TEST_F(Repeats, WhatIsReadIsExecuted) {
    const Said said = run("read");
    EXPECT_EQ(said.out, "21\n");
    EXPECT_EQ(said.status, 0);
    EXPECT_FALSE(has(said.err, "not executed")) << said.err;
}

TEST_F(Repeats, FillsCopiesAndFreesKeepTheirPlaceBetweenThem) { EXPECT_EQ(run("order").out, "1 2\n"); }

// Executed at the end, when there is time; a program that is gone took what nobody read with it, and that is
// said.
TEST_F(Repeats, WhatNothingReadsIsExecutedAtTheEndOrSaid) {
    const Said ended = run("unread"), gone = run("gone"), aborted = run("abort"),
               all = run("gone", {"--first", "0"});
    const std::string left = "20 not executed, as the program ended, not by exit(), before it read";
    EXPECT_EQ(ended.out, "1\n");
    EXPECT_FALSE(has(ended.err, "not executed")) << ended.err;
    EXPECT_TRUE(has(ended.err, "launches 1-21: add_one(float*), grid 1x1x1, block 256x1x1; x 21, "))
        << ended.err;
    EXPECT_TRUE(has(gone.err, "x 21, ") && has(gone.err, left)) << gone.err;
    EXPECT_TRUE(has(aborted.err, left) && has(aborted.err, "signal 6")) << aborted.err;
    EXPECT_FALSE(has(all.err, "not executed")) << all.err;
    EXPECT_TRUE(has(all.err, "x 21, ")) << all.err;
}

// Once is enough where a launch read nothing that it wrote, until that changes which it reads or writes.
TEST_F(Repeats, WhatReadsNothingThatItWritesIsExecutedOnce) {
    const Said said = run("in turn");
    EXPECT_EQ(said.out, "1 1 1 1 1 0 0\n");
    EXPECT_TRUE(has(said.err, "copy(float const*, float*), grid 1x1x1, block 256x1x1; x 13, ")) << said.err;
    EXPECT_TRUE(has(said.err, "; 8 not executed again, as they would change nothing; ok")) << said.err;
    EXPECT_EQ(run("counted").out, "256 512 768 1024 \n");
    EXPECT_EQ(run("sampled").out, "1 2 3 \n");
}

TEST_F(Repeats, MemoryThatIsGivenBackBehindThemIsGone) {
    const Said said = run("freed");
    EXPECT_EQ(said.out, "cudaSuccess cudaErrorInvalidValue cudaErrorInvalidValue\n");
    EXPECT_TRUE(has(said.err, "the program copies or fills allocation 1, which it had freed")) << said.err;
    EXPECT_TRUE(has(said.err, "the program frees allocation 1 once more")) << said.err;
}

TEST_F(Repeats, AFindingThatMemoryDecidesComesWithItsLaunch) {
    for (const char* what : {"late", "late at the end"}) {
        const json answer = json::parse(run(what, {"--json"}).out, nullptr, false);
        ASSERT_TRUE(answer.is_object()) << what;
        ASSERT_EQ(answer.at("findings").size(), 1u) << what;
        EXPECT_EQ(answer.at("findings").at(0).at("rule"), "race_shared") << what;
        EXPECT_EQ(answer.at("findings").at(0).at("launch"), 2) << what;
    }
}

TEST_F(Repeats, MemoryThatTheHostSeesHoldsWhatItHoldsOnAGpu) { EXPECT_EQ(run("pinned").out, "5\n"); }

TEST_F(Repeats, WhatPrintsDoesNotWait) { EXPECT_EQ(run("say").out, "said\nsaid\nsaid\n"); }

TEST_F(Repeats, MemoryOfAGraphIsThereAgainWithEachLaunch) {
    const Said said = run("graph");
    EXPECT_EQ(said.out, "cudaSuccess 1 cudaSuccess\ncudaSuccess 2 cudaSuccess\n");
    EXPECT_EQ(said.status, 0) << said.err;
}

// A race gate for a machine without a GPU: the tests' own verdict does not hide a finding.
TEST_F(Repeats, ARunnerOfTestsFailsByAFindingOfOneOfThem) {
    const std::string program = folder->path + "/repeats";
    write_file(
        folder->path + "/CTestTestfile.cmake",
        "add_test(calm \"" + program + "\" read)\nadd_test(racy \"" + program + "\" late)\n"
    );
    const auto gate = [](const std::string& which) {
        return warplens({"run", "--", WL_CTEST, "--test-dir", folder->path, "-R", which});
    };
    const Said calm = gate("calm"), racy = gate("racy");
    EXPECT_EQ(calm.status, 0) << calm.err;
    EXPECT_TRUE(has(calm.err, "x 21, ")) << calm.err;
    EXPECT_EQ(racy.status, 1) << racy.err;
    EXPECT_TRUE(has(racy.out, "100% tests passed")) << racy.out;
    EXPECT_TRUE(has(racy.err, "[1] race_shared (256 times)")) << racy.err;
}

TEST_F(Repeats, AThreadThatLaunchesWhileTheProgramEndsIsWaitedFor) {
    const Said said = run("thread");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_TRUE(has(said.err, "launches 1-")) << said.err;
}

}  // namespace
}  // namespace wl::test
