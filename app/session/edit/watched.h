// Files that are looked at for changes, by their time and size: no service of the system is needed, and
// network drives answer as well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct FileStamp {
    int64_t time = 0;    // of the last change, in the file system's ticks
    int64_t bytes = -1;  // -1: it is not there
    bool operator==(const FileStamp&) const = default;
};

struct WatchedFile {
    std::string path;
    FileStamp known, seen;  // what the present run was made of; at the last look
};

struct Watched {
    bool on = true;
    std::vector<WatchedFile> files;
    double looked = 0;  // seconds of the monotonic clock
};
constexpr double kLookEvery = 0.15;  // seconds

// These files as they lie there now. Those that are missing wait to appear.
void watch(Watched& watched, const std::vector<std::string>& paths);

// Files that are others than known, and stood still between two looks: half a file is not taken. They are
// known from then on.
std::vector<std::string> take_changed(Watched& watched);

}  // namespace wl::app
