// `warplens run -- ./prog ARGS`: a program as it is, its kernels in the emulator, every launch checked.
#pragma once

#include "app/cli/options.h"
#include "app/cli/print.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/capture/capture.h"
#include "instrumentation/runtime/report.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

// What came of it.
struct ProgramRun {
    std::vector<std::string> command;
    ExitStatus ended;
    std::vector<runtime::Event> events;
    std::vector<std::pair<runtime::Launched, capture::Capture>> found;  // launches with findings of their own
    std::string how_to_link;  // the program loaded no runtime, and holds kernels; empty: it did
};

// Launches that are told in one line: of one kernel and shape, with the same findings.
struct LaunchGroup {
    runtime::Launched first;
    std::vector<int> numbers;  // in order
    int64_t run = 0, repeated = 0, left_out = 0, unread = 0, begun = 0;
    double seconds = 0;
    int findings_of = 0;         // the launch whose findings they share; 0: none
    int64_t process_of = 0;      // that launch's
    bool process_ended = false;  // by exit or by the end of main; what waits then was looked at, as told
};
std::vector<LaunchGroup> grouped(const std::vector<runtime::Event>& events);

// Runs it with its own streams; `quiet_out`: what it prints goes to stderr. Throws Error when it cannot be
// started.
ExitStatus run_child(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& environment,
    bool quiet_out
);
// What the program finds instead of CUDA.
std::vector<std::pair<std::string, std::string>> environment_for(const runtime::Settings& settings);
// Under the stand-in, with what the settings ask for in their folder; of Settings::record with the file.
ProgramRun run_recording(const runtime::Settings& settings, bool quiet_out);

int status_of(const ProgramRun& run);
std::string verdict_of(const ProgramRun& run);
std::string program_text(const ProgramRun& run, const Style& style, bool verbose);
std::string program_json(const ProgramRun& run);

int run_program(const Command& command);

}  // namespace wl::app
