// posix_spawn, sockets for its three files, and waitpid without waiting.
#include "app/worker/worker.h"

#include "instrumentation/base/error.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wl::app {

namespace {

constexpr double kPatience = 2;  // seconds between SIGINT and SIGKILL

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void judge_line(Worker& worker, const std::string& line) {
    if (const std::optional<Progress> progress = progress_from_line(line)) {
        worker.progress = *progress;
        worker.judged = worker.judged || progress->stage == kJudged;
    } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
        constexpr std::string_view kPrefix = "warplens: error: ";
        worker.last_line = line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : line;
        if (auto complaint = complaint_from_line(line)) worker.complaints.push_back(std::move(*complaint));
    }
}

// All that has come.
std::string read_pipe(int pipe) {
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(pipe, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(got));
    return text;
}

std::optional<std::string> cut_line(std::string& text) {
    const size_t end = text.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    return line;
}

void read_pipes(Worker& worker) {
    worker.answer += read_pipe(worker.output);
    worker.partial += read_pipe(worker.errors);
    while (const std::optional<std::string> line = cut_line(worker.partial)) judge_line(worker, *line);
}

void close_pipes(Worker& worker) {
    for (int* pipe : {&worker.errors, &worker.output, &worker.input}) {
        if (*pipe >= 0) close(*pipe);
        *pipe = -1;
    }
}

// Exit status 0 (clean) and 1 (findings) leave a capture, and 3 does where the run was incomplete (docs: the
// command line's contract).
bool has_finished(const Worker& worker, int status) {
    if (!WIFEXITED(status)) return false;
    const int code = WEXITSTATUS(status);
    return code <= 1 || (code == 3 && !worker.capture.empty() && access(worker.capture.c_str(), R_OK) == 0);
}

void judge(Worker& worker, int status) {
    const bool asked = worker.killed_after > 0;
    if (has_finished(worker, status) && !asked) {
        worker.state = WorkerState::finished;
    } else if (asked) {
        worker.state = WorkerState::cancelled;
        worker.message = "The run was cancelled.";
    } else if (WIFSIGNALED(status)) {
        worker.state = WorkerState::failed;
        worker.message = "The worker was killed by signal " + std::to_string(WTERMSIG(status)) + ".";
    } else {
        worker.state = WorkerState::failed;
        const std::string code = std::to_string(WEXITSTATUS(status));
        worker.message = !worker.complaints.empty() ? text_of(worker.complaints.front())
            : worker.last_line.empty() ? "The worker ended with status " + code + " and said nothing."
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
    const bool fits = progress.fraction >= 0 && progress.fraction <= 1;  // NaN does not
    if (!fits) return std::nullopt;
    return progress;
}

Worker::~Worker() {
    close_pipes(*this);
    if (process <= 0) return;
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
}

void start(Worker& worker, const std::vector<std::string>& command, std::string capture) {
    // Sockets: writing to one whose reader is gone is an error, where a pipe would end this process.
    std::array<std::array<int, 2>, 3> ends{};  // by descriptor: [ours, the worker's]
    for (auto& pair : ends)
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
            throw Error(std::string("No socket for a worker process: ") + std::strerror(errno) + ".");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int file = 0; file < 3; ++file)
        posix_spawn_file_actions_adddup2(&actions, ends[static_cast<size_t>(file)][1], file);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<char*> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
    std::string parent = std::string(kParentVariable) + "=" + std::to_string(getpid());
    environment.insert(environment.end(), {parent.data(), nullptr});
    const int failed =
        posix_spawnp(&worker.process, arguments[0], &actions, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    for (const auto& pair : ends) {
        close(pair[1]);
        fcntl(pair[0], F_SETFL, fcntl(pair[0], F_GETFL) | O_NONBLOCK);
    }
    worker.input = ends[0][0], worker.output = ends[1][0], worker.errors = ends[2][0];
    worker.capture = std::move(capture);
    if (failed == 0) return;
    worker.process = -1;
    throw Error("The worker process " + command.front() + " does not start: " + std::strerror(failed) + ".");
}

void poll(Worker& worker) {
    if (worker.process <= 0) return;
    read_pipes(worker);
    int status = 0;
    if (waitpid(worker.process, &status, WNOHANG) == worker.process) {
        read_pipes(worker);
        if (!worker.partial.empty()) judge_line(worker, worker.partial);
        close_pipes(worker);
        worker.process = -1;
        judge(worker, status);
    } else if (worker.killed_after > 0 && now() > worker.killed_after) {
        kill(worker.process, SIGKILL);
    }
}

void ask(Worker& worker, const std::string& line) {
    if (worker.process <= 0) return;
    const std::string text = line + "\n";
    static_cast<void>(send(worker.input, text.data(), text.size(), MSG_NOSIGNAL));
}

std::optional<std::string> take_line(Worker& worker) { return cut_line(worker.answer); }

void cancel(Worker& worker) {
    if (worker.process <= 0 || worker.killed_after > 0) return;
    kill(worker.process, SIGINT);
    worker.killed_after = now() + kPatience;
}

}  // namespace wl::app
