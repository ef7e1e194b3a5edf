// Programs are started by words: what a shell would read in them reaches them as it is.
#include "instrumentation/base/os/process.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/path_list.h"
#include "instrumentation/base/os/shell_word.h"
#include "instrumentation/base/scratch.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace wl {
namespace {

namespace fs = std::filesystem;

// Every byte that a word can hold.
std::string all_bytes() {
    std::string out;
    for (int byte = 1; byte < 256; ++byte) out += static_cast<char>(byte);
    return out;
}

struct Started : testing::Test {
    Scratch scratch;
    std::string at(const std::string& name) const { return scratch.path + "/" + name; }
    Finished run(const std::vector<std::string>& words, double seconds = 60) const {
        fs::remove(at("log"));
        return run_process(words, at("log"), seconds);
    }
};

TEST_F(Started, WordsArriveAsTheyAre) {
    const std::vector<std::string> words{
        "$(touch pwned)",
        "`touch pwned`",
        "a'b\"c",
        "line\nline",
        "-rf",
        " two  words ",
        "\xe9\xff",
        "*",
        "~",
        "",
        all_bytes()};
    std::vector<std::string> command{"printf", "%s|"};
    command.insert(command.end(), words.begin(), words.end());
    std::string expected;
    for (const std::string& word : words) expected += word + "|";
    const Finished done = run(command);
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.output, expected);
}

TEST_F(Started, AShellReadsAQuotedWordAsItWas) {
    for (const char* shell : {"sh", "bash"}) {
        const Finished done = run({shell, "-c", "printf %s " + shell_word(all_bytes())});
        EXPECT_EQ(done.output, all_bytes()) << shell;
    }
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_THROW(shell_word(std::string("a\0b", 3)), Error);
}

TEST_F(Started, WhatDoesNotRunSaysWhy) {
    EXPECT_FALSE(run({"/nowhere/program"}).started);
    const auto said = [](const std::vector<std::string>& words, const ProcessOptions& options = {}) {
        try {
            start_process(words, options);
        } catch (const Error& e) { return std::string(e.what()); }
        return std::string("it runs");
    };
    EXPECT_EQ(said({"/nowhere/program"}), "/nowhere/program cannot be started: No such file or directory");
    EXPECT_EQ(said({scratch.path}), scratch.path + " cannot be started: Permission denied");
    ProcessOptions elsewhere;
    elsewhere.folder = "/nowhere";
    EXPECT_EQ(said({"true"}, elsewhere), "true cannot be started: No such file or directory");
    EXPECT_EQ(
        said({"true", std::string("a\0b", 3)}),
        "true cannot be started: a word of its command line holds a NUL byte"
    );
    EXPECT_EQ(said({}), "no program is named that could be started");
    EXPECT_THROW(start_apart({"/nowhere/program"}), Error);
}

TEST_F(Started, ItsEndIsToldByCodeOrSignal) {
    EXPECT_EQ(run({"sh", "-c", "exit 7"}).status, 7);
    EXPECT_EQ(run({"sh", "-c", "exit 127"}).status, 127) << "and it did start";
    Process killed = start_process({"sh", "-c", "kill -9 $$"});
    std::optional<ExitStatus> ended;
    while (!ended) ended = wait_for(killed);
    EXPECT_EQ(ended->signal, SIGKILL);
    EXPECT_EQ(ended->code, 0);
    EXPECT_EQ(shell_status(*ended), 137);
    EXPECT_EQ(killed.id, -1);
    EXPECT_EQ(has_ended(killed)->code, 255) << "nobody knows a second time";
}

TEST_F(Started, ItsTimeIsLimitedWithAllThatItStarted) {
    const auto begin = std::chrono::steady_clock::now();
    const Finished done =
        run({"sh", "-c", "sleep 100 & echo $! >" + shell_word(at("child")) + "; wait"}, 0.3);
    EXPECT_TRUE(done.timed_out);
    EXPECT_EQ(done.status, 128 + SIGKILL);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    pid_t child = 0;
    std::ifstream(at("child")) >> child;
    ASSERT_GT(child, 0);
    for (int k = 0; k < 500 && kill(child, 0) == 0; ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream state("/proc/" + std::to_string(child) + "/stat");
    std::string number, name, letter;
    EXPECT_TRUE(!(state >> number >> name >> letter) || letter == "Z") << "still runs: " << letter;
}

TEST_F(Started, ItsStreamsComeToUs) {
    ProcessOptions options;
    options.input = options.output = {Stream::To::us}, options.errors = {Stream::To::file, at("errors")};
    options.environment = {
        {"WL_WORD", "set"}
    };
    options.folder = scratch.path;
    Process process =
        start_process({"sh", "-c", "read line; echo \"$line $WL_WORD $PWD\"; echo bad >&2"}, options);
    ASSERT_EQ(send(process.input, "asked\n", 6, MSG_NOSIGNAL), 6);
    std::string said;
    char buffer[256];
    for (ssize_t got = 1; got != 0;) {
        pollfd wait{process.output, POLLIN, 0};
        poll(&wait, 1, 10'000);
        got = read(process.output, buffer, sizeof buffer);
        if (got > 0) said.append(buffer, static_cast<size_t>(got));
        ASSERT_TRUE(got >= 0 || errno == EAGAIN);
    }
    EXPECT_EQ(said, "asked set " + scratch.path + "\n");
    end_process(process);
    EXPECT_EQ(process.input, -1);
    EXPECT_TRUE(fs::exists(at("errors")));
}

TEST_F(Started, WhatIsStartedApartOutlivesNobodyButRuns) {
    start_apart({"touch", at("- $(made)")});
    for (int k = 0; k < 500 && !fs::exists(at("- $(made)")); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(fs::exists(at("- $(made)")));
}

// An empty element of such a list is the current folder.
TEST_F(Started, AListOfPathsGetsNoEmptyElement) {
    const char* const name = "WL_TEST_LIST";
    unsetenv(name);
    EXPECT_EQ(in_front("/a", name), "/a");
    setenv(name, "", 1);
    EXPECT_EQ(in_front("/a", name), "/a");
    EXPECT_TRUE(folders_of(name).empty());
    setenv(name, "/b:/c", 1);
    EXPECT_EQ(in_front("/a", name), "/a:/b:/c");
    EXPECT_THROW(in_front("/a:b", name), Error);
    EXPECT_THROW(in_front("/a b", name, ": "), Error);
    setenv(name, ":/b::/c:", 1);
    EXPECT_EQ(folders_of(name), (std::vector<std::string>{"/b", "/c"}));
    unsetenv(name);
    EXPECT_NE(program_in_path("sh"), "");
    EXPECT_EQ(program_in_path("no such program"), "");
}

}  // namespace
}  // namespace wl
