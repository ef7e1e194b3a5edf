// What steers a terminal or breaks a format is shown; and text has one way out of the program.
#include "instrumentation/base/output/visible.h"

#include "instrumentation/base/output/terminal.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace wl {
namespace {

namespace fs = std::filesystem;

TEST(Visible, WhatSteersATerminalIsShownAndTextStays) {
    const std::string plain = "x = y;\t// Gr\u00fc\u00dfe, \u65e5\u672c, \U0001F600\n";
    EXPECT_EQ(visible(plain), plain);
    EXPECT_EQ(visible("\033[31m\r\b\a\x7f"), "\\u001b[31m\\u000d\\u0008\\u0007\\u007f");
    EXPECT_EQ(visible("a\r\nb\rc\r"), "a\nb\\u000dc") << "line breaks of other systems";
    EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\u0000b");
    EXPECT_EQ(visible("\xc2\x9b\xc2\x80\xc2\x9f\xc2\xa0"), "\\u009b\\u0080\\u009f\xc2\xa0");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): as a file may hold it
    EXPECT_EQ(visible("\u202a\u202e\u2066\u2069\u2065"), "\\u202a\\u202e\\u2066\\u2069\u2065");
    EXPECT_EQ(visible("\uffff\ufffe\ufffd"), "\\uffff\\ufffe\ufffd");
    EXPECT_EQ(visible_line("a\tb\n"), "a\\u0009b\\u000a");
}

TEST(Visible, BytesThatAreNoUtf8AreShown) {
    EXPECT_EQ(visible("caf\xe9 "), "caf\\xe9 ");
    EXPECT_EQ(visible("\x9b"), "\\x9b");
    EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
    EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
    EXPECT_EQ(visible("\xe2\x82"), "\\xe2\\x82") << "cut off";
    EXPECT_EQ(visible("\xff\xfe"), "\\xff\\xfe");
}

TEST(Visible, MarkupIsText) {
    EXPECT_EQ(escape_markup("<a b=\"c\">&\x1b"), "&lt;a b=&quot;c&quot;&gt;&amp;\\u001b");
}

TEST(Visible, OnlyOurOwnColoursPass) {
    testing::internal::CaptureStdout();
    print_text(coloured("31", "red \033[32m") + " \033[31mnot\033[0m\n");
    print_text(with_its_colours("\033[1mbold\033[0m \033[2J\n"));
    EXPECT_EQ(
        testing::internal::GetCapturedStdout(),
        "\033[31mred \\u001b[32m\033[0m \\u001b[31mnot\\u001b[0m\n\033[1mbold\033[0m \\u001b[2J\n"
    );
}

using Words = std::vector<std::string>;

// The first of these words that a line uses, as a word of its own; else empty.
std::string used(const std::string& line, const Words& words) {
    const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (const std::string& word : words)
        for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1))
            if ((at == 0 || !is_name(line[at - 1])) &&
                (word.ends_with('(') || at + word.size() == line.size() || !is_name(line[at + word.size()])))
                return word;
    return {};
}

// Lines of the program's own sources that use a word, outside `ways`.
std::string uses_of(const Words& words, const std::set<std::string>& ways) {
    std::string out;
    size_t seen = 0;
    for (const char* folder : {"app", "instrumentation"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(WL_SOURCE_DIR) / folder)) {
            const std::string path = fs::relative(entry.path(), WL_SOURCE_DIR).generic_string();
            if ((!path.ends_with(".cpp") && !path.ends_with(".h")) || ways.contains(path)) continue;
            std::ifstream file(entry.path());
            int number = 0;
            for (std::string line; std::getline(file, line); ++seen)
                if (++number; !used(line, words).empty()) out += path + ":" + std::to_string(number) + "\n";
        }
    return seen > 50000 ? out : "the sources were not found";
}

// The stand-ins, in shim/, print what a user's kernel prints.
TEST(Output, TextHasOneWayOut) {
    const Words print = {
        "fputs(", "fprintf(", "printf(", "puts(", "fwrite(", "putchar(", "vprintf(", "cout", "cerr"};
    EXPECT_EQ(uses_of(print, {"instrumentation/base/output/terminal.cpp"}), "") << "use print_text";
    EXPECT_EQ(uses_of({"dump("}, {"instrumentation/base/output/json_text.h"}), "") << "use json_text";
    EXPECT_EQ(used("    std::fputs(x, stdout);", print), "fputs(");
    EXPECT_EQ(used("    add_outputs(x); snprintf(y);", print), "");
}

// Files that somebody keeps are written by atomic_file.h; these write into folders of our own, the cache, and
// what nvcc made to where it was asked for.
TEST(Output, FilesHaveOneWayOut) {
    const std::set<std::string> ours = {
        "app/cli/bench/torch.cpp",
        "app/cli/learn/check.cpp",
        "app/cli/programs/function_reference.cpp",
        "app/cli/programs/nvcc.cpp",
        "app/worker/trusted.cpp",
        "instrumentation/compile/cache.cpp",
        "instrumentation/compile/host_compiler.cpp",
        "instrumentation/compile/plain_names.cpp",
        "instrumentation/diagnosis/resources.cpp",
        "instrumentation/manifest/python.cpp",
        "instrumentation/manifest/python_server.cpp"};
    EXPECT_EQ(uses_of({"ofstream", "copy_file(", "stbi_write_png("}, ours), "") << "use write_text_file";
}

}  // namespace
}  // namespace wl
