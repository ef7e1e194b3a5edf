// Findings of several launches of a sequence as one list.
#pragma once

#include "instrumentation/capture/capture.h"

#include <vector>

namespace wl::diagnosis {

// Evidence of a change after which no launch of a sequence has a fault, and all that is compared is right.
constexpr const char* kNoFaultLeft = "no_fault_left";

bool is_explained(const capture::Capture& c);      // a finding is proven
bool is_all_explained(const capture::Capture& c);  // by such a change

// Of another launch than the capture's, where the findings of an earlier one may have a cause.
void add_findings(const std::vector<capture::Finding>& from, std::vector<capture::Finding>& to);

// A proven change with that evidence comes first, whichever launch it was found at: what the others show is
// gone with it. What is proven besides stays a cause.
void lead_by_cause(std::vector<capture::Finding>& findings);

}  // namespace wl::diagnosis
