// The first 100 bytes of a capture file (sqlite.org/fileformat2.html, section 1.3): what can be said before
// SQLite sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wl::capture {

struct Header {
    uint32_t major = 0, minor = 0;
};

// What kind of file is expected.
struct FileKind {
    uint32_t application_id = 0;
    std::string_view what;  // "capture", for messages
};

constexpr size_t kHeaderSize = 100;

// Of a file of `size` bytes that begins with `first`: all of it, or kHeaderSize bytes. Throws Error: empty,
// not an SQLite database, of another kind, truncated, longer than it says.
Header read_header(
    std::span<const std::byte> first, uint64_t size, const std::string& name, const FileKind& kind
);

}  // namespace wl::capture
