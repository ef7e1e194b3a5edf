// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace wl {

// Replaces `path` by a file of these bytes, or leaves what was there. A link stands for the file that it
// names, a file that may not be written is not replaced, and one that is replaced keeps its permissions. The
// bytes are on the disk before the name is. Until then they have no name where the file system allows it
// (O_TMPFILE), so that a killed process leaves nothing behind; elsewhere a hidden file beside the target,
// removed on failure. Throws Error naming the path and the system's reason.
void write_file_atomically(const std::string& path, std::span<const std::byte> bytes);

// The same for reports, pictures and settings, which may also go to what is no regular file: a device, a
// pipe.
void write_text_file(const std::string& path, std::string_view text);

// A file again under another name, by its bytes alone.
void copy_file_atomically(const std::string& from, const std::string& to);

// The same for what does not fit into memory: `write` fills the empty file that it is given the absolute path
// of. That has a hidden name beside the target, which a killed process leaves behind.
void write_file_atomically(
    const std::string& path, const std::function<void(const std::string& hidden)>& write
);

}  // namespace wl
