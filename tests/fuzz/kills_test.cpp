// The program killed at random instants while it writes: what was there is whole, what is new is whole or not
// there. WARPLENS_KILLS says how many times; `./dev fuzz kills 300`.
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

pid_t start_writer(const std::string& folder) {
    const pid_t child = fork();
    if (child != 0) return child;
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    const std::array<const char*, 10> words = {
        WL_PROGRAM,
        "run",
        WL_SEEDS "/steps_last.toml",
        "--set",
        "ROWS=16384",
        "-o",
        "run.wlcap",
        "--report",
        "run.html",
        nullptr};
    if (chdir(folder.c_str()) == 0) execv(WL_PROGRAM, const_cast<char* const*>(words.data()));
    _exit(127);
}

double seconds_undisturbed(const std::string& folder) {
    const auto begin = Clock::now();
    int status = 0;
    waitpid(start_writer(folder), &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 1) << "it has findings";
    return Seconds(Clock::now() - begin).count();
}

std::string bytes_of(const fs::path& path) { return fs::exists(path) ? test::read_file(path.string()) : ""; }

// Empty: it is as it was, or new and whole.
std::string problem_of_capture(const fs::path& path, const std::string& before) {
    if (bytes_of(path) == before) return {};
    try {
        static_cast<void>(capture::read_capture(path.string()));
        return {};
    } catch (const Error& error) { return error.what(); }
}

std::string problem_of_page(const fs::path& path, const std::string& before) {
    const std::string now = bytes_of(path);
    return now == before || now.ends_with("</html>\n")
        ? ""
        : "half a page of " + std::to_string(now.size()) + " bytes";
}

// Most instants lie late, where files are written.
double instant(std::mt19937& random, double whole) {
    const double share = static_cast<double>(random()) / std::mt19937::max();
    return random() % 4 == 0 ? share * whole : (0.6 + 0.5 * share) * whole;
}

TEST(Kills, WhileFilesAreWrittenLoseNone) {
    const char* wanted = std::getenv("WARPLENS_KILLS");
    const int kills = wanted != nullptr ? std::atoi(wanted) : 10;
    const test::TemporaryFolder folder;
    const fs::path capture = fs::path(folder.path) / "run.wlcap", page = fs::path(folder.path) / "run.html";
    double whole = seconds_undisturbed(folder.path);
    std::mt19937 random(1);
    int hit = 0, tries = 0;
    for (; hit < kills && tries < 5 * kills; ++tries) {
        if (tries % 2 == 0) fs::remove(capture), fs::remove(page);
        const std::string capture_before = bytes_of(capture), page_before = bytes_of(page);
        const pid_t writer = start_writer(folder.path);
        std::this_thread::sleep_for(Seconds(instant(random, whole)));
        kill(writer, SIGKILL);
        int status = 0;
        waitpid(writer, &status, 0);
        const bool is_hit = WIFSIGNALED(status);
        hit += is_hit ? 1 : 0;
        whole *= is_hit ? 1.02 : 0.95;  // how long a run takes now, as the machine's load changes
        EXPECT_EQ(problem_of_capture(capture, capture_before), "") << "kill " << tries;
        EXPECT_EQ(problem_of_page(page, page_before), "") << "kill " << tries;
    }
    EXPECT_EQ(hit, kills) << "the others came after the end";
    std::printf(
        "%d kills while it ran, %d after its end; a run takes about %.3f s\n", hit, tries - hit, whole
    );
}

}  // namespace
}  // namespace wl
