// Files, pipes and devices as texts.
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/memory_limit.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace wl {
namespace {

constexpr uint64_t kMostOfStream = uint64_t{1} << 30;  // bytes of a pipe or a device, which may have no end

// Before the first writer has opened a pipe, read() says that it is at its end; poll() waits.
void wait_for_bytes(int fd) {
    constexpr int kBeat = 50;  // ms, until it is looked at whether a signal asked us to stop
    while (!wait_for_input(fd, kBeat)) check_stop();
}

}  // namespace

std::string read_text_file(const std::string& path) {
    const auto fail = [&path](int code) {
        throw Error("cannot read " + path + ": " + std::generic_category().message(code) + ".");
    };
    // Not blocking: a pipe that nobody writes to would keep us in open() and read(), deaf to signals.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat about {};
    if (file.fd < 0 || ::fstat(file.fd, &about) != 0) fail(errno);
    if (S_ISDIR(about.st_mode)) fail(EISDIR);
    const bool has_size = S_ISREG(about.st_mode);
    std::string text;
    if (has_size) {
        const auto size = static_cast<uint64_t>(about.st_size);
        check_memory(size, path);
        text.reserve(size);
    }
    std::vector<char> buffer(size_t{1} << 18);
    for (ssize_t n = 1; n != 0;) {
        check_stop();
        if (!has_size) wait_for_bytes(file.fd);
        n = ::read(file.fd, buffer.data(), buffer.size());
        if (n < 0 && errno != EINTR && errno != EAGAIN) fail(errno);
        if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
        if (!has_size && text.size() > kMostOfStream)
            throw Error("cannot read " + path + ": it does not end within 1 GiB; give a file.");
    }
    return text;
}

}  // namespace wl
