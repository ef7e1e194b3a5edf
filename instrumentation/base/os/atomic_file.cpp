// Unnamed file, fsync, link, rename.
#include "instrumentation/base/os/atomic_file.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/base/text.h"

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

// A name that disappears again unless it was renamed.
struct TemporaryName {
    std::string name;
    TemporaryPath kept;
    bool exists = false;
    explicit TemporaryName(std::string hidden) : name(std::move(hidden)), kept(name) {}
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
    return 0;
}

int write_and_sync(int fd, std::span<const std::byte> bytes) {
    if (const int code = write_all(fd, bytes)) return code;
    return ::fsync(fd) == 0 ? 0 : errno;
}

// What a rename replaces, and the permissions that the new file gets.
struct Target {
    std::string path;
    mode_t mode = 0;  // 0: there is no file yet
};

// A rename onto a device or a pipe would replace it by a plain file.
Target target_of(const std::string& path) {
    std::error_code problem;
    const std::filesystem::path real = std::filesystem::canonical(path, problem);
    Target target{problem ? path : real.string(), 0};
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return target;
    if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
    if (!S_ISREG(status.st_mode)) throw Error("cannot write " + path + ": it is not a regular file.");
    if (::access(path.c_str(), W_OK) != 0) fail(path, errno);
    target.mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    return target;
}

void keep_mode(const std::string& path, int fd, const Target& target) {
    if (target.mode != 0 && ::fchmod(fd, target.mode) != 0) fail(path, errno);
}

// False where the file system or a missing /proc does not let an unnamed file be named later.
bool write_unnamed(
    const std::string& path, const Target& target, std::span<const std::byte> bytes, TemporaryName& hidden
) {
    const std::filesystem::path parent = std::filesystem::path(target.path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    const Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
    if (file.fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) return false;
    if (file.fd < 0) fail(path, errno);
    keep_mode(path, file.fd, target);
    if (const int code = write_and_sync(file.fd, bytes)) fail(path, code);
    const std::string link = "/proc/self/fd/" + std::to_string(file.fd);
    hidden.exists = ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, hidden.name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    return hidden.exists;
}

void write_named(
    const std::string& path, const Target& target, std::span<const std::byte> bytes, TemporaryName& hidden
) {
    const Descriptor file(::open(hidden.name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kMode));
    if (file.fd < 0) fail(path, errno);
    hidden.exists = true;
    keep_mode(path, file.fd, target);
    if (const int code = write_and_sync(file.fd, bytes)) fail(path, code);
}

// A device or a pipe takes the bytes as they come; there is nothing to sync.
void write_through(const std::string& path, std::span<const std::byte> bytes) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.fd < 0) fail(path, errno);
    if (const int code = write_all(file.fd, bytes)) fail(path, code);
}

}  // namespace

void write_file_atomically(const std::string& path, std::span<const std::byte> bytes) {
    const Saving saving;
    const Target target = target_of(path);
    TemporaryName hidden(hidden_name_beside(target.path));
    if (!write_unnamed(path, target, bytes, hidden)) write_named(path, target, bytes, hidden);
    if (::rename(hidden.name.c_str(), target.path.c_str()) != 0) fail(path, errno);
    hidden.exists = false;
}

void write_text_file(const std::string& path, std::string_view text) {
    struct stat status {};
    const bool streams =
        ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    streams ? write_through(path, bytes) : write_file_atomically(path, bytes);
}

void copy_file_atomically(const std::string& from, const std::string& to) {
    const std::string bytes = read_text_file(from);
    write_file_atomically(to, std::as_bytes(std::span(bytes)));
}

void write_file_atomically(
    const std::string& path, const std::function<void(const std::string& hidden)>& write
) {
    const Saving saving;
    const Target target = target_of(path);
    TemporaryName hidden(hidden_name_beside(std::filesystem::absolute(target.path)));
    const Descriptor file(::open(hidden.name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode));
    if (file.fd < 0) fail(path, errno);
    hidden.exists = true;
    keep_mode(path, file.fd, target);
    write(hidden.name);
    if (::fsync(file.fd) != 0) fail(path, errno);
    if (::rename(hidden.name.c_str(), target.path.c_str()) != 0) fail(path, errno);
    hidden.exists = false;
}

}  // namespace wl
