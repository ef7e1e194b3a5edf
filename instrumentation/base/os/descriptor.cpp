// poll(2), pipe(2), unix(7).
#include "instrumentation/base/os/descriptor.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace wl {
namespace {

Moved moved(ssize_t count) {
    if (count > 0) return {static_cast<size_t>(count), false};
    return {0, count == 0 || (errno != EAGAIN && errno != EINTR)};
}

}  // namespace

void close_descriptor(int& descriptor) {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
}

Ends pipe_ends() {
    std::array<int, 2> ends{};
    return ::pipe2(ends.data(), O_CLOEXEC) == 0 ? Ends{ends[0], ends[1]} : Ends{};
}

Ends socket_ends() {
    std::array<int, 2> ends{};
    return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0 ? Ends{ends[0], ends[1]}
                                                                                  : Ends{};
}

int listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw Error(path + " is too long for a socket; set TMPDIR to a shorter folder");
    std::copy(path.begin(), path.end(), address.sun_path);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener, SOMAXCONN) != 0)
        throw Error("cannot listen at " + path + ": " + std::strerror(errno));
    return listener;
}

int accept_from(int listener) { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); }

Moved read_some(int descriptor, std::span<char> into) {
    return moved(::read(descriptor, into.data(), into.size()));
}

Moved send_some(int socket, std::span<const char> bytes) {
    return moved(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

bool wait_for_input(int descriptor, int milliseconds) {
    Watched one{descriptor};
    return wait_for_any({&one, 1}, milliseconds);
}

bool wait_for_any(std::span<Watched> watched, int milliseconds) {
    std::vector<pollfd> waits;
    waits.reserve(watched.size());
    for (const Watched& w : watched)
        waits.push_back({w.descriptor, static_cast<short>(w.writes ? POLLOUT : POLLIN), 0});
    const bool any = ::poll(waits.data(), waits.size(), milliseconds) > 0;
    for (size_t i = 0; i < watched.size(); ++i) watched[i].ready = any && waits[i].revents != 0;
    return any;
}

}  // namespace wl
