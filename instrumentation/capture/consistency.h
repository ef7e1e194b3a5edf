// Whether a capture's indices and sizes agree, so that no reader has to ask again.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace wl::capture {

// Empty, or the first contradiction: "tile 3 names probe 9, and there are 4". Holds for every capture that
// was written or read: indices are in range, blobs have the size of their tile, events are of known kinds,
// inlining ends, and a finding is caused by an earlier one. Of blobs that are still in a file it is noted,
// and checked when they are read.
std::string inconsistency(const Capture& capture);

// A site that an owner names and there is not.
std::optional<uint32_t> unknown_owner(std::span<const std::byte> owners, size_t sites);

}  // namespace wl::capture
