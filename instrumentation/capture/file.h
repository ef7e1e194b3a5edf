// A capture on disk: `.wlcap`, one SQLite database (docs/format.md). Read and, unless it is big, made in
// memory; only whole files get the name.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wl::capture {

// Atomic: `path` appears, or is replaced, only when all of it is on the disk; whatever ends the process
// before that leaves `path` as it was. Throws Error (no permission, disk full) naming the path.
// One whose elements need more bytes than `most_in_memory` is put together on the disk, under a hidden name
// beside `path`: SQLite hands out no more than 2 GiB from memory.
constexpr uint64_t kMostInMemory = 512 << 20;
void write_capture(const Capture& capture, const std::string& path, uint64_t most_in_memory = kMostInMemory);

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
