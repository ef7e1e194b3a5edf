// The fragments of a matrix instruction with their values, as `warplens at --serve` answers `--fragments`.
#pragma once

#include "instrumentation/fragments/live.h"

#include <string>

namespace wl::app {

struct FragmentReport {
    std::string asked;    // the question
    std::string problem;  // why there is no such instant; empty: there is
    fragments::Live live;
};

// Throws Error when the line is not such an answer.
FragmentReport fragment_report(const std::string& json);

}  // namespace wl::app
