// Signals from outside: the exit status that shells expect, and nothing left behind: no child, no file.
#include "tests/support/program.h"

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl {
namespace {

namespace fs = std::filesystem;

bool soon(const std::function<bool()>& condition) {
    for (int i = 0; i < 6000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
}

bool runs(pid_t process) { return kill(process, 0) == 0; }

// The status that it ends with.
int end(pid_t& process, int signal) {
    kill(process, signal);
    int status = 0;
    waitpid(process, &status, 0);
    process = -1;
    return status;
}

// A kernel whose reference in Python says that it has started, and then takes a minute.
struct Signals : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("warplens_signals_" + std::to_string(getpid()));
    pid_t process = -1, script = -1;

    void SetUp() override {
        fs::create_directories(folder / "temporary");
        std::ofstream(folder / "k.cu")
            << "extern \"C\" __global__ void k(float* C) { C[threadIdx.x] = 1; }\n";
        std::ofstream(folder / "k.toml")
            << R"text(args = [ { name = "C", dtype = "f32", shape = [32], output = true } ]
launch = { grid = [1], block = [32] }
reference = { python = "ref.py" }
)text";
        std::ofstream(folder / "ref.py") << "import os, time\n"
                                            "open('process', 'w').write(str(os.getpid()))\n"
                                            "os.rename('process', 'started')\n"
                                            "def reference(inputs, params):\n    time.sleep(60)\n";
        std::array<std::string, 5> words{
            WL_PROGRAM, "run", (folder / "k.toml").string(), "-o", (folder / "k.wlcap").string()};
        std::array<char*, 6> arguments{};
        for (size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
        process = fork();
        if (process == 0) {
            setenv("TMPDIR", (folder / "temporary").c_str(), 1);
            setenv("WARPLENS_PYTHON_SANDBOX", "off", 1);  // it writes that it has started
            if (chdir(folder.c_str()) == 0) execv(arguments[0], arguments.data());
            _exit(127);
        }
        ASSERT_TRUE(soon([this] { return fs::exists(folder / "started"); }));
        std::ifstream(folder / "started") >> script;
        ASSERT_TRUE(runs(script));
    }
    void TearDown() override {
        for (const pid_t left : {process, script})
            if (left > 0) kill(left, SIGKILL);
        fs::remove_all(folder);
    }
    int ended_by(int signal) { return end(process, signal); }
};

TEST_F(Signals, EachHasItsStatusAndLeavesNothing) {
    const int status = ended_by(SIGTERM);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 143);
    EXPECT_TRUE(soon([this] { return !runs(script); }));
    EXPECT_TRUE(fs::is_empty(folder / "temporary"));
    EXPECT_FALSE(fs::exists(folder / "k.wlcap"));
}

TEST_F(Signals, AClosedTerminalIsOneToo) {
    const int status = ended_by(SIGHUP);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 129);
    EXPECT_TRUE(soon([this] { return !runs(script); }));
    EXPECT_TRUE(fs::is_empty(folder / "temporary"));
}

TEST_F(Signals, WhatIsKilledLeavesNoOrphan) {
    EXPECT_TRUE(WIFSIGNALED(ended_by(SIGKILL)));
    EXPECT_TRUE(soon([this] { return !runs(script); }));
    EXPECT_TRUE(soon([this] { return fs::is_empty(folder / "temporary"); }));
}

// A compiler that says that it has started, starts something itself, and takes a minute.
struct CompilerSignals : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("warplens_compiler_signals_" + std::to_string(getpid()));
    pid_t process = -1;
    std::array<pid_t, 2> started{-1, -1};  // the compiler, and what it started

    void SetUp() override {
        fs::create_directories(folder / "temporary");
        std::ofstream(folder / "host.cu") << "#include <vector>\n__global__ void k(float* y) { y[0] = 1; }\n"
                                             "int main() { std::vector<int> v; k<<<1, 1>>>(nullptr); }\n";
        std::ofstream(folder / "nvcc")
            << "#!/bin/sh\nsleep 60 &\necho $$ $! >started.new\nmv started.new started\nwait\n";
        fs::permissions(folder / "nvcc", fs::perms::owner_all);
        const std::string source = folder / "host.cu", nvcc = folder / "nvcc";
        process = fork();
        if (process == 0) {
            setenv("TMPDIR", (folder / "temporary").c_str(), 1);
            setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
            setenv("WARPLENS_NVCC", nvcc.c_str(), 1);
            setenv("WARPLENS_CLANG", "none", 1);
            if (chdir(folder.c_str()) == 0) execl(WL_PROGRAM, WL_PROGRAM, "check", source.c_str(), nullptr);
            _exit(127);
        }
        ASSERT_TRUE(soon([this] { return fs::exists(folder / "started"); }));
        std::ifstream(folder / "started") >> started[0] >> started[1];
        ASSERT_TRUE(runs(started[0]) && runs(started[1]));
    }
    void TearDown() override {
        for (const pid_t left : {process, started[0], started[1]})
            if (left > 0) kill(left, SIGKILL);
        fs::remove_all(folder);
    }
    int ended_by(int signal) { return end(process, signal); }
};

TEST_F(CompilerSignals, EndTheCompilerAndWhatItStarted) {
    const int status = ended_by(SIGTERM);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 143);
    EXPECT_TRUE(soon([this] { return !runs(started[0]) && !runs(started[1]); }));
    started = {-1, -1};
    EXPECT_TRUE(fs::is_empty(folder / "temporary"));
}

TEST_F(CompilerSignals, ACompilerDoesNotOutliveWhoStartedIt) {
    EXPECT_TRUE(WIFSIGNALED(ended_by(SIGKILL)));
    EXPECT_TRUE(soon([this] { return !runs(started[0]); }));
    started[0] = -1;
}

// A worker knows whose it is.
TEST(SignalsOfAParent, AWorkerWhoseWindowIsGoneEndsAtOnce) {
    EXPECT_EQ(test::warplens({"kernels"}, {"WARPLENS_PARENT=1"}).status, 143);
    EXPECT_EQ(test::warplens({"kernels"}, {"WARPLENS_PARENT=" + std::to_string(getpid())}).status, 0);
}

}  // namespace
}  // namespace wl
