// What must not outlive this process, for the case that it has to end in the middle of something: its
// temporary files, and the processes that it started.
#pragma once

#include "instrumentation/base/os/process.h"

#include <string>

namespace wl {

// A file or folder that is gone when the process is ended early, as long as this lives. It does not remove
// it otherwise.
struct TemporaryPath {
    explicit TemporaryPath(std::string path);
    ~TemporaryPath();
    TemporaryPath(const TemporaryPath&) = delete;
    TemporaryPath& operator=(const TemporaryPath&) = delete;

private:
    std::string path_;
};

// A process that is killed when this one is ended early; with all of its group where it leads one.
struct StartedProcess {
    explicit StartedProcess(ProcessId process);
    ~StartedProcess();
    StartedProcess(const StartedProcess&) = delete;
    StartedProcess& operator=(const StartedProcess&) = delete;

private:
    ProcessId process_;
};

// A file of the user that is being written: an early end waits for it.
struct Saving {
    Saving();
    ~Saving();
    Saving(const Saving&) = delete;
    Saving& operator=(const Saving&) = delete;
};

bool is_saving();
// What was asked for is in its file.
void note_saved();
bool has_saved();
// Kills the processes and removes the paths. For the thread that is about to end this process: others may be
// in the middle of anything.
void remove_leftovers();

}  // namespace wl
