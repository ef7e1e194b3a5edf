// Inputs that the fuzzer found or that cover much of the language: none of them may upset anything.
#include "fuzz/ptx_case.h"
#include "instrumentation/base/text.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace wl::fuzz {
namespace {

int replay(const std::string& folder) {
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".ptx") continue;
        SCOPED_TRACE(file.path());
        EXPECT_EQ(try_ptx(read_text_file(file.path().string())), "");
        ++count;
    }
    return count;
}

TEST(PtxCorpus, NoKeptInputUpsetsParserCheckOrEmulator) {
    EXPECT_GT(replay(WL_SOURCE_DIR "/tests/ptx/corpus"), 10);
    EXPECT_GT(replay(WL_SOURCE_DIR "/tests/ptx"), 5);
}

}  // namespace
}  // namespace wl::fuzz
