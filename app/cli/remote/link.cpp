// ssh as a child process: what is uploaded goes into its stdin, which stays open, so that the other side sees
// when we are gone.
#include "app/cli/progress.h"
#include "app/cli/remote/remote.h"
#include "app/worker/worker.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/stop.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>

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
    Process process;

    Link() = default;
    ~Link() {
        close_streams(process);
        ask_to_end(process);
        while (process.id > 0) wait_for(process);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
};

void start(Link& link, const std::vector<std::string>& words) {
    ProcessOptions options;
    options.input = options.output = options.errors = {Stream::To::us};
    try {
        link.process = start_process(words, options);
    } catch (const Error& e) { throw Error(std::string("--host needs an ssh: ") + e.what()); }
}

// All that has come; false at the end.
bool take_some(int from, std::string& into) {
    char buffer[1 << 16];
    const Moved got = read_some(from, buffer);
    into.append(buffer, got.bytes);
    return !got.over;
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

void give_some(Talk& t) {
    const Moved gone = send_some(t.link.process.input, std::string_view(t.upload).substr(t.sent));
    t.sent = gone.over ? t.upload.size() : t.sent + gone.bytes;  // ssh's status says why it is over
}

void talk(Talk& t) {
    bool output = true, errors = true;
    while (output || errors) {
        std::array<Watched, 3> wait{
            {{t.sent < t.upload.size() ? t.link.process.input : -1, true},
             {output ? t.link.process.output : -1},
             {errors ? t.link.process.errors : -1}}
        };
        constexpr int kPatience = 100;  // ms, until it is looked at whether somebody asked us to stop
        wait_for_any(wait, kPatience);
        check_stop();
        if (wait[0].ready) give_some(t);
        if (wait[1].ready) output = take_some(t.link.process.output, t.answer.output);
        if (wait[2].ready) errors = take_some(t.link.process.errors, t.said);
        hear(t);
    }
}

}  // namespace

RemoteAnswer run_over_ssh(const RemoteJob& job, const OutputOptions& output) {
    std::vector<std::string> words = ssh_command();
    // Whatever shell the user has there reads this; no name is in it. dd takes the script's bytes and none of
    // those behind them.
    const std::string command =
        fmt::format("exec sh -c 'eval \"$(dd bs=1 count={} 2>/dev/null)\"'", job.script.size());
    words.insert(words.end(), {"--", job.host, command});
    Link link;
    start(link, words);
    const StartedProcess started(link.process.id);
    const std::string upload = job.script + job.upload;
    Talk t{link, upload};
    t.report = progress_reporter(output);
    talk(t);
    std::optional<ExitStatus> ended;
    for (; !ended; check_stop()) ended = wait_for(link.process);
    t.answer.status = shell_status(*ended);
    return std::move(t.answer);
}

}  // namespace wl::app
