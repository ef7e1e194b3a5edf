// Inputs that the fuzzer found or that cover much of the language: none of them may upset anything.
#include "fuzz/ptx_case.h"
#include "instrumentation/base/text.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

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

// The members of a tar archive: a header of 512 bytes with the size in octal at 124, then the bytes, filled
// up to 512 (POSIX ustar).
std::vector<std::string_view> members(std::string_view tar) {
    constexpr size_t kBlock = 512, kSize = 124, kDigits = 11;
    std::vector<std::string_view> found;
    for (size_t at = 0; at + kBlock <= tar.size() && tar[at] != '\0';) {
        const size_t size = std::stoul(std::string(tar.substr(at + kSize, kDigits)), nullptr, 8);
        found.push_back(tar.substr(at + kBlock, size));
        at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
    }
    return found;
}

TEST(PtxCorpus, WhatCoversMostOfParserCheckAndEmulatorUpsetsNone) {
    const std::string tar = read_text_file(WL_SOURCE_DIR "/tests/ptx/corpus/found.tar");
    const std::vector<std::string_view> inputs = members(tar);
    EXPECT_GT(inputs.size(), 100U);
    for (const std::string_view input : inputs) EXPECT_EQ(try_ptx(input), "") << input;
}

TEST(PtxCorpus, NoKeptInputUpsetsParserCheckOrEmulator) {
    EXPECT_GT(replay(WL_SOURCE_DIR "/tests/ptx/corpus"), 10);
    EXPECT_GT(replay(WL_SOURCE_DIR "/tests/ptx"), 5);
}

}  // namespace
}  // namespace wl::fuzz
