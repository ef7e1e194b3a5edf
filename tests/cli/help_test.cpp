// Help, completion and the manual: made from the grammar, so that none of them can lack a verb or an option.
#include "tests/support/program.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace wl::test {
namespace {

std::vector<std::string> completions(const std::vector<std::string>& typed) {
    std::vector<std::string> words = {"__complete"};
    words.insert(words.end(), typed.begin(), typed.end());
    std::istringstream lines(warplens(words).out);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) found.push_back(line.substr(0, line.find('\t')));
    return found;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Help, AVerbIsExplainedByHelpAsByItsOwnOption) {
    const Said by_verb = warplens({"help", "diagnose"}), by_option = warplens({"diagnose", "--help"});
    EXPECT_EQ(by_verb.status, 0);
    EXPECT_EQ(by_verb.out, by_option.out);
    EXPECT_NE(by_verb.out.find("warplens diagnose v2c_3 --fault 32x"), std::string::npos);
    EXPECT_EQ(warplens({"help"}).out, warplens({"--help"}).out);
}

TEST(Help, AnUnknownVerbIsAnsweredWithTheNearest) {
    const Said said = warplens({"help", "diagnoze"});
    EXPECT_EQ(said.status, 2);
    EXPECT_EQ(said.err, "warplens: error: there is no verb 'diagnoze'; did you mean 'diagnose'?\n");
}

TEST(Help, TheVersionHasTwoSpellings) {
    EXPECT_EQ(warplens({"-V"}).status, 0);
    EXPECT_EQ(warplens({"-V"}).out, warplens({"--version"}).out);
}

TEST(Completion, OffersVerbsOptionsKernelsFaultsAndPresets) {
    EXPECT_EQ(completions({"diag"}), std::vector<std::string>{"diagnose"});
    EXPECT_TRUE(has(completions({"diagnose", "--f"}), "--fault"));
    EXPECT_TRUE(has(completions({"diagnose", ""}), "v2c_3"));
    EXPECT_EQ(completions({"diagnose", "v2c_3", "--fault", "3"}), std::vector<std::string>{"32x"});
    EXPECT_TRUE(has(completions({"run", "v2c_3", "--preset", ""}), "mission"));
    EXPECT_EQ(completions({"run", "--color", "al"}), std::vector<std::string>{"always"});
    EXPECT_EQ(completions({"learn", "03"}), std::vector<std::string>{"03-races"});
    EXPECT_TRUE(has(completions({"learn", "--"}), "--hint"));
}

TEST(Completion, LeavesPathsAndUnknownWordsToTheShell) {
    EXPECT_TRUE(completions({"diagnose", "./"}).empty());
    EXPECT_TRUE(completions({"nosuchverb", ""}).empty());
    EXPECT_TRUE(completions({"run", "v2c_3", "-o", ""}).empty());
    EXPECT_TRUE(completions({"run", "nosuchkernel", "--fault", ""}).empty());
}

// The real shell, with the script as a user takes it over.
TEST(Completion, BashCompletesByTheScript) {
    const TemporaryFolder folder;
    write_file(folder.path + "/complete.bash", warplens({"completion", "bash"}).out);
    const std::string program = WL_PROGRAM, script = folder.path + "/type.bash";
    write_file(
        script,
        "PATH=" + program.substr(0, program.rfind('/')) + ":$PATH\nsource " + folder.path +
            "/complete.bash\nCOMP_WORDS=(warplens diagnose v2c_3 --fault 3)\nCOMP_CWORD=4\n_warplens\n"
            "printf '%s\\n' \"${COMPREPLY[@]}\" >" +
            folder.path + "/answer\n"
    );
    ASSERT_EQ(std::system(("bash " + script).c_str()), 0);
    EXPECT_EQ(read_file(folder.path + "/answer"), "32x\n");
    EXPECT_EQ(warplens({"completion", "ksh"}).status, 2);
}

TEST(Manual, SaysEveryVerbWithItsOptionsAndExample) {
    const std::string page = warplens({"manual"}).out;
    EXPECT_TRUE(page.starts_with(".TH WARPLENS 1 "));
    for (const std::string& verb : completions({""}))
        EXPECT_NE(page.find(".SS warplens " + verb + "\n"), std::string::npos);
    EXPECT_NE(page.find("\\fB\\-\\-schedule\\fR \\fIVALUE\\fR"), std::string::npos);
    EXPECT_NE(page.find("warplens diagnose v2c_3 \\-\\-fault 32x"), std::string::npos);
}

}  // namespace
}  // namespace wl::test
