// Another program, run to its end: its output captured, its time limited.
#pragma once

#include <string>
#include <vector>

namespace wl {

struct Finished {
    bool started = false;  // false: no such program
    bool timed_out = false;
    int status = 0;      // exit status; 128 + the signal when one ended it
    std::string output;  // stdout and stderr together
};

// argv[0] is looked up in PATH. `log` is a file that takes the output. stdin is empty.
Finished run_process(const std::vector<std::string>& argv, const std::string& log, double timeout_seconds);

}  // namespace wl
