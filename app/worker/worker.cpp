// A process whose three streams come to us; nothing here waits.
#include "app/worker/worker.h"

#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/files.h"

#include <chrono>
#include <sstream>
#include <string_view>

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
    for (Moved got; (got = read_some(pipe, buffer)).bytes > 0;) text.append(buffer, got.bytes);
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

Process process_of(const Worker& worker) {
    return {worker.process, false, worker.input, worker.output, worker.errors};
}

void take(Worker& worker, const Process& process) {
    worker.process = process.id, worker.input = process.input;
    worker.output = process.output, worker.errors = process.errors;
}

// Exit status 0 (clean) and 1 (findings) leave a capture, and 3 does where the run was incomplete (docs: the
// command line's contract).
bool has_finished(const Worker& worker, const ExitStatus& status) {
    if (status.signal != 0) return false;
    return status.code <= 1 || (status.code == 3 && !worker.capture.empty() && is_readable(worker.capture));
}

void judge(Worker& worker, const ExitStatus& status) {
    const bool asked = worker.killed_after > 0;
    if (has_finished(worker, status) && !asked) {
        worker.state = WorkerState::finished;
    } else if (asked) {
        worker.state = WorkerState::cancelled;
        worker.message = "The run was cancelled.";
    } else if (status.signal != 0) {
        worker.state = WorkerState::failed;
        worker.message = "The worker was killed by signal " + std::to_string(status.signal) + ".";
    } else {
        worker.state = WorkerState::failed;
        const std::string code = std::to_string(status.code);
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
    Process left = process_of(*this);
    end_process(left);
}

void start(Worker& worker, const std::vector<std::string>& command, std::string capture) {
    ProcessOptions options;
    options.input = options.output = options.errors = {Stream::To::us};
    options.environment = {
        {kParentVariable, std::to_string(own_process())}
    };
    worker.capture = std::move(capture);
    take(worker, start_process(command, options));
}

void poll(Worker& worker) {
    if (worker.process <= 0) return;
    read_pipes(worker);
    Process process = process_of(worker);
    if (const std::optional<ExitStatus> ended = has_ended(process)) {
        read_pipes(worker);
        if (!worker.partial.empty()) judge_line(worker, worker.partial);
        close_streams(process);
        take(worker, process);
        judge(worker, *ended);
    } else if (worker.killed_after > 0 && now() > worker.killed_after) {
        kill_process(process);
    }
}

void ask(Worker& worker, const std::string& line) {
    if (worker.process <= 0) return;
    const std::string text = line + "\n";
    static_cast<void>(send_some(worker.input, text));
}

std::optional<std::string> take_line(Worker& worker) { return cut_line(worker.answer); }

void cancel(Worker& worker) {
    if (worker.process <= 0 || worker.killed_after > 0) return;
    ask_to_break(process_of(worker));
    worker.killed_after = now() + kPatience;
}

}  // namespace wl::app
