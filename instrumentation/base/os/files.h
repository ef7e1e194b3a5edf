// What the system says of files, and folders of our own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace wl {

bool is_executable(const std::string& path);
bool is_readable(const std::string& path);

// Of a regular file. Times are nanoseconds since 1970.
struct FileState {
    uint64_t bytes = 0, inode = 0;
    int64_t modified = 0, changed = 0;  // its content; its content, name, owner or mode
};
std::optional<FileState> state_of(const std::string& path);
int64_t time_of_files();  // now, by the clock of these times
// How much earlier than it is written a file may be stamped, in nanoseconds: the clock for that goes on every
// few milliseconds.
int64_t step_of_file_times();

// The text of a regular file that no link leads to; nothing where there is none.
std::optional<std::string> read_plain_file(const std::string& path);

// A folder of a new name that begins so, in the folder for temporary files; nobody else looks into it. Throws
// Error.
std::string make_private_folder(const std::string& name);

}  // namespace wl
