// A kernel run in a process of its own: a broken kernel, driver or compiler takes the worker down, never the
// window.
#pragma once

#include "app/worker/complaints.h"
#include "instrumentation/base/os/process.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

// Wire format: the worker writes `progress STAGE FRACTION` lines to stderr; every other line of stderr is for
// people.
constexpr const char* kJudged = "judged";  // a stage: the capture is there, and its causes are looked for
struct Progress {
    std::string stage;    // "compile", "run", "record", ...
    double fraction = 0;  // of that stage, 0 .. 1
};
std::optional<Progress> progress_from_line(const std::string& line);

enum class WorkerState : uint8_t { running, finished, failed, cancelled };

struct Worker {
    ProcessId process = -1;
    int errors = -1, output = -1, input = -1;  // the worker's stderr, stdout and stdin
    std::string partial;                       // the line of stderr that has not ended yet
    std::string answer;                        // of stdout, what nobody has taken
    std::string last_line;                     // for people: becomes the message when the worker fails ...
    std::vector<Complaint> complaints;         // ... unless a compiler said where
    std::string capture;                       // the file it writes
    Progress progress;
    bool judged = false;  // since nobody took note of it
    WorkerState state = WorkerState::running;
    std::string message;  // why it failed, one sentence
    double killed_after =
        0;  // seconds of the monotonic clock at which SIGKILL follows SIGINT; 0: not cancelled
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();  // kills and reaps what still runs
};

// What a worker of ours reads from its environment: our process, with which it ends.
constexpr const char* kParentVariable = "WARPLENS_PARENT";

// `command`: program and arguments. To be called on the thread that lives as long as the program: some
// workers end with it. Throws Error naming the program when it cannot be started.
void start(Worker& worker, const std::vector<std::string>& command, std::string capture);
void poll(Worker& worker);  // reads what has come, reaps an ended process; never blocks
// One line to its stdin; nothing happens when it has ended.
void ask(Worker& worker, const std::string& line);
std::optional<std::string> take_line(Worker& worker);  // of its answer
void cancel(Worker& worker);                           // SIGINT; SIGKILL if it still runs two seconds later

}  // namespace wl::app
