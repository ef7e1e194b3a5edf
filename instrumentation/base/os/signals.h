// The ways a run is stopped from outside: Ctrl-C, SIGTERM, SIGHUP.
#pragma once

#include "instrumentation/base/os/process.h"

namespace wl {

// From here on SIGINT, SIGTERM and SIGHUP ask this process to stop (base/os/stop.h). What has not ended 1.5 s
// later (WARPLENS_GRACE; libraries that cannot be asked) is ended then: its children are killed, its
// temporary files removed; a file of the user that is being written is finished first. A second signal ends
// the process at once.
void catch_interrupts();
// A file that grows beyond its limit (ulimit -f) is an error of the write, not the end of the process. A
// handler, which the programs that we start do not inherit.
void catch_size_limit();
bool interrupted();
int exit_status_of_interruption();  // 128 + the signal, as shells say it
// What is said of it on stderr, a line.
const char* interruption_text();

// While it lives, signals are for a program that was started: they are counted here, and ask nothing of us.
struct HandedOn {
    HandedOn();
    ~HandedOn();
    HandedOn(const HandedOn&) = delete;
    HandedOn& operator=(const HandedOn&) = delete;
};
int signals_handed_on();         // how many; those that come within a quarter of a second are one
bool interrupted_by_terminal();  // which tells every process that it runs
// Hands on to the child those that have come since `handed` of them had; a second one kills it.
void hand_on(ProcessId child, int& handed);

// The process ends (SIGTERM) when `parent` does, however that ends; at once when it is gone already. For a
// worker, whose window can be killed. The parent's thread that started this process must not end before it.
void end_with(ProcessId parent);

}  // namespace wl
