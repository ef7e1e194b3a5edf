// Whole messages over a socket, whatever pieces it takes them in.
#include "instrumentation/recorder/wire.h"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <sys/types.h>

namespace wl::recorder {
namespace {

bool send_all(int socket, const std::byte* data, size_t size) {
    while (size > 0) {
        const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        data += sent, size -= static_cast<size_t>(sent);
    }
    return true;
}

bool receive_all(int socket, std::byte* data, size_t size) {
    while (size > 0) {
        const ssize_t got = ::recv(socket, data, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        data += got, size -= static_cast<size_t>(got);
    }
    return true;
}

}  // namespace

Packet& Packet::raw(const void* data, size_t size) {
    const size_t had = bytes.size();
    bytes.resize(had + size);
    if (size > 0) std::memcpy(bytes.data() + had, data, size);
    return *this;
}

bool send(int socket, Tag tag, const Packet& packet) {
    const Header header{tag, 0, packet.bytes.size()};
    return send_all(socket, reinterpret_cast<const std::byte*>(&header), sizeof header) &&
        send_all(socket, packet.bytes.data(), packet.bytes.size());
}

// Bytes are taken as they come, so that a size that is never sent costs nothing.
std::optional<Message> receive(int socket) {
    constexpr size_t kStep = size_t{64} << 20;
    Header header;
    if (!receive_all(socket, reinterpret_cast<std::byte*>(&header), sizeof header)) return std::nullopt;
    Message out{header.tag, {}};
    while (out.bytes.size() < header.bytes) {
        const size_t had = out.bytes.size();
        out.bytes.resize(had + std::min<uint64_t>(kStep, header.bytes - had));
        if (!receive_all(socket, out.bytes.data() + had, out.bytes.size() - had)) return std::nullopt;
    }
    return out;
}

}  // namespace wl::recorder
