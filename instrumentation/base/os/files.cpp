// stat(2), access(2), open(2).
#include "instrumentation/base/os/files.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace wl {
namespace {

int64_t nanoseconds(const timespec& t) { return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

}  // namespace

bool is_executable(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }
bool is_readable(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

std::optional<FileState> state_of(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
    return FileState{
        static_cast<uint64_t>(about.st_size),
        about.st_ino,
        nanoseconds(about.st_mtim),
        nanoseconds(about.st_ctim)};
}

int64_t time_of_files() {
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    return nanoseconds(t);
}

// clock_getres(2); Linux, Documentation/filesystems/multigrain-ts.rst.
int64_t step_of_file_times() {
    timespec resolution{};
    clock_getres(CLOCK_REALTIME_COARSE, &resolution);
    return nanoseconds(resolution);
}

// A pipe that nobody writes to does not block open().
std::optional<std::string> read_plain_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    if (file.fd < 0 || ::fstat(file.fd, &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
    return read_text_file("/proc/self/fd/" + std::to_string(file.fd));
}

std::string make_private_folder(const std::string& name) {
    std::string path = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr)
        throw Error("cannot make the folder " + path + ": " + std::strerror(errno));
    return path;
}

}  // namespace wl
