// A socket of the process, found in its environment.
#include "instrumentation/recorder/session.h"

#include <algorithm>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace wl::recorder {
namespace {

struct Session {
    pid_t process = 0;  // that connected
    int socket = -1;
    std::optional<Wanted> wanted;
};
Session session;

int connected_socket() {
    const char* path = std::getenv(kSocketVariable);
    sockaddr_un address{};
    if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return -1;
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return -1;
    address.sun_family = AF_UNIX;
    std::copy_n(path, std::strlen(path), address.sun_path);
    if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return made;
    close(made);
    return -1;
}

}  // namespace

std::optional<Wanted> connect_once() {
    if (session.process == getpid()) return session.wanted;
    if (session.socket >= 0) close(session.socket);  // of the process that was forked
    session = {getpid(), connected_socket(), std::nullopt};
    if (session.socket < 0) return std::nullopt;
    const std::optional<Message> answer =
        ask(Tag::hello, Packet{}.number(static_cast<uint64_t>(session.process)));
    if (!answer) return std::nullopt;
    Unpacker words{answer->bytes};
    session.wanted = Wanted{words.number(), words.number()};
    return session.wanted;
}

bool is_connected() { return session.process == getpid() && session.socket >= 0; }

std::mutex& session_lock() {
    static auto* const kLock = new std::mutex;  // libraries launch kernels until the process is gone
    return *kLock;
}

bool tell(Tag tag, const Packet& packet) { return session.socket >= 0 && send(session.socket, tag, packet); }

std::optional<Message> ask(Tag tag, const Packet& packet) {
    return tell(tag, packet) ? receive(session.socket) : std::nullopt;
}

}  // namespace wl::recorder
