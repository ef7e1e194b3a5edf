// Blobs of more bytes than SQLite takes for one value (10^9): such a blob goes on in rows behind all blobs,
// and `meta.continued` says which do, in the order of these rows.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::capture {

constexpr uint64_t kMostInRow = 512 << 20;  // bytes
constexpr const char* kContinued = "continued";

struct Part {
    BlobId blob = 0;
    int64_t rows = 0;  // that it has besides its own
    bool operator==(const Part&) const = default;
};
int64_t rows_of(const std::vector<Part>& parts);

// "7:2 9:1", as the file says it.
std::string parts_text(const std::vector<Part>& parts);
// Of a file with so many rows of blobs. Throws DatabaseFault for what cannot be.
std::vector<Part> parts_of(const std::string& text, int64_t rows);

// As write_capture, with rows of at most so many bytes.
void write_in_rows(
    const Capture& capture, const std::string& path, uint64_t most_in_memory, uint64_t most_in_row
);

}  // namespace wl::capture
