// posix_spawn, waited for with a deadline.
#include "instrumentation/base/process.h"

#include "instrumentation/base/text.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl {
namespace {

// The child stays in our process group, so that Ctrl-C in a terminal ends it with us.
bool spawn(const std::vector<std::string>& argv, const std::string& log, pid_t& child) {
    std::vector<char*> pointers;
    pointers.reserve(argv.size() + 1);
    for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600
    );
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0;
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
            kill(child, SIGKILL);
            finished.timed_out = true;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::milliseconds(20));
    }
    finished.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    finished.output = read_text_file(log);
    return finished;
}

}  // namespace wl
