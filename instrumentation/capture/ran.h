// What a proof has run, as a finding's evidence keeps it.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstdint>
#include <string>

namespace wl::capture {

struct Ran {
    int64_t draws = 0;      // of the inputs, the problem's own among them
    int64_t blocks = 0;     // of the launch that was diagnosed
    int64_t schedules = 0;  // of warps and blocks
    int64_t sizes = 0;      // of the problem, its own among them
    int64_t launches = 0;   // of a sequence, with all checks
};

void add_ran(const Ran& ran, Finding& finding);

// "6 draws of the inputs, 4 blocks, 9 schedules, 2 sizes"; empty: the finding says nothing of it.
std::string ran_text(const Finding& finding);

}  // namespace wl::capture
