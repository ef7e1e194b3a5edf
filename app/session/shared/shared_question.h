// The selection as a question for a block's shared memory.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <string>

namespace wl::app {

// Options of `warplens at`: the selected block and warp at the selected time; and the requests of the
// selected line, where it has memory instructions.
std::string shared_question(const Session& session, const Selection& selection);

// Line of the kernel's own source that the selected site was compiled from, if some instruction of it touches
// memory; 0: none.
int memory_line(const capture::Capture& capture, int site);

}  // namespace wl::app
