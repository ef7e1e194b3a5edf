// Every verb ends when a signal asks it to, wherever it is: within two seconds, with the status of the
// signal, and with nothing left behind.
#include "tests/support/program.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <poll.h>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace wl::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Twice that beside the other tests, more where others keep the machine busy.
double two_seconds() {
    double load = 0;
    getloadavg(&load, 1);
    return 2 * std::clamp(load / std::max(1U, std::thread::hardware_concurrency()), 2.0, 20.0);
}

constexpr const char* kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

// Blocks that race, so that a launch is gone through twice; as many as take minutes.
std::string racy_ptx() {
    return std::string(kHead) +
        ".visible .entry k(.param .u64 x)\n{\n .reg .b32 %r<4>; .reg .b64 %rd<4>;\n ld.param.u64 %rd1, [x];\n"
        " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, "
        "%rd2;\n"
        " st.global.u32 [%rd3], %r2;\n ret;\n}\n";
}

// Prints for ever, as far as anybody can wait.
std::string printing_ptx() {
    return std::string(kHead) +
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
        ".visible .entry k(.param .u64 x)\n{\n .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;\n"
        " mov.u32 %r1, 0;\nL: mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1;\n mov.u64 %rd2, 0;\n"
        " { .param .b64 f; .param .b64 a; .param .b32 r;\n st.param.b64 [f], %rd1; st.param.b64 [a], %rd2;\n"
        " call.uni (r), vprintf, (f, a); ld.param.b32 %r2, [r]; }\n"
        " add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 2000000000; @%p bra L;\n ret;\n}\n";
}

// Lanes that call different invalid addresses.
std::string wild_calls_ptx() {
    return std::string(kHead) +
        ".func f() { ret; }\n.visible .entry k(.param .u64 x)\n{\n .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
        " mov.u32 %r1, %tid.x;\n cvt.u64.u32 %rd1, %r1;\n p: .callprototype ()_ ();\n call %rd1, (), p;\n "
        "ret;\n}\n";
}

std::string manifest(
    const std::string& source,
    const std::string& grid,
    const std::string& block = "32",
    const std::string& fill = "zeros"
) {
    return "source = \"" + source + "\"\nargs = [ { name = \"x\", dtype = \"f32\", shape = [64], fill = \"" +
        fill + "\", output = true } ]\nlaunch = { grid = [" + grid + "], block = [" + block +
        "] }\noutput.x = { compare = false }\n";
}

struct Case {
    std::string verb;
    Words rest;
    bool is_short = false;  // may be over before a signal comes
};

// A verb and its words. Behind a question mark: may be over before a signal comes.
constexpr std::array kCases = {
    "run racy.toml",
    "run printing.toml",
    "run pipe.toml",
    "? run zeros.toml",
    "run asking.toml",
    "run -- sleep 60",
    "diagnose racy.toml",
    "diagnose pipe.wllaunch",
    "? diagnose pipe.wlcap",
    "? tiles pipe.wlcap",
    "? show pipe.wlcap --tile s -o s.png",
    "? open pipe.wlcap --screenshot s.png",
    "check pipe.ptx",
    "init asked.cu",
    "banks racy.toml",
    "hazards racy.toml",
    "estimate pipe.toml",
    "? at racy.toml --line 7",
    "? accept racy.toml",
    "record -o r.wllaunch -- sleep 60",
    "sweep racy.toml --seeds 4",
    "sweep --merge pipe.json",
    "? why racy.toml --tile x --element 0,0",
    "writers racy.toml --array x",
    "compare racy.toml racy.toml",
    "nvcc k.cu",
    "? bench pipe.toml",
    "? learn",
    "? kernels",
    "? devices",
    "? fragments",
    "? layout (4,8):(8,1)",
    "? help",
    "? completion bash",
    "? manual",
};

std::vector<Case> read_cases() {
    std::vector<Case> out;
    for (const char* const text : kCases) {
        std::istringstream words(text);
        Case one;
        words >> one.verb;
        one.is_short = one.verb == "?";
        if (one.is_short) words >> one.verb;
        for (std::string word; words >> word;) one.rest.push_back(word);
        out.push_back(std::move(one));
    }
    return out;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> kRead = read_cases();
    return kRead;
}

struct Running {
    const Case* what = nullptr;
    std::string folder;
    pid_t process = -1;
    int signal = SIGTERM;
    double at = 0;  // seconds after its start
    Clock::time_point begin = Clock::now(), asked = begin;
    bool is_asked = false;
    int status = -1;
    double took = 0;  // seconds since it was asked
};

void start(Running& r, const std::string& inputs) {
    fs::create_directories(r.folder + "/tmp");
    for (const auto& entry : fs::directory_iterator(inputs))
        fs::create_symlink(entry.path(), r.folder + "/" + entry.path().filename().string());
    Words words = {WL_PROGRAM, r.what->verb};
    words.insert(words.end(), r.what->rest.begin(), r.what->rest.end());
    r.process = fork();
    if (r.process != 0) return;
    setpgid(0, 0);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    setenv("WARPLENS_GRACE", "60", 1);  // what can be asked ends when it is asked
    setenv("TMPDIR", (r.folder + "/tmp").c_str(), 1);
    setenv("XDG_CACHE_HOME", (r.folder + "/cache").c_str(), 1);
    setenv("PATH", (inputs + ":" + std::getenv("PATH")).c_str(), 1);
    if (chdir(r.folder.c_str()) != 0) _exit(127);
    const int out = open("said", O_WRONLY | O_CREAT, 0600), none = open("/dev/null", O_RDONLY);
    dup2(none, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(out, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
}

// True: it is over.
bool look(Running& r) {
    if (r.process < 0) return true;
    if (!r.is_asked && seconds_since(r.begin) >= r.at) {
        r.is_asked = true, r.asked = Clock::now();
        kill(r.process, r.signal);
    }
    if (waitpid(r.process, &r.status, WNOHANG) == r.process) {
        r.process = -1, r.took = seconds_since(r.asked);
    } else if (r.is_asked && seconds_since(r.asked) > 60) {
        kill(r.process, SIGKILL);
    }
    return r.process < 0;
}

struct Stop : testing::Test {
    TemporaryFolder folder;
    std::string inputs = folder.path + "/inputs";

    void SetUp() override {
        prctl(PR_SET_CHILD_SUBREAPER, 1);  // what outlives its parent becomes ours
        fs::create_directories(inputs);
        const auto write = [&](const std::string& name, const std::string& text) {
            write_file(inputs + "/" + name, text);
        };
        write("racy.ptx", racy_ptx()), write("racy.toml", manifest("racy.ptx", "5000000"));
        write("printing.ptx", printing_ptx()), write("printing.toml", manifest("printing.ptx", "4"));
        write("wild.ptx", wild_calls_ptx()), write("wild.toml", manifest("wild.ptx", "1", "2"));
        write("small.toml", manifest("racy.ptx", "1"));
        write("pipe.toml", manifest("racy.ptx", "1", "32", "pipe.npy"));
        write("zeros.toml", manifest("racy.ptx", "1", "32", "zeros.npy"));
        write("asking.toml", manifest("racy.ptx", "1") + "reference = { python = \"ref.py\" }\n");
        write("ref.py", "import time\ndef reference(inputs, params):\n    time.sleep(60)\n");
        write("nvcc", "#!/bin/sh\nexec sleep 60\n");
        fs::permissions(inputs + "/nvcc", fs::perms::owner_all);
        write("k.cu", "__global__ void k() {}\n");
        for (const char* name :
             {"pipe.npy", "pipe.ptx", "asked.cu", "pipe.wllaunch", "pipe.wlcap", "pipe.json"})
            mkfifo((inputs + "/" + name).c_str(), 0600);
        fs::create_symlink("/dev/zero", inputs + "/zeros.npy");
    }
    void TearDown() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

    // Processes that outlived theirs; they are ended.
    static size_t orphans() {
        const auto begin = Clock::now();
        while (seconds_since(begin) < two_seconds()) {
            const pid_t ended = waitpid(-1, nullptr, WNOHANG);
            if (ended < 0) return 0;  // there are none
            if (ended == 0) pause(0.01);
        }
        const std::string self = std::to_string(getpid());
        std::istringstream left(read_file("/proc/self/task/" + self + "/children"));
        size_t count = 0;
        for (pid_t process = 0; left >> process; ++count)
            kill(process, SIGKILL), waitpid(process, nullptr, 0);
        return count;
    }
};

void expect_ended(const Running& r) {
    std::string line = r.what->verb;
    for (const std::string& word : r.what->rest) line += " " + word;
    const std::string about = line + ", signal " + std::to_string(r.signal) + " after " +
        std::to_string(r.at) + " s: " + read_file(r.folder + "/said");
    if (!r.is_asked) {  // it was over before
        EXPECT_TRUE(r.what->is_short) << about;
        return;
    }
    EXPECT_LE(r.took, two_seconds()) << about;
    const int status = WIFSIGNALED(r.status) ? 128 + WTERMSIG(r.status) : WEXITSTATUS(r.status);
    if (!r.what->is_short || status > 3) { EXPECT_EQ(status, 128 + r.signal) << about; }
    for (const auto& left : fs::directory_iterator(r.folder + "/tmp"))
        ADD_FAILURE() << left.path() << " is left: " << about;
}

TEST_F(Stop, EveryVerbIsTried) {
    std::set<std::string> tried, verbs;
    for (const Case& c : cases()) tried.insert(c.verb);
    const std::string table = read_file(source_path("app/cli/main.cpp"));
    const std::regex row(R"re(\{"([a-z]+)", wl::app::verb_)re");
    for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at)
        verbs.insert((*at)[1]);
    EXPECT_GT(verbs.size(), 20u);
    EXPECT_EQ(tried, verbs);
}

// WARPLENS_SIGNALS: the seed of the instants.
TEST_F(Stop, EveryVerbEndsSoonAfterASignalAtAnyInstant) {
    const char* const seed = std::getenv("WARPLENS_SIGNALS");
    std::mt19937 random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1);
    constexpr size_t kAtATime = 6;
    std::vector<Running> all(cases().size());
    for (size_t first = 0; first < all.size(); first += kAtATime) {
        const size_t end = std::min(first + kAtATime, all.size());
        for (size_t k = first; k < end; ++k) {
            Running& r = all[k];
            r.what = &cases()[k], r.folder = folder.path + "/" + std::to_string(k);
            r.signal = std::array{SIGINT, SIGTERM, SIGHUP}[random() % 3];
            r.at = 0.05 + 0.6 * std::uniform_real_distribution()(random);
            start(r, inputs);
            r.begin = Clock::now();
        }
        for (bool over = false; !over; pause(0.002)) {
            over = true;
            for (size_t k = first; k < end; ++k) over = look(all[k]) && over;
        }
    }
    for (const Running& r : all) expect_ended(r);
    EXPECT_EQ(orphans(), 0U);
}

// Blocked in a write that nobody takes, it cannot be asked.
struct Blocked {
    pid_t process = -1;
    int out = -1;
    Blocked() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
        fcntl(ends[1], F_SETPIPE_SZ, 4096);
        out = ends[0];
        process = fork();
        if (process == 0) {
            dup2(ends[1], STDOUT_FILENO);
            execl(WL_PROGRAM, WL_PROGRAM, "manual", nullptr);
            _exit(127);
        }
        close(ends[1]);
        pollfd text{out, POLLIN, 0};  // it prints: signals have their handlers
        poll(&text, 1, 60'000);
    }
    int end() const {
        int status = 0;
        waitpid(process, &status, 0);
        close(out);
        return status;
    }
};

TEST_F(Stop, WhatCannotBeAskedIsEndedAllTheSame) {
    const Blocked blocked;
    pause(0.3);
    const auto begin = Clock::now();
    kill(blocked.process, SIGTERM);
    const int status = blocked.end();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
    EXPECT_LE(seconds_since(begin), two_seconds());
}

TEST_F(Stop, TheSecondSignalKillsAtOnce) {
    const Blocked blocked;
    pause(0.3);
    kill(blocked.process, SIGTERM);
    pause(0.4);
    kill(blocked.process, SIGINT);
    const int status = blocked.end();
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGINT);
}

// timeout(1) sends two at once.
TEST_F(Stop, TwoSignalsAtOnceAreOne) {
    const Blocked blocked;
    pause(0.3);
    kill(blocked.process, SIGTERM);
    pause(0.02);
    kill(blocked.process, SIGTERM);
    const int status = blocked.end();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

TEST_F(Stop, WhatIsSaidOfTheFileIsTrue) {
    std::mt19937 random(7);
    const Case one{
        "run", {"small.toml", "-o", "c.wlcap"},
         true
    };
    for (int k = 0; k < 6; ++k) {
        Running r;
        r.what = &one, r.folder = folder.path + "/saving" + std::to_string(k);
        r.at = 0.3 * std::uniform_real_distribution()(random);
        start(r, inputs);
        r.begin = Clock::now();
        while (!look(r)) pause(0.001);
        const std::string said = read_file(r.folder + "/said");
        const bool none = said.find("nothing was written") != std::string::npos;
        const bool is_asked = WIFEXITED(r.status) && WEXITSTATUS(r.status) == 128 + SIGTERM;
        if (is_asked && none) { EXPECT_FALSE(fs::exists(r.folder + "/c.wlcap")) << said; }
        if (!fs::exists(r.folder + "/c.wlcap")) continue;
        EXPECT_EQ(warplens({"tiles", r.folder + "/c.wlcap"}).status, 0) << said;
        EXPECT_FALSE(none) << said;
    }
}

TEST_F(Stop, LanesThatCallDifferentWrongAddressesAreAFinding) {
    const Said said = warplens({"run", inputs + "/wild.toml", "-o", "w.wlcap"});
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_NE(said.out.find("the called address 0x0 is no function's"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("lane 0"), std::string::npos) << said.out;
}

}  // namespace
}  // namespace wl::test
