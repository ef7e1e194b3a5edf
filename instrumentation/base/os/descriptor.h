// File descriptors of pipes, sockets and standard streams: what is read and written as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace wl {

constexpr int kInput = 0, kOutput = 1, kErrors = 2;  // those that every process starts with

void close_descriptor(int& descriptor);  // it becomes -1; nothing where it is negative

// Closed with the object.
struct Descriptor {
    int fd = -1;
    explicit Descriptor(int opened) : fd(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close_descriptor(fd); }
};

// Two ends that programs which are started do not inherit. Both are -1 when the system has none left.
struct Ends {
    int first = -1, second = -1;
};
Ends pipe_ends();    // what is written to the second is read from the first
Ends socket_ends();  // each reads what is written to the other

// A socket that a file names, for programs on this machine. Throws Error with the path.
int listen_at(const std::string& path);
int accept_from(int listener);  // -1: nobody is there any longer

// Of one call. Neither: nothing can be moved now.
struct Moved {
    size_t bytes = 0;
    bool over = false;  // the other side has closed, or there was an error
};
Moved read_some(int descriptor, std::span<char> into);
Moved send_some(int socket, std::span<const char> bytes);  // a socket that is closed is no signal

// Whether there is something to read, or the end of it, within so many milliseconds; -1: however long it
// takes.
bool wait_for_input(int descriptor, int milliseconds);
struct Watched {
    int descriptor = -1;  // -1: none
    bool writes = false;  // whether it is waited for that it takes bytes, not that it has some
    bool ready = false;
};
bool wait_for_any(std::span<Watched> watched, int milliseconds);  // and says which

}  // namespace wl
