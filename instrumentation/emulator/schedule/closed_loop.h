// Lanes in a loop that they never leave.
#pragma once

#include "instrumentation/emulator/observe/watcher.h"

#include <optional>

namespace wl::emulator {

// Now and then in a block that takes long: some of its lanes stand in a loop that hangs on their registers
// alone (Program::closed_loops), and these come again as they were. It is looked at while the warps go on, in
// short turns.
std::optional<Access> never_left(Block& block);

}  // namespace wl::emulator
