// Graphs under `warplens run -- PROGRAM`: nodes that choose, and the memory that graphs hold. Skipped where
// there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

struct Graphs : testing::Test {
    static TemporaryFolder* folder;

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "graphs"); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/graphs"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }
    static Said run(const std::string& what) {
        return warplens({"run", "--", folder->path + "/graphs", what});
    }
};
TemporaryFolder* Graphs::folder = nullptr;

TEST_F(Graphs, NodesChooseByWhatKernelsSet) {
    const std::pair<const char*, const char*> all[] = {
        {"if",      "0 1 2 3 \n"              },
        {"else",    "10 11 12 13 \n"          },
        {"switch",  "1 11 111 111 \n"         },
        {"while",   "3 6 \n"                  },
        {"capture", "1 behind 0, then 1; 11\n"}
    };
    for (const auto& [what, said] : all) {
        const Said got = run(what);
        EXPECT_EQ(got.out, said) << what;
        EXPECT_EQ(got.status, 0) << what << got.err;
        EXPECT_TRUE(has(got.err, "ok: ")) << got.err;
        EXPECT_FALSE(has(got.err, "note: ")) << got.err;
    }
}

TEST_F(Graphs, AConditionThatNobodySetIsTold) {
    const Said said = run("never");
    EXPECT_TRUE(has(said.err, "note: a conditional node of a graph reads a condition that has no default"))
        << said.err;
}

TEST_F(Graphs, AConditionThatThreadsSetToDifferentValuesIsARaceAndAWrongHandleAnError) {
    const Said said = run("all");
    EXPECT_EQ(said.status, 1);
    EXPECT_EQ(said.out, "cudaErrorInvalidValue\n");
    EXPECT_TRUE(has(said.err, "[1] race_global")) << said.err;
    EXPECT_TRUE(has(said.err, "condition 1 of a graph")) << said.err;
}

TEST_F(Graphs, MemoryIsCountedFromItsFirstLaunchToItsTrim) {
    const Said said = run("memory");
    EXPECT_EQ(
        said.out,
        "made: 0, at most 0, reserved 0\n"
        "launched: 512, at most 1024, reserved 1536\n"
        "freed: 0, at most 1024, reserved 1024\n"
        "trimmed: 0, at most 0, reserved 0\n"
        "cudaErrorInvalidValue\n"
    ) << said.err;
}

}  // namespace
}  // namespace wl::test
