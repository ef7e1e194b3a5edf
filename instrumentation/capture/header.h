// The first 100 bytes of a capture file (sqlite.org/fileformat2.html, section 1.3): what can be said before
// SQLite sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace wl::capture {

struct Header {
    uint32_t major = 0, minor = 0;
};

// Throws Error: empty, not an SQLite database, not a capture, truncated, longer than it says.
Header read_header(std::span<const std::byte> file, const std::string& name);

}  // namespace wl::capture
