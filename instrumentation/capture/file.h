// A capture on disk: `.wlcap`, one SQLite database (docs/format.md). Made and read in memory; only whole
// files meet the disk.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace wl::capture {

// Atomic: `path` appears, or is replaced, only when all of it is on the disk; whatever ends the process
// before that leaves `path` as it was. Throws Error (no permission, disk full) naming the path.
void write_capture(const Capture& capture, const std::string& path);

// Hostile files are expected: schema text, storage classes, sizes, ids and hashes are checked before any
// value is used. Throws Error naming the path and what is wrong: not a capture, truncated, damaged (which
// table and row), too new (which version wrote it).
Capture read_capture(const std::string& path);

// The same, quickly, whatever its size: elements of tiles (blobs) stay in the file and are read, and checked,
// when `content_of` is asked for them.
Capture open_capture(const std::string& path);

// The file's bytes; equal captures give equal bytes. `name` stands for the path in messages.
std::vector<std::byte> encode(const Capture& capture, const std::string& name);
Capture decode(std::span<const std::byte> file, const std::string& name);

}  // namespace wl::capture
