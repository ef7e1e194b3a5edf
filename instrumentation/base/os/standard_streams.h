// Standard input, output and errors of this process.
#pragma once

#include <string>

namespace wl {

bool is_terminal(int descriptor);  // kInput, kOutput, kErrors of descriptor.h
// Opens those that are closed: the next file that is opened would get their number, and results be written
// into it.
void hold_standard_streams();
// What is written to standard output goes to standard errors from here on.
void output_goes_to_errors();

// While it lives, what is written to standard output, by libraries too, is kept apart.
struct KeptOutput {
    KeptOutput();
    ~KeptOutput();
    KeptOutput(const KeptOutput&) = delete;
    KeptOutput& operator=(const KeptOutput&) = delete;
    std::string end();  // what came; standard output is as it was

private:
    int standard_, file_;
};

}  // namespace wl
