// What is said of operations that nothing orders.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/runtime/ordering.h"

namespace wl::runtime {

// One for each pair of lines.
std::vector<capture::Finding> findings_of(Machine& machine, const std::vector<order::Race>& races);
// The same places again have the same key.
std::string key_of(const Machine& machine, const order::Race& race);
// In a capture of their own, where no launch's has room for them.
void report(Machine& machine, const std::vector<order::Race>& races);
// The host changed what `first` reads or writes, before it waited by the call that is being made.
void report_host(Machine& machine, const order::Race& race);

}  // namespace wl::runtime
