// fork and exec. What happens between them are calls that a signal handler may make (signal-safety(7)); a
// pipe that exec closes says whether it came that far.
#include "instrumentation/base/os/process.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wl {
namespace {

using Words = std::vector<std::string>;
using Pointers = std::vector<char*>;

Pointers pointers_to(const Words& words) {
    Pointers out;
    out.reserve(words.size() + 1);
    for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
    out.push_back(nullptr);
    return out;
}

Words environment_with(const std::vector<std::pair<std::string, std::string>>& set) {
    Words out;
    out.reserve(set.size());
    for (const auto& [name, value] : set) out.push_back(std::string(name).append("=").append(value));
    for (char** e = environ; *e != nullptr; ++e) {
        const std::string_view entry = *e;
        const bool replaced = std::any_of(set.begin(), set.end(), [&](const auto& one) {
            return entry.starts_with(one.first) && entry.substr(one.first.size()).starts_with('=');
        });
        if (!replaced) out.emplace_back(entry);
    }
    return out;
}

// A word ends at its first NUL, and would mean another file than the one that was checked.
void require_whole(const Words& words) {
    if (words.empty() || words.front().empty()) throw Error("no program is named that could be started");
    for (const std::string& word : words)
        if (word.find('\0') != std::string::npos)
            throw Error(words.front() + " cannot be started: a word of its command line holds a NUL byte");
}

// What the child needs, ready before the fork.
struct Child {
    Pointers words, environment;
    const ProcessOptions& options;
    std::array<int, 3> streams{-1, -1, -1};  // ends of sockets; -1: none
    pid_t parent = -1;
    bool apart = false;
    int report = -1;
};

[[noreturn]] void give_up(const Child& child) {
    const int reason = errno;
    [[maybe_unused]] const ssize_t told = write(child.report, &reason, sizeof reason);
    _exit(127);
}

// dup2 leaves a descriptor that has the right number already to be closed by exec.
bool put(int from, int to) { return from == to ? fcntl(from, F_SETFD, 0) == 0 : dup2(from, to) == to; }

bool put_stream(const Child& child, int number, const Stream& stream) {
    const bool reads = number == STDIN_FILENO;
    switch (stream.to) {
        case Stream::To::ours: return true;
        case Stream::To::us: return put(child.streams[static_cast<size_t>(number)], number);
        case Stream::To::errors: return put(STDERR_FILENO, number);
        case Stream::To::nothing: return put(open("/dev/null", O_RDWR | O_CLOEXEC), number);
        case Stream::To::file: break;
    }
    constexpr mode_t kMode = 0600;
    const int how = reads ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND;
    return put(open(stream.path.c_str(), how | O_CLOEXEC, kMode), number);
}

bool put_streams(const Child& child) {
    const ProcessOptions& o = child.options;
    if (!put_stream(child, STDIN_FILENO, o.input) || !put_stream(child, STDERR_FILENO, o.errors) ||
        !put_stream(child, STDOUT_FILENO, o.output))
        return false;
    return std::all_of(o.descriptors.begin(), o.descriptors.end(), [](const std::pair<int, int>& d) {
        return put(d.first, d.second);
    });
}

// A second fork makes it nobody's child, so that it leaves no zombie.
[[noreturn]] void become_child(const Child& child) {
    const ProcessOptions& o = child.options;
    if (child.apart) {
        setsid();
        if (const pid_t second = fork(); second != 0) _exit(second < 0 ? 127 : 0);
    }
    if (o.group) setpgid(0, 0);
    if (o.ends_with_us) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        errno = ESRCH;
        if (getppid() != child.parent) give_up(child);
    }
    if (!put_streams(child) || (!o.folder.empty() && chdir(o.folder.c_str()) != 0)) give_up(child);
    execvpe(child.words[0], child.words.data(), child.environment.data());
    give_up(child);
}

// Low numbers are those of streams, which the child puts others in the place of.
int high_copy(int descriptor) {
    constexpr int kAbove = 64;
    const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, kAbove);
    close(descriptor);
    return copy;
}

struct SocketPair {
    int ours = -1, theirs = -1;
};
SocketPair socket_pair() {
    const Ends ends = socket_ends();
    if (ends.first < 0) return {};
    fcntl(ends.first, F_SETFL, fcntl(ends.first, F_GETFL) | O_NONBLOCK);
    return {ends.first, high_copy(ends.second)};
}

// Why it does not run; 0: it does.
int reason_of(int report) {
    int reason = 0;
    ssize_t got = -1;
    do got = read(report, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    return got == sizeof reason ? reason : 0;
}

int reap(pid_t id) {
    int state = 0;
    while (waitpid(id, &state, 0) < 0 && errno == EINTR) {}
    return state;
}

ExitStatus status_of(int state) {
    return WIFSIGNALED(state) ? ExitStatus{0, WTERMSIG(state)} : ExitStatus{WEXITSTATUS(state), 0};
}

std::optional<ExitStatus> status_now(Process& process, int how) {
    constexpr ExitStatus kUnknown{255, 0};  // somebody else took note of its end
    int state = 0;
    const pid_t got = process.id > 0 ? waitpid(process.id, &state, how) : -1;
    if (got == 0 || (got < 0 && process.id > 0 && errno == EINTR)) return std::nullopt;
    process.id = -1;
    return got < 0 ? kUnknown : status_of(state);
}

[[noreturn]] void cannot_start(const std::string& program, int reason) {
    throw Error(program + " cannot be started: " + std::strerror(reason));
}

// Who ignores SIGCHLD, which is inherited, learns of no process how it ended (wait(2)).
void want_statuses() {
    struct sigaction action {};
    sigaction(SIGCHLD, nullptr, &action);
    if (action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

// The errno of the first call that failed; 0: it runs.
int start_child(Child& child, Process& process) {
    want_statuses();
    Ends report = pipe_ends();
    if (report.first < 0) return errno;
    report.second = high_copy(report.second);
    child.report = report.second, child.parent = getpid();
    process.id = report.second < 0 ? -1 : fork();
    if (process.id == 0) become_child(child);
    int reason = process.id < 0 ? errno : 0;
    close_descriptor(report.second);
    if (process.id > 0) {
        if (process.group) setpgid(process.id, process.id);  // both of us: whoever comes first
        reason = reason_of(report.first);
        if (reason != 0 || child.apart) {
            reap(process.id);
            process.id = -1;
        }
    }
    close_descriptor(report.first);
    return reason;
}

}  // namespace

ProcessId own_process() { return getpid(); }

int shell_status(const ExitStatus& status) { return status.signal != 0 ? 128 + status.signal : status.code; }

Process start_process(const Words& words, const ProcessOptions& options) {
    require_whole(words);
    const Words environment = environment_with(options.environment);
    Child child{pointers_to(words), pointers_to(environment), options};
    Process process;
    process.group = options.group;
    const std::array<std::pair<const Stream*, int*>, 3> streams{
        {{&options.input, &process.input},
         {&options.output, &process.output},
         {&options.errors, &process.errors}}
    };
    int reason = 0;
    for (size_t k = 0; k < streams.size() && reason == 0; ++k) {
        if (streams[k].first->to != Stream::To::us) continue;
        const SocketPair pair = socket_pair();
        if (pair.ours < 0 || pair.theirs < 0) reason = errno;
        *streams[k].second = pair.ours, child.streams[k] = pair.theirs;
    }
    if (reason == 0) reason = start_child(child, process);
    for (int& end : child.streams) close_descriptor(end);
    if (reason == 0) return process;
    close_streams(process);
    cannot_start(words.front(), reason);
}

std::optional<ExitStatus> has_ended(Process& process) { return status_now(process, WNOHANG); }

std::optional<ExitStatus> wait_for(Process& process, int milliseconds) {
    if (const std::optional<ExitStatus> ended = has_ended(process)) return ended;
    const Descriptor descriptor(static_cast<int>(syscall(SYS_pidfd_open, process.id, 0)));
    constexpr int kBlind = 5;  // ms, before Linux 5.3, which has no descriptors of processes
    pollfd over{descriptor.fd, POLLIN, 0};
    poll(&over, 1, descriptor.fd >= 0 ? milliseconds : std::min(milliseconds, kBlind));
    return has_ended(process);
}

void close_streams(Process& process) {
    for (int* end : {&process.input, &process.output, &process.errors}) close_descriptor(*end);
}

void ask_to_end(const Process& process) {
    if (process.id > 0) kill(process.id, SIGTERM);
}

void ask_to_break(const Process& process) {
    if (process.id > 0) kill(process.id, SIGINT);
}

void kill_process(const Process& process) {
    if (process.id > 0) kill(process.id, SIGKILL);
}

std::optional<ExitStatus> end_process(Process& process) {
    close_streams(process);
    if (process.id <= 0) return std::nullopt;
    if (process.group) kill(-process.id, SIGKILL);
    kill(process.id, SIGKILL);
    const ExitStatus status = status_of(reap(process.id));
    process.id = -1;
    return status;
}

void start_apart(const Words& words) {
    require_whole(words);
    const ProcessOptions options;
    const Words environment = environment_with({});
    Child child{pointers_to(words), pointers_to(environment), options};
    child.apart = true;
    Process process;
    if (const int reason = start_child(child, process); reason != 0) cannot_start(words.front(), reason);
}

void become(const Words& words) {
    require_whole(words);
    execvp(words[0].c_str(), pointers_to(words).data());
    cannot_start(words[0], errno);
}

Finished run_process(
    const Words& argv, const std::string& log, double timeout_seconds, ProcessOptions options
) {
    using Clock = std::chrono::steady_clock;
    options.input = {Stream::To::nothing}, options.output = {Stream::To::errors};
    options.errors = {Stream::To::file, log};
    options.group = true, options.ends_with_us = true;
    Finished finished;
    Process process;
    try {
        process = start_process(argv, options);
    } catch (const Error&) { return finished; }
    finished.started = true;
    const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds);
    const StartedProcess started(process.id);
    std::optional<ExitStatus> ended;
    while (process.id > 0 && !(ended = has_ended(process))) {
        finished.timed_out = Clock::now() > deadline;
        // Whoever asked us to stop means what we started, too.
        if (finished.timed_out || !go_on())
            end_process(process);
        else
            ended = wait_for(process, 20);
        if (ended) break;
    }
    check_stop();
    finished.status = ended ? shell_status(*ended) : 128 + SIGKILL;
    finished.output = std::filesystem::exists(log) ? read_text_file(log) : "";
    return finished;
}

}  // namespace wl
