// A process with a socket for the questions and a pipe for the answers, which are waited for with a deadline.
#include "instrumentation/manifest/python_server.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/files.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/python_driver.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kAnswers = 3;  // the descriptor by which the driver says that it is done

// Of the driver, which waits for the script's process and ends as that did; what has not ended within the
// grace is killed with it.
int reap(PythonServer& server, std::chrono::milliseconds grace) {
    const auto deadline = Clock::now() + grace;
    Process process{server.process, true};
    std::optional<ExitStatus> ended = has_ended(process);
    for (; !ended && Clock::now() < deadline; ended = has_ended(process))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!ended) ended = end_process(process);
    server.process = -1;
    server.started.reset();
    return shell_status(*ended);
}

void close_pipes(PythonServer& server) {
    close_descriptor(server.questions), close_descriptor(server.answers);
}

// Without its lifeline the driver ends the script and leaves.
void end(PythonServer& server) {
    close_pipes(server);
    if (server.process > 0) reap(server, std::chrono::milliseconds(200));
    std::error_code ignored;
    if (!server.folder.empty()) fs::remove_all(server.folder, ignored);
    server.folder.clear();
    server.kept.reset();
}

void make_folder(PythonServer& server) {
    server.folder = make_private_folder("warplens-reference");
    server.kept.emplace(server.folder);
}

// -B: no __pycache__ beside the user's files. The driver leads a process group of its own, so that the
// script's process ends with it.
bool spawn(PythonServer& server) {
    Ends questions = socket_ends(), answers = pipe_ends();
    if (questions.first < 0 || answers.first < 0) {
        for (int* end : {&questions.first, &questions.second, &answers.first, &answers.second})
            close_descriptor(*end);
        return false;
    }
    const std::string driver = server.folder + "/driver.py", log = server.folder + "/log";
    std::ofstream(driver) << kPythonDriver;
    std::ofstream(server.folder + "/sandbox.py") << kPythonSandbox;
    std::vector<std::string> words{server.interpreter, "-B", driver, server.folder, server.script};
    words.insert(words.end(), server.read.begin(), server.read.end());
    ProcessOptions options;
    options.group = true;
    options.output = {Stream::To::errors}, options.errors = {Stream::To::file, log};
    options.descriptors = {
        {questions.first, kInput  },
        {answers.second,  kAnswers}
    };
    try {
        server.process = start_process(words, options).id;
    } catch (const Error&) { server.process = -1; }
    close_descriptor(questions.first), close_descriptor(answers.second);
    server.questions = questions.second, server.answers = answers.first;
    if (server.process > 0) server.started.emplace(server.process);
    return server.process > 0;
}

enum class Waited : uint8_t { answered, ended, timed_out, stopped };

Waited wait_for_answer(int answers, double timeout_seconds) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds);
    constexpr int64_t kBeat = 50;  // ms, until it is looked at whether a signal asked us to stop
    while (go_on()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() < 0) return Waited::timed_out;
        if (!wait_for_input(answers, static_cast<int>(std::min<int64_t>(left.count() + 1, kBeat)))) continue;
        char done = 0;
        return read_some(answers, {&done, 1}).bytes == 1 ? Waited::answered : Waited::ended;
    }
    return Waited::stopped;
}

}  // namespace

PythonServer::~PythonServer() { end(*this); }

bool start(
    PythonServer& server,
    const std::string& interpreter,
    const std::string& script,
    const std::vector<std::string>& read
) {
    std::error_code ignored;
    const auto written = fs::last_write_time(script, ignored);
    if (server.process > 0 && server.interpreter == interpreter && server.script == script &&
        server.read == read && server.written == written)
        return true;
    end(server);
    server.interpreter = interpreter, server.script = script, server.read = read, server.written = written;
    make_folder(server);
    return spawn(server);
}

std::string file_left(const PythonServer& server, const std::string& name) {
    if (name.find('/') != std::string::npos) throw Error(name + " is no name of a file.");
    std::optional<std::string> text = read_plain_file(server.folder + "/" + name);
    if (!text) throw Error(name + " is not there as a plain file.");
    return std::move(*text);
}

PythonReply ask(PythonServer& server, double timeout_seconds) {
    PythonReply reply;
    std::error_code ignored;
    fs::remove(server.folder + "/answer.json", ignored);
    const bool asked = send_some(server.questions, {"?", 1}).bytes == 1;
    const Waited waited = asked ? wait_for_answer(server.answers, timeout_seconds) : Waited::ended;
    reply.answered = waited == Waited::answered;
    if (reply.answered) return reply;
    reply.timed_out = waited == Waited::timed_out;
    constexpr std::chrono::milliseconds kGrace(1000);  // of a process that has closed its pipe
    reply.status = reap(server, waited == Waited::ended ? kGrace : std::chrono::milliseconds(0));
    try {
        reply.output = file_left(server, "log");
    } catch (const Error&) {}  // the script removed it
    close_pipes(server);
    if (waited == Waited::stopped) throw Stopped{};
    return reply;
}

}  // namespace wl::manifest
