// ssh as a child process: what is uploaded goes into its stdin, which stays open, so that the other side sees
// when we are gone.
#include "app/cli/progress.h"
#include "app/cli/remote/remote.h"
#include "app/worker/worker.h"
#include "instrumentation/base/error.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wl::app {
namespace {

// $WARPLENS_SSH: a command with its options; else ssh, which notices within 20 s that nobody answers.
std::vector<std::string> ssh_command() {
    const char* const chosen = std::getenv("WARPLENS_SSH");
    std::istringstream words(chosen != nullptr && *chosen != '\0' ? chosen : "ssh");
    std::vector<std::string> out;
    for (std::string word; words >> word;) out.push_back(word);
    for (const char* option : {"ServerAliveInterval=5", "ServerAliveCountMax=3", "ConnectTimeout=20"})
        out.insert(out.end(), {"-o", option});
    return out;
}

struct Link {
    pid_t process = -1;
    std::array<int, 3> ends{-1, -1, -1};  // of its stdin, stdout and stderr

    Link() = default;
    ~Link() {
        for (const int end : ends)
            if (end >= 0) close(end);
        if (process <= 0) return;
        kill(process, SIGTERM);
        waitpid(process, nullptr, 0);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
};

void start(Link& link, const std::vector<std::string>& words) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    std::array<int, 3> theirs{};
    for (size_t file = 0; file < theirs.size(); ++file) {
        std::array<int, 2> pair{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
            throw Error(std::string("no socket for ssh: ") + std::strerror(errno));
        link.ends[file] = pair[0], theirs[file] = pair[1];
        fcntl(pair[0], F_SETFL, fcntl(pair[0], F_GETFL) | O_NONBLOCK);
        posix_spawn_file_actions_adddup2(&actions, pair[1], static_cast<int>(file));
    }
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int failed =
        posix_spawnp(&link.process, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    for (const int end : theirs) close(end);
    if (failed == 0) return;
    link.process = -1;
    throw Error("--host needs " + words.front() + ", which does not start: " + std::strerror(failed));
}

// All that has come; false at the end.
bool read_some(int from, std::string& into) {
    char buffer[1 << 16];
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got > 0) into.append(buffer, static_cast<size_t>(got));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

struct Talk {
    Link& link;
    const std::string& upload;
    size_t sent = 0;
    RemoteAnswer answer = {};
    std::string said = {};  // the line of stderr that has not ended
    std::function<bool(const diagnosis::Progress&)> report = {};
};

void hear(Talk& t) {
    for (size_t end = t.said.find('\n'); end != std::string::npos; end = t.said.find('\n')) {
        const std::string line = t.said.substr(0, end);
        t.said.erase(0, end + 1);
        if (const std::optional<Progress> p = progress_from_line(line)) {
            if (!t.report({p->stage, p->fraction})) throw diagnosis::Cancelled{};
        } else if (!line.empty()) {
            t.answer.last_line = line;
        }
    }
}

void send_some(Talk& t) {
    const ssize_t gone =
        send(t.link.ends[0], t.upload.data() + t.sent, t.upload.size() - t.sent, MSG_NOSIGNAL);
    if (gone > 0) t.sent += static_cast<size_t>(gone);
    if (gone < 0 && errno != EAGAIN && errno != EINTR) t.sent = t.upload.size();  // ssh's status says why
}

void talk(Talk& t) {
    bool output = true, errors = true;
    while (output || errors) {
        std::array<pollfd, 3> wait{
            {{t.sent < t.upload.size() ? t.link.ends[0] : -1, POLLOUT, 0},
             {output ? t.link.ends[1] : -1, POLLIN, 0},
             {errors ? t.link.ends[2] : -1, POLLIN, 0}}
        };
        constexpr int kPatience = 100;  // ms, until it is looked at whether somebody asked us to stop
        poll(wait.data(), wait.size(), kPatience);
        if (interrupted()) throw diagnosis::Cancelled{};
        if (wait[0].revents != 0) send_some(t);
        if (wait[1].revents != 0) output = read_some(t.link.ends[1], t.answer.output);
        if (wait[2].revents != 0) errors = read_some(t.link.ends[2], t.said);
        hear(t);
    }
}

}  // namespace

RemoteAnswer run_over_ssh(const RemoteJob& job, const OutputOptions& output) {
    std::vector<std::string> words = ssh_command();
    words.insert(words.end(), {"--", job.host, job.script});
    Link link;
    start(link, words);
    Talk t{link, job.upload};
    t.report = progress_reporter(output);
    talk(t);
    int status = 0;
    waitpid(link.process, &status, 0);
    link.process = -1;
    t.answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return std::move(t.answer);
}

}  // namespace wl::app
