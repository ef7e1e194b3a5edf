// The Python process that answers for a script: started at the first question, kept for the next ones, ended
// with the last copy of the problem that asks. Questions and answers are files in a folder; two pipes say
// when. What the script may do is restricted (python_sandbox.py).
#pragma once

#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/base/os/process.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace wl::manifest {

struct PythonServer {
    std::mutex mutex;  // of one question at a time
    std::string interpreter, script;
    std::vector<std::string> read;            // files and folders that it may read beside the script's
    std::filesystem::file_time_type written;  // when the script was written that the process has read
    std::string folder;
    std::optional<TemporaryPath> kept = {};  // the folder
    ProcessId process = -1;
    std::optional<StartedProcess> started = {};
    int questions = -1, answers = -1;  // pipes; that of the questions is the process's lifeline

    PythonServer() = default;
    ~PythonServer();
    PythonServer(const PythonServer&) = delete;
    PythonServer& operator=(const PythonServer&) = delete;
};

// Makes server.folder, and the process where none runs for this interpreter and script as they are now.
// `read`: files and folders that it may read beside the script's. False: the interpreter cannot be started.
// Throws Error where no folder can be made.
bool start(
    PythonServer& server,
    const std::string& interpreter,
    const std::string& script,
    const std::vector<std::string>& read
);

struct PythonReply {
    bool answered = false;  // else the process is gone, by one of:
    bool timed_out = false;
    int status = 0;      // its exit status; 128 + the signal when one ended it
    std::string output;  // what it printed
};

// A plain file of the folder, by its name there. Throws Error for what is none: a script may have put
// anything there, to have it read.
std::string file_left(const PythonServer& server, const std::string& name);

// Has the process answer folder/request.json by folder/answer.json. Throws Stopped, having ended it.
PythonReply ask(PythonServer& server, double timeout_seconds);

}  // namespace wl::manifest
