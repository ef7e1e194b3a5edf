// A block's shared memory at an instant, as `warplens at --serve` answers `--shared`.
#pragma once

#include "instrumentation/capture/shared_state.h"

#include <string>
#include <vector>

namespace wl::app {

struct SharedReport {
    std::string asked;    // the question
    std::string problem;  // why there is no such instant; empty: there is
    std::string note;
    capture::SharedState state;
    std::string access_problem;                    // why the line has no requests
    std::vector<capture::LineRequest> requests;    // of the line that was asked about
    std::vector<capture::AccessPattern> patterns;  // of the matrix that it touches, by the whole block
};

// Throws Error when the line is not such an answer.
SharedReport shared_report(const std::string& json);

}  // namespace wl::app
