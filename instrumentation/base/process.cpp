// fork and exec, waited for with a deadline.
#include "instrumentation/base/process.h"

#include "instrumentation/base/text.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wl {
namespace {

constexpr int kNotThere = 127;  // as a shell says it

// Between fork and exec, where only calls that a signal handler may make are allowed. The child leads a group
// of its own, so that what it starts ends with it, and ends with us however we end.
[[noreturn]] void become(char* const* argv, const char* log, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kNotThere);
    const int nothing = open("/dev/null", O_RDONLY), output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (nothing < 0 || output < 0) _exit(kNotThere);
    dup2(nothing, STDIN_FILENO), dup2(output, STDOUT_FILENO), dup2(output, STDERR_FILENO);
    execvp(argv[0], argv);
    _exit(kNotThere);
}

bool spawn(const std::vector<std::string>& argv, const std::string& log, pid_t& child) {
    std::vector<char*> pointers;
    pointers.reserve(argv.size() + 1);
    for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    const pid_t parent = getpid();
    child = fork();
    if (child == 0) become(pointers.data(), log.c_str(), parent);
    if (child > 0) setpgid(child, child);
    return child > 0;
}

void end_group(pid_t child) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
}

}  // namespace

Finished run_process(const std::vector<std::string>& argv, const std::string& log, double timeout_seconds) {
    using Clock = std::chrono::steady_clock;
    Finished finished;
    pid_t child = 0;
    if (!spawn(argv, log, child)) return finished;
    finished.started = true;
    const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds);
    auto pause = std::chrono::milliseconds(1);
    int status = 0;
    while (true) {
        const pid_t done = waitpid(child, &status, finished.timed_out ? 0 : WNOHANG);
        if (done == child || (done < 0 && errno != EINTR)) break;
        if (done == 0 && Clock::now() > deadline) {
            end_group(child);
            finished.timed_out = true;
        }
        // A handled signal ends the pause early: whoever asked us to stop means what we started too.
        const timespec rest{0, pause.count() * 1'000'000};
        if (nanosleep(&rest, nullptr) != 0) end_group(child);
        pause = std::min(pause * 2, std::chrono::milliseconds(20));
    }
    finished.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    finished.output = std::filesystem::exists(log) ? read_text_file(log) : "";
    if (finished.status == kNotThere && finished.output.empty()) finished.started = false;
    return finished;
}

}  // namespace wl
