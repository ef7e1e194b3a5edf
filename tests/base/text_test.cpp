// Nearest words, joining, reading and hashing.
#include "instrumentation/base/text.h"

#include "instrumentation/base/error.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace wl {
namespace {

const std::vector<std::string> kVerbs = {"kernels", "run", "diagnose", "tiles", "show", "open"};

TEST(Text, AMisspeltWordFindsItsNeighbour) {
    EXPECT_EQ(nearest_word("diagnsoe", kVerbs), "diagnose");
    EXPECT_EQ(nearest_word("tile", kVerbs), "tiles");
    EXPECT_EQ(nearest_word("rnu", kVerbs), "run") << "swapped neighbours are one mistake";
    EXPECT_EQ(nearest_word("kernel", kVerbs), "kernels");
}

TEST(Text, AForeignWordFindsNothing) {
    EXPECT_EQ(nearest_word("banana", kVerbs), "");
    EXPECT_EQ(nearest_word("", kVerbs), "");
    EXPECT_EQ(nearest_word("run", {}), "");
}

TEST(Text, JoinPutsTheSeparatorBetween) {
    EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
    EXPECT_EQ(join(std::vector<std::string>{"a"}, ", "), "a");
    EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, AFileIsReadToTheLastByte) {
    const auto path = std::filesystem::temp_directory_path() / "warplens_text_test.bin";
    std::string written(200'000, '\0');
    for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<char>(i * 7);
    std::ofstream(path, std::ios::binary) << written;
    EXPECT_EQ(read_text_file(path.string()), written);
    std::filesystem::remove(path);
}

TEST(Text, AMissingFileIsNamedWithTheReason) {
    try {
        read_text_file("/nowhere/at/all.cu");
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "cannot read /nowhere/at/all.cu: No such file or directory.");
    }
    EXPECT_THROW(read_text_file("/"), Error) << "a folder is no text";
}

TEST(Text, APathOpensFromHere) {
    namespace fs = std::filesystem;
    const fs::path before = fs::current_path(),
                   folder = fs::temp_directory_path() / "warplens_text_test" / "deep";
    fs::create_directories(folder);
    std::ofstream(folder / "k.cu") << "x";
    std::ofstream(folder.parent_path() / "up.cu") << "x";
    fs::current_path(folder);
    EXPECT_EQ(path_from_here((folder / "k.cu").string()), "k.cu");
    EXPECT_EQ(path_from_here("k.cu"), "k.cu");
    EXPECT_EQ(
        path_from_here((folder.parent_path() / "up.cu").string()), (folder.parent_path() / "up.cu").string()
    );
    for (const std::string& path : {std::string("k.cu"), std::string("../up.cu")})
        EXPECT_EQ(read_text_file(path_from_here(path)), "x");
    EXPECT_EQ(path_from_here("/etc/passwd"), "/etc/passwd");
    fs::current_path(before);
    EXPECT_EQ(read_text_file(path_from_here((folder / "k.cu").string())), "x");
    fs::remove_all(folder.parent_path());
}

// FIPS 180-2, appendix B.1, and the empty message.
TEST(Text, Sha256MatchesTheStandardsExamples) {
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace wl
