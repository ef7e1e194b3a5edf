// What a GPU answered: tests/golden/ptx/<family>.golden, and which cases ptxas refuses for sm_90.
#pragma once

#include "tests/conformance/case.h"

#include <map>
#include <span>
#include <string>

namespace wl::conformance {

struct Answer {
    uint64_t hash = 0;             // of the case that was run
    int record = 0;                // index in Golden::records
    std::vector<std::byte> bytes;  // of the compared buffers, in order
};

using Messages = std::map<std::string, std::string>;

struct Golden {
    std::vector<std::string> records;       // JSON: device, driver, date, command, commit
    std::map<std::string, Answer> answers;  // by name of case
    Messages refused;                       // by ptxas for sm_90: name of case -> message
    Messages failed;                        // on the GPU: name of case -> reason
};

std::string slug(std::string_view family);  // "Integer arithmetic" -> "integer_arithmetic"

// A file is a zstd frame of: one line of JSON (records; refused; failed; name, hash, record, bytes of each
// case), then the bytes. Throws Error naming the path when the file is not that.
Golden read_golden(const std::string& path);  // empty when there is no such file
void write_golden(const std::string& path, const Golden& golden);

size_t compared_bytes(const Case& c);

}  // namespace wl::conformance
