// `warplens run -- PROGRAM` where the program goes wrong or ends in an unusual way: what was found until then
// is told, with a clear word about the rest. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace wl::test {
namespace {

// Compiled once, with the compiler's and the runtime's files of the wheels.
struct Endings : testing::Test {
    static TemporaryFolder* folder;

    static void SetUpTestSuite() { compiled((folder = new TemporaryFolder)->path, "endings"); }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!std::filesystem::exists(folder->path + "/endings"))
            GTEST_SKIP() << "no nvcc: " << read_file(folder->path + "/said");
    }

    static Said run(const std::string& what, std::vector<std::string> options = {}) {
        options.insert(options.begin(), "run");
        options.insert(options.end(), {"--", folder->path + "/endings", what});
        return warplens(options);
    }
};
TemporaryFolder* Endings::folder = nullptr;

// The launch with a race that comes before everything else.
void expect_race(const Said& said) {
    EXPECT_TRUE(has(said.err, "[1] race_shared (256 times)")) << said.err;
    EXPECT_EQ(said.status, 1) << said.err;
}

TEST_F(Endings, AProgramThatDiesLosesNoFinding) {
    const Said segfault = run("segfault"), aborted = run("abort"), thrown = run("throw"), term = run("term");
    for (const Said& said : {segfault, aborted, thrown, term}) expect_race(said);
    EXPECT_TRUE(has(segfault.err, "was ended by signal 11 (Segmentation fault), after launch 1; the host"))
        << segfault.err;
    EXPECT_TRUE(has(aborted.err, "was ended by signal 6 (Aborted), after launch 1\n")) << aborted.err;
    EXPECT_TRUE(has(thrown.err, "was ended by signal 6 (Aborted), after launch 1\n")) << thrown.err;
    EXPECT_TRUE(has(term.err, "was ended by signal 15 (Terminated), after launch 1\n")) << term.err;
}

TEST_F(Endings, WorkThatWaitsIsDoneByExitAndToldWhereItCannotBe) {
    const Said by_exit = run("exit");
    expect_race(by_exit);
    EXPECT_TRUE(has(by_exit.err, "the program ended with status 3")) << by_exit.err;
    EXPECT_FALSE(has(by_exit.err, "not executed")) << by_exit.err;
    for (const char* way : {"_exit", "quick"}) {
        const Said said = run(way);
        expect_race(said);
        EXPECT_TRUE(
            has(said.err, "x 6, ") &&
            has(said.err,
                "3 not executed, as the program ended, not by exit(), before it read what they would leave")
        ) << said.err;
    }
}

TEST_F(Endings, ASignalAfterAnErrorThatIsNotLookedAtIsUnsupported) {
    const Said said = run("ignores");
    EXPECT_EQ(said.status, 3) << said.err;
    const size_t call =
        said.err.find("cudaMallocMipmappedArray is not supported; the program got cudaErrorNotSupported, at "
        );
    const size_t signal = said.err.find("the program was ended by signal 11 (Segmentation fault)");
    EXPECT_TRUE(has(said.err, "ignores() in endings")) << said.err;
    EXPECT_TRUE(call != std::string::npos && signal != std::string::npos && call < signal) << said.err;
    EXPECT_TRUE(has(said.err, "unsupported: 0 launches")) << said.err;
}

// As the driver has it (docs/measured/wild-calls-h100.json); another thread launches all the while.
TEST_F(Endings, AChildOfAForkGetsAnErrorAndEnds) {
    const Said said = run("fork"), busy = run("forks while another thread launches");
    expect_race(said);
    EXPECT_EQ(said.out, "child: cudaErrorInitializationError\nparent, the child ended with 0\n");
    EXPECT_TRUE(has(said.err, "note: the program forked after it had used the device")) << said.err;
    EXPECT_EQ(busy.out, "8 children ended with cudaErrorInitializationError\n") << busy.err;
    EXPECT_EQ(busy.status, 0) << busy.err;
}

TEST_F(Endings, ASecondDeviceIsRefusedAndTheFirstGoesOn) {
    const Said said = run("device");
    expect_race(said);
    EXPECT_EQ(said.out, "set: cudaErrorInvalidDevice\nlast: cudaErrorInvalidDevice\n2\n");
    EXPECT_TRUE(has(said.err, "the program asks for device 1; there is one, device 0")) << said.err;
}

TEST_F(Endings, ThreadsAtexitAndDestructorsLaunchAsMainDoes) {
    const Said threads = run("threads"), at_exit = run("atexit"), destructor = run("destructor");
    for (const Said& said : {threads, at_exit, destructor}) expect_race(said);
    EXPECT_TRUE(has(threads.err, "launches 1-2: race(float*)")) << threads.err;
    EXPECT_EQ(destructor.out, "in a destructor 6\n");
    EXPECT_TRUE(has(destructor.err, "findings: 2 launches, 1 with")) << destructor.err;
}

TEST_F(Endings, FreedMemoryIsNamedToKernelsCopiesAndFrees) {
    const Said freed = run("freed"), waits = run("freed waits"), twice = run("double");
    EXPECT_EQ(freed.out, "copy: cudaErrorInvalidValue\nkernel: cudaSuccess\n");
    EXPECT_EQ(waits.out, "copy: cudaErrorInvalidValue\nfree: cudaErrorInvalidValue\nkernel: cudaSuccess\n");
    for (const Said& said : {freed, waits}) {
        EXPECT_EQ(said.status, 1);
        EXPECT_TRUE(has(said.err, "[1] out_of_bounds (512 times)")) << said.err;
        EXPECT_TRUE(has(said.err, "0 bytes into allocation 1, which the program had freed")) << said.err;
        EXPECT_TRUE(has(said.err, "note: the program copies or fills allocation 1, which it had freed\n"))
            << said.err;
    }
    expect_race(twice);
    EXPECT_TRUE(has(twice.err, "note: the program frees allocation 1 once more\n")) << twice.err;
    EXPECT_TRUE(has(twice.err, "note: the program frees memory of the host, or what")) << twice.err;
    EXPECT_TRUE(has(twice.err, "frees 4 bytes into allocation 3; only its first byte's address can be freed"))
        << twice.err;
}

TEST_F(Endings, AResetGivesMemoryBackAndVariablesBeginAnew) {
    const Said said = run("reset");
    expect_race(said);
    EXPECT_EQ(
        said.out,
        "reset: cudaSuccess\n2, counted 6\ncopy: cudaErrorInvalidValue\nfree: cudaErrorInvalidValue\n"
        "kernel: cudaSuccess\n"
    );
    EXPECT_TRUE(has(said.err, "copies or fills allocation 2 (until cudaDeviceReset), which it had freed"))
        << said.err;
    // Another allocation lies before it, and has nothing to do with it.
    EXPECT_TRUE(has(said.err, "reads 4 bytes at freed global address ")) << said.err;
    EXPECT_TRUE(has(said.err, "; 0 bytes into allocation 2 (until cudaDeviceReset), which")) << said.err;
    EXPECT_FALSE(has(said.err, "past the end of")) << said.err;
}

TEST_F(Endings, APointerOfTheHostIsNoIndexOutOfBounds) {
    for (const std::string where : {"stack", "heap"}) {
        const Said said = run("pointer to a " + where);
        EXPECT_EQ(said.status, 1);
        EXPECT_TRUE(has(said.err, "reads memory of the host, its " + where)) << said.err;
        EXPECT_TRUE(has(said.err, "at host " + where + " address 0x")) << said.err;
        EXPECT_TRUE(has(said.err, "cudaMalloc(), fill it with cudaMemcpy()")) << said.err;
        EXPECT_FALSE(has(said.err, "Check the index")) << said.err;
    }
    const Said index = run("pointer to a registered heap");
    EXPECT_EQ(index.status, 1);
    EXPECT_TRUE(has(index.err, "right past the end of allocation 1 (1024 bytes)")) << index.err;
    EXPECT_FALSE(has(index.err, "memory of the host")) << index.err;
}

TEST_F(Endings, ATextureWhoseMemoryIsGoneIsAFinding) {
    const Said said = run("textures");
    expect_race(said);
    EXPECT_EQ(said.out, "1\nfreed: cudaSuccess\nreset: cudaSuccess\narray: cudaErrorInvalidValue\n");
    EXPECT_TRUE(has(said.err, "0 bytes into allocation 2, which the program had freed")) << said.err;
    EXPECT_TRUE(has(said.err, "0 bytes into allocation 4 (until cudaDeviceReset), which")) << said.err;
}

TEST_F(Endings, StreamsAndEventsEndWithAResetAndAreToldWhenTheyAreUsed) {
    const Said said = run("handles");
    expect_race(said);
    EXPECT_EQ(
        said.out,
        "destroyed: cudaSuccess\nquery: cudaErrorInvalidResourceHandle\nrecord: cudaSuccess\nreset: "
        "cudaSuccess\n"
        "kernel: cudaErrorContextIsDestroyed\nwait: cudaErrorContextIsDestroyed\n"
        "event: cudaErrorContextIsDestroyed\nrecord: cudaErrorContextIsDestroyed\n"
        "destroy: cudaErrorContextIsDestroyed\nanew: cudaSuccess\n2\n"
    );
    EXPECT_TRUE(has(said.err, "note: the program uses a stream that cudaDeviceReset has destroyed\n"))
        << said.err;
    EXPECT_TRUE(has(said.err, "note: the program uses an event that cudaDeviceReset has destroyed\n"))
        << said.err;
    EXPECT_TRUE(has(said.err, "note: the program uses a stream that is not there, or that it had destroyed\n")
    ) << said.err;
}

// `warplens run` of the program alone, away from any terminal; signals go to `warplens` only.
struct Signalled {
    std::string folder;
    pid_t process = -1;

    Signalled(const std::string& at, const std::string& mode) : folder(at + "/" + mode + "_signalled") {
        std::filesystem::create_directories(folder);
        process = fork();
        if (process != 0) return;
        for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
        setenv("TMPDIR", folder.c_str(), 1);
        const int out = open((folder + "/said").c_str(), O_WRONLY | O_CREAT, 0600);
        dup2(out, STDOUT_FILENO), dup2(out, STDERR_FILENO);
        const std::string program = at + "/endings";
        execl(WL_PROGRAM, WL_PROGRAM, "run", "--", program.c_str(), mode.c_str(), nullptr);
        _exit(127);
    }
    // Its long kernel has begun.
    bool is_busy() const {
        for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
            if (file.path().filename() == "report.jsonl" &&
                read_file(file.path()).find("generate") != std::string::npos)
                return true;
        return false;
    }
    void wait_until_busy() const {
        for (int k = 0; k < 1000 && !is_busy(); ++k) pause();
    }
    static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
    Said end() {
        int state = 0;
        waitpid(process, &state, 0);
        return {
            WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state), "", read_file(folder + "/said")};
    }
};

TEST_F(Endings, ASignalReachesTheProgramAndALaunchThatHadBegunIsTold) {
    for (const int signal : {SIGINT, SIGTERM}) {
        Signalled run(folder->path, signal == SIGINT ? "long" : "long again");
        run.wait_until_busy();
        kill(run.process, signal);
        const Said said = run.end();
        EXPECT_TRUE(has(said.err, "[1] race_shared (256 times)")) << said.err;
        EXPECT_TRUE(has(said.err, "block 1x1x1; it had begun, and was not over when the program ended\n"))
            << said.err;
        EXPECT_TRUE(has(said.err, "was ended by signal " + std::to_string(signal))) << said.err;
        EXPECT_TRUE(has(said.err, "), in launch 2\n")) << said.err;
        EXPECT_EQ(said.status, 128 + signal) << said.err;
    }
}

TEST_F(Endings, AProgramThatIgnoresTheSignalIsKilledByTheSecond) {
    Signalled run(folder->path, "deaf");
    run.wait_until_busy();
    kill(run.process, SIGINT);
    for (int k = 0; k < 30; ++k) Signalled::pause();
    kill(run.process, SIGINT);
    const Said said = run.end();
    EXPECT_TRUE(has(said.err, "[1] race_shared (256 times)")) << said.err;
    EXPECT_TRUE(has(said.err, "was ended by signal 9 (Killed), in launch 2\n")) << said.err;
}

TEST_F(Endings, ABlockThatWorksForLongIsNotTakenForOneThatWaits) {
    const Said said = run("work");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, "right\n");
}

TEST_F(Endings, BytesThatNobodyWroteAreToldBehindACopyIntoWrittenOnes) {
    const Said said = run("unwritten");
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_EQ(said.out, "2\n");
    EXPECT_TRUE(has(said.err, "launch 1: scale(float*), grid 1x1x1, block 256x1x1; ")) << said.err;
    EXPECT_TRUE(has(said.err, "uninitialised (128 times)")) << "half of them: " << said.err;
}

}  // namespace
}  // namespace wl::test
