// The one place that looks at files for their changes.
#include "app/session/edit/watched.h"

#include <chrono>
#include <filesystem>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

FileStamp stamp_of(const std::string& path) {
    std::error_code problem;
    const auto time = fs::last_write_time(path, problem);
    if (problem) return {};
    const auto bytes = fs::file_size(path, problem);
    if (problem) return {};
    return {time.time_since_epoch().count(), static_cast<int64_t>(bytes)};
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void watch(Watched& watched, const std::vector<std::string>& paths) {
    watched.files.clear();
    for (const std::string& path : paths) {
        const FileStamp stamp = stamp_of(path);
        watched.files.push_back({path, stamp, stamp});
    }
}

std::vector<std::string> take_changed(Watched& watched) {
    std::vector<std::string> changed;
    const double time = now();
    if (!watched.on || watched.files.empty() || time - watched.looked < kLookEvery) return changed;
    watched.looked = time;
    for (WatchedFile& file : watched.files) {
        const FileStamp stamp = stamp_of(file.path);
        const bool still = stamp == file.seen;
        file.seen = stamp;
        if (!still || stamp == file.known || stamp.bytes < 0) continue;
        file.known = stamp;
        changed.push_back(file.path);
    }
    return changed;
}

}  // namespace wl::app
