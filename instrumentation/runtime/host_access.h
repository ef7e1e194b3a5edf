// Memory of the program's own that may not be there: a wild pointer is an error of the call that gets it, and
// no signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace wl::runtime {

// A byte of each page is there, and may be written.
bool is_readable(const void* at, size_t bytes);
bool is_writable(void* at, size_t bytes);
// Copies, where one side may not be there; false: some of it is not. What was there is copied until then.
bool read_host(void* to, const void* from, size_t bytes);
bool write_host(void* to, const void* from, size_t bytes);
// Up to its end, or as far as it is there. False: not even its end is.
bool read_text(const char* from, std::string& out);
// By the system's list: all of it is mapped, to be read and written.
bool is_mapped(const void* at, size_t bytes);
// "host stack", "host heap" or "host" memory by the system's list; "": the program has nothing there.
std::string host_memory_name(uint64_t address);

}  // namespace wl::runtime
