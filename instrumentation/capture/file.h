// A capture on disk: `.wlcap`, one SQLite database (docs/format.md). Written to a temporary name beside its
// target and renamed.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::capture {

// Atomic: `path` appears only when complete. Throws Error (no permission, disk full) naming the path; leaves
// no half-written file.
void write_capture(const Capture& capture, const std::string& path);

// Hostile files are expected: schema text, storage classes, sizes and CRCs are checked before any value is
// used. Throws Error naming the path and what is wrong: not a capture, truncated, damaged (which table and
// row), too new (which version wrote it).
Capture read_capture(const std::string& path);

}  // namespace wl::capture
