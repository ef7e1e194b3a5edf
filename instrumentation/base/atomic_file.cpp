// Unnamed file, fsync, link, rename.
#include "instrumentation/base/atomic_file.h"

#include "instrumentation/base/error.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace wl {
namespace {

constexpr mode_t kMode = 0666;  // less the umask

[[noreturn]] void fail(const std::string& path, int code) {
    throw Error("cannot write " + path + ": " + std::generic_category().message(code) + ".");
}

struct Descriptor {
    int fd = -1;
    explicit Descriptor(int opened) : fd(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

// A name that disappears again unless it was renamed.
struct TemporaryName {
    std::string name;
    bool exists = false;
    explicit TemporaryName(std::string hidden) : name(std::move(hidden)) {}
    TemporaryName(const TemporaryName&) = delete;
    TemporaryName& operator=(const TemporaryName&) = delete;
    ~TemporaryName() {
        if (exists) ::unlink(name.c_str());
    }
};

std::string hidden_name_beside(const std::filesystem::path& target) {
    std::random_device random;
    return (target.parent_path() / (".warplens-" + std::to_string(random()) + ".tmp")).string();
}

int write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return ::fsync(fd) == 0 ? 0 : errno;
}

// A rename onto a device or a pipe would replace it by a plain file.
void check_target(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;
    if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
    if (!S_ISREG(status.st_mode)) throw Error("cannot write " + path + ": it is not a regular file.");
}

// False where the file system or a missing /proc does not let an unnamed file be named later.
bool write_unnamed(
    const std::string& path,
    const std::string& folder,
    std::span<const std::byte> bytes,
    TemporaryName& hidden
) {
    const Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
    if (file.fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) return false;
    if (file.fd < 0) fail(path, errno);
    if (const int code = write_all(file.fd, bytes)) fail(path, code);
    const std::string link = "/proc/self/fd/" + std::to_string(file.fd);
    hidden.exists = ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, hidden.name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    return hidden.exists;
}

void write_named(const std::string& path, std::span<const std::byte> bytes, TemporaryName& hidden) {
    const Descriptor file(::open(hidden.name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kMode));
    if (file.fd < 0) fail(path, errno);
    hidden.exists = true;
    if (const int code = write_all(file.fd, bytes)) fail(path, code);
}

}  // namespace

void write_file_atomically(const std::string& path, std::span<const std::byte> bytes) {
    check_target(path);
    const std::filesystem::path target(path);
    TemporaryName hidden(hidden_name_beside(target));
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    if (!write_unnamed(path, folder, bytes, hidden)) write_named(path, bytes, hidden);
    if (::rename(hidden.name.c_str(), path.c_str()) != 0) fail(path, errno);
    hidden.exists = false;
}

void write_file_atomically(
    const std::string& path, const std::function<void(const std::string& hidden)>& write
) {
    check_target(path);
    TemporaryName hidden(hidden_name_beside(std::filesystem::absolute(path)));
    const Descriptor file(::open(hidden.name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode));
    if (file.fd < 0) fail(path, errno);
    hidden.exists = true;
    write(hidden.name);
    if (::fsync(file.fd) != 0) fail(path, errno);
    if (::rename(hidden.name.c_str(), path.c_str()) != 0) fail(path, errno);
    hidden.exists = false;
}

}  // namespace wl
