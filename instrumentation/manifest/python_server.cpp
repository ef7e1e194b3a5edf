// A process with two pipes, and poll with a deadline.
#include "instrumentation/manifest/python_server.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/python_driver.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kAnswers = 3;  // the descriptor by which the driver says that it is done

// Of the driver, which waits for the script's process and ends as that did; what has not ended within the
// grace is killed with it.
int reap(PythonServer& server, std::chrono::milliseconds grace) {
    const auto deadline = Clock::now() + grace;
    int status = 0;
    while (waitpid(server.process, &status, WNOHANG) != server.process) {
        if (Clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        kill(-server.process, SIGKILL);
        while (waitpid(server.process, &status, 0) < 0 && errno == EINTR) {}
        break;
    }
    server.process = -1;
    server.started.reset();
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void close_pipes(PythonServer& server) {
    for (int* pipe : {&server.questions, &server.answers}) {
        if (*pipe >= 0) close(*pipe);
        *pipe = -1;
    }
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
    std::string path = (fs::temp_directory_path() / "warplens-reference-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
        throw Error(
            "cannot make a folder in " + fs::temp_directory_path().string() + " for the Python reference."
        );
    server.folder = path;
    server.kept.emplace(path);
}

// -B: no __pycache__ beside the user's files. The driver leads a process group of its own, so that the
// script's process ends with it.
bool spawn(PythonServer& server) {
    std::array<int, 2> questions{}, answers{};
    if (pipe2(questions.data(), O_CLOEXEC) != 0) return false;
    if (pipe2(answers.data(), O_CLOEXEC) != 0) {
        close(questions[0]), close(questions[1]);
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
        {questions[0], STDIN_FILENO},
        {answers[1],   kAnswers    }
    };
    try {
        server.process = start_process(words, options).id;
    } catch (const Error&) { server.process = -1; }
    close(questions[0]), close(answers[1]);
    server.questions = questions[1], server.answers = answers[0];
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
        pollfd waiting{answers, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count() + 1, kBeat)));
        if (ready <= 0) continue;
        char done = 0;
        return read(answers, &done, 1) == 1 ? Waited::answered : Waited::ended;
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
    const std::string path = server.folder + "/" + name;
    const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat is {};
    const bool plain = descriptor >= 0 && fstat(descriptor, &is) == 0 && S_ISREG(is.st_mode);
    std::string text;
    if (plain) text = read_text_file("/proc/self/fd/" + std::to_string(descriptor));
    if (descriptor >= 0) close(descriptor);
    if (!plain) throw Error(name + " is not there as a plain file.");
    return text;
}

PythonReply ask(PythonServer& server, double timeout_seconds) {
    PythonReply reply;
    std::error_code ignored;
    fs::remove(server.folder + "/answer.json", ignored);
    // A process that is gone already has closed its end: writing would end this process by SIGPIPE.
    sigset_t pipe_only, before;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    const bool asked = write(server.questions, "?", 1) == 1;
    if (!asked) {
        const timespec at_once{};
        sigtimedwait(&pipe_only, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
