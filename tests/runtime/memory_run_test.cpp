// Memory of a program under `warplens run -- PROGRAM`: the host's own at any address, shared memory of any
// size. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

TEST(MemoryRun, PiecesOfTheHostLieAnywhere) {
    const TemporaryFolder folder;
    if (!compiled(folder.path, "host_memory"))
        GTEST_SKIP() << "no nvcc: " << read_file(folder.path + "/said");
    for (const std::vector<std::string>& piece : std::vector<std::vector<std::string>>{
             {"1",  "20001", "4093"},
             {"0",  "4096",  "4096"},
             {"7",  "1",     "2"   },
             {"31", "4095",  "8191"}
    }) {
        const Said said = warplens({"run", "--", folder.path + "/host_memory", piece[0], piece[1], piece[2]});
        EXPECT_EQ(said.status, 0) << piece[0] << ' ' << piece[1] << ' ' << said.out << said.err;
        EXPECT_TRUE(has(said.out, "0 of ")) << said.out;
        EXPECT_FALSE(has(said.err, "[1]")) << said.err;
    }
}

TEST(MemoryRun, SharedMemoryOfFixedSizeEndsWherePtxasEndsIt) {
    const TemporaryFolder folder;
    if (!compiled(folder.path, "static_shared"))
        GTEST_SKIP() << "no nvcc: " << read_file(folder.path + "/said");
    const Said most = warplens({"run", "--", folder.path + "/static_shared"});
    EXPECT_EQ(most.out, "cudaSuccess\ncudaSuccess\n") << most.err;
    EXPECT_EQ(most.status, 0) << most.err;
    ASSERT_TRUE(compiled(folder.path, "static_shared", std::string(kAsPtx) + " -DWL_BYTES=49153", "large"));
    const Said large = warplens({"run", "--", folder.path + "/large"});
    EXPECT_EQ(large.out, "cudaErrorInvalidPtx\ncudaErrorInvalidPtx\n") << large.err;
    EXPECT_NE(large.status, 0) << large.err;
    EXPECT_TRUE(
        has(large.err, "entry function '_Z5fixedPh' uses too much shared data (0xc001 bytes, 0xc000 max)")
    ) << large.err;
}

}  // namespace
}  // namespace wl::test
