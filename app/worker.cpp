// posix_spawn, a pipe for stderr, and waitpid without waiting.
#include "app/worker.h"

#include "instrumentation/base/error.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace wl::app {

namespace {

constexpr double kPatience = 2;  // seconds between SIGINT and SIGKILL

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void take_line(Worker& worker, const std::string& line) {
    if (const std::optional<Progress> progress = progress_from_line(line)) {
        worker.progress = *progress;
    } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
        constexpr std::string_view kPrefix = "warplens: error: ";
        worker.last_line = line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : line;
    }
}

void read_pipe(Worker& worker) {
    char buffer[4096];
    for (;;) {
        const ssize_t got = read(worker.pipe, buffer, sizeof buffer);
        if (got <= 0) return;
        worker.partial.append(buffer, static_cast<size_t>(got));
        size_t end = 0;
        while ((end = worker.partial.find('\n')) != std::string::npos) {
            take_line(worker, worker.partial.substr(0, end));
            worker.partial.erase(0, end + 1);
        }
    }
}

void close_pipe(Worker& worker) {
    if (worker.pipe >= 0) close(worker.pipe);
    worker.pipe = -1;
}

// Exit status 0 (clean) and 1 (findings) leave a capture (docs: the command line's contract).
void judge(Worker& worker, int status) {
    const bool asked = worker.killed_after > 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1 && !asked) {
        worker.state = WorkerState::finished;
    } else if (asked) {
        worker.state = WorkerState::cancelled;
        worker.message = "The run was cancelled; the capture shown is the previous one.";
    } else if (WIFSIGNALED(status)) {
        worker.state = WorkerState::failed;
        worker.message = "The worker was killed by signal " + std::to_string(WTERMSIG(status)) +
            "; the capture shown is the previous one.";
    } else {
        worker.state = WorkerState::failed;
        const std::string code = std::to_string(WEXITSTATUS(status));
        worker.message = worker.last_line.empty()
            ? "The worker ended with status " + code + " and said nothing."
            : worker.last_line;
    }
}

}  // namespace

std::optional<Progress> progress_from_line(const std::string& line) {
    std::istringstream words(line);
    std::string head, rest;
    Progress progress;
    if (!(words >> head >> progress.stage >> progress.fraction) || head != "progress" || words >> rest)
        return std::nullopt;
    if (!(progress.fraction >= 0 && progress.fraction <= 1)) return std::nullopt;
    return progress;
}

Worker::~Worker() {
    close_pipe(*this);
    if (process <= 0) return;
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
}

void start(Worker& worker, const std::vector<std::string>& command, std::string capture) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw Error(std::string("No pipe for a worker process: ") + std::strerror(errno) + ".");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int failed =
        posix_spawnp(&worker.process, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    worker.pipe = ends[0];
    fcntl(worker.pipe, F_SETFL, fcntl(worker.pipe, F_GETFL) | O_NONBLOCK);
    worker.capture = std::move(capture);
    if (failed == 0) return;
    worker.process = -1;
    throw Error("The worker process " + command.front() + " does not start: " + std::strerror(failed) + ".");
}

void poll(Worker& worker) {
    if (worker.process <= 0) return;
    read_pipe(worker);
    int status = 0;
    if (waitpid(worker.process, &status, WNOHANG) == worker.process) {
        read_pipe(worker);
        if (!worker.partial.empty()) take_line(worker, worker.partial);
        close_pipe(worker);
        worker.process = -1;
        judge(worker, status);
    } else if (worker.killed_after > 0 && now() > worker.killed_after) {
        kill(worker.process, SIGKILL);
    }
}

void cancel(Worker& worker) {
    if (worker.process <= 0 || worker.killed_after > 0) return;
    kill(worker.process, SIGINT);
    worker.killed_after = now() + kPatience;
}

}  // namespace wl::app
