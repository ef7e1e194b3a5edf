// What is said of a launch in which nobody comes further.
#pragma once

#include "instrumentation/emulator/schedule/grid.h"

namespace wl::emulator {

// The launch ends. `proven`: nothing can ever change; else nothing has for long.
void report_stuck(Grid& grid, bool proven);

}  // namespace wl::emulator
