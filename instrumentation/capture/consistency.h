// Whether a capture's indices and sizes agree, so that no reader has to ask again.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::capture {

// Empty, or the first contradiction: "tile 3 names probe 9, and there are 4". Holds for every capture that
// was written or read: indices are in range, blobs have the size of their tile, events are of known kinds,
// inlining ends, and a finding is caused by an earlier one.
std::string inconsistency(const Capture& capture);

}  // namespace wl::capture
