// Programs that are started, the one place for it: words, never the text of a command line, so that no name
// of a file can say anything to a shell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl {

using ProcessId = int;
ProcessId own_process();

// Where one of the three streams of a process goes. Ours; nowhere; into the file `path`, which it appends to;
// to us, by a socket pair (whose end of ours neither blocks nor raises SIGPIPE); where its stderr goes.
struct Stream {
    enum class To : uint8_t { ours, nothing, file, us, errors } to = To::ours;
    std::string path = {};
};

struct ProcessOptions {
    Stream input, output, errors;
    std::vector<std::pair<std::string, std::string>> environment = {};  // set in it, beside ours
    std::vector<std::pair<int, int>> descriptors = {};                  // of ours, as which of its own
    std::string folder = {};                                            // where it starts; empty: here
    bool group = false;         // it leads a process group, and what it starts ends with it
    bool ends_with_us = false;  // killed when our thread that started it ends (prctl(2), PR_SET_PDEATHSIG)
};

// A process that was started. Copies name the same one.
struct Process {
    ProcessId id = -1;
    bool group = false;
    int input = -1, output = -1, errors = -1;  // our ends of its streams, where they go to us
};

// How a process ended.
struct ExitStatus {
    int code = 0;    // of exit
    int signal = 0;  // that ended it; 0: none
};
int shell_status(const ExitStatus& status);  // one number, as a shell says it: the code, or 128 + the signal

// words[0] is looked up in PATH unless it has a slash. Throws Error "NAME cannot be started: why" when it
// does not run, whatever the reason.
Process start_process(const std::vector<std::string>& words, const ProcessOptions& options = {});
// Without waiting. Once it has ended there is no process any longer, and nobody knows more of it: 255.
std::optional<ExitStatus> has_ended(Process& process);
// Nothing: it has not ended within so many milliseconds.
std::optional<ExitStatus> wait_for(Process& process, int milliseconds = 50);
// Asked to: what it then does is its own affair.
void ask_to_end(const Process& process);    // SIGTERM
void ask_to_break(const Process& process);  // SIGINT
void kill_process(const Process& process);  // SIGKILL; it is not reaped
// Killed, with its group where it leads one, and reaped; our ends are closed. Nothing where there is none.
std::optional<ExitStatus> end_process(Process& process);
void close_streams(Process& process);

// Not ours any longer: in a session of its own, so that it outlives us. Throws Error as start_process does.
void start_apart(const std::vector<std::string>& words);
// Takes the place of this process. Throws Error as start_process does.
[[noreturn]] void become(const std::vector<std::string>& words);

struct Finished {
    bool started = false;  // false: no such program
    bool timed_out = false;
    int status = 0;      // exit status; 128 + the signal when one ended it
    std::string output;  // stdout and stderr together
};

// Run to its end, which comes with that of this process. Throws Stopped, having ended it and what it started,
// when a signal asks this process to stop. argv[0] is looked up in PATH. `log` is a file that
// takes the output. stdin is empty. Of `options` everything but streams, group and end counts.
Finished run_process(
    const std::vector<std::string>& argv,
    const std::string& log,
    double timeout_seconds,
    ProcessOptions options = {}
);

}  // namespace wl
