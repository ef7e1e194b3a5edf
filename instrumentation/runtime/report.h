// What a program's run leaves for whoever started it: a line of JSON a launch or event, written when it
// happens, so that nothing is lost when the program dies; and a capture for each launch that has findings.
#pragma once

#include "instrumentation/base/dim3.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::runtime {

constexpr int kMostCopiesTold = 1000;  // of a process: Event::Kind::copied

// Hands the settings to a program, as settings_text writes them.
constexpr const char* kSettingsVariable = "WARPLENS_PROGRAM";

struct Settings {
    std::string folder;  // of report and captures; empty: nobody listens
    bool races = true, uninitialised = true;
    uint64_t budget = 0, schedule = 0;
    int threads = 0;
    // Launches of each kernel and shape that are executed; 0: all, at once; -1: all whose outcome is read.
    int64_t first = -1;
    uint64_t hold = 0;   // not 0: work of streams is done as late as CUDA allows, in an order by this seed
    std::string launch;  // to be recorded in full: its number from 1, or a kernel's name
    std::string record;  // the file that this makes, a capture or a launch file
    std::vector<std::string> command;  // the program's words
};
std::string settings_text(const Settings& settings);
Settings settings_of(const std::string& text);

struct Launched {
    int number = 0;  // of the process, from 1
    int64_t process = 0;
    std::string kernel;  // as people write it
    Dim3 grid, block;
    uint64_t shared = 0;  // dynamic, bytes
    // "run"; "repeated": not executed, as it would have left everything as it was; "left out": --first;
    // "refused": said why; "unsupported": likewise; "unread": it waits for somebody to look at what it would
    // leave, and is told again by its number when it is executed; "begun": told again when it ends.
    std::string state = "run", said;
    double seconds = 0;
    uint64_t instructions = 0;  // of warps
    int64_t findings = 0;
    std::string capture;          // file in the folder; empty: no findings, or those of launch `same_as`
    int same_as = 0;              // a launch before it with these findings; 0: none
    int64_t same_as_process = 0;  // that launch's: before a fork it was another's
    bool recorded = false;        // the capture that was asked for
};

struct Event {
    enum class Kind : uint8_t {
        launch,
        started,      // the library was loaded: text says the program
        unsupported,  // a function of the runtime that is not there
        error,        // why kernels cannot run
        note,
        plain,   // a function of a library that a plain version answers
        order,   // findings about operations that nothing orders, as those of a launch, in a capture of their
                 // own
        copied,  // bytes came to the host: text says how many and what they are
        ended,   // the process came to its end by exit or return from main
    };
    Kind kind = Kind::note;
    Launched launched;
    std::string text;
    int64_t process = 0;
    std::string place = {};  // of the call that is not there, in the program's source
};

void tell(const Settings& settings, const Event& event);
// Lines that are cut off are left out.
std::vector<Event> read_report(const std::string& folder);

int64_t process_id();

}  // namespace wl::runtime
