// Everything that the program computes of a capture without a window, in process: what `diagnose`, `tiles`,
// `compare`, `show --plain` and the panels are made of.
#pragma once

#include "fuzz/random.h"
#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::fuzz {

// What is wrong with an answer (no JSON, no UTF-8, script in a page, ...); empty: nothing.
std::string problem_of_answers(
    const capture::Capture& capture, const capture::Capture& other, Random& random
);

// Questions about a block's past: its program runs again as the kernel `manifest` is bound, with the numbers
// of the capture in half of the cases.
std::string problem_of_questions(
    const capture::Capture& capture, const std::string& manifest, Random& random
);

}  // namespace wl::fuzz
