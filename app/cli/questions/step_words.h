// The words of --step and --break.
#pragma once

#include "instrumentation/travel/steps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct StepWord {
    std::string text;  // as it was given
    travel::Move move;
    std::string written;  // of `write`: what
    int64_t count = 1;    // so often
};

// "over, back mark x2, line v2c_3.cu:104": moves parted by commas, in order. A number stands for so many
// instructions, back when negative. `breakpoints`: where `go` stops. Throws Error that names the word.
std::vector<StepWord> step_words(const std::string& text, const std::vector<std::string>& breakpoints);

// "104", "v2c_3.cu:104", "104 if isnan(acc)".
travel::Breakpoint breakpoint_from(const std::string& text);

}  // namespace wl::app
