// `warplens compare`: two captures side by side, as text and as JSON.
#pragma once

#include "app/cli/print.h"
#include "instrumentation/analysis/compare.h"

#include <string>

namespace wl::app {

struct Compared {
    std::string name_a, name_b;  // as they were asked for
    capture::Capture a, b;
    analysis::CaptureComparison comparison;
};

bool same_findings(const Compared& compared);  // by rule and tile

// "ok": every pair agrees within rounding, and so do the findings; else "findings".
std::string compare_verdict(const Compared& compared);

std::string compare_text(const Compared& compared, bool all_changes, const Style& style);
std::string compare_json(const Compared& compared);

}  // namespace wl::app
