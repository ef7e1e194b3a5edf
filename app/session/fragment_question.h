// The selection as a question for a matrix instruction, and the lines of the program that have one.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <string>
#include <vector>

namespace wl::app {

// A line of the kernel's source with matrix instructions or a WL_FRAGMENT.
struct FragmentLine {
    int site = -1;     // of its first such instruction: selecting it selects the line
    std::string file;  // its last part
    int line = 0;
    std::string what;  // "load b", "mma", "store", "ldmatrix"
};
std::vector<FragmentLine> fragment_lines(const capture::Capture& capture);

// Options of `warplens at`. On a line of those: the warp's first arrival in the stage that it is in at the
// selected time; from that time on when it is known to be `exact`ly that of an arrival. Elsewhere: its first
// matrix instruction from that time on.
struct FragmentQuestion {
    std::string words;
    int line = -1;  // index in `lines`; -1: none is selected
};
FragmentQuestion fragment_question(
    const Session& session, const Selection& selection, const std::vector<FragmentLine>& lines, bool exact
);

}  // namespace wl::app
