// What the recorder inside a program and `warplens record` outside it say to each other, over a socket: tags
// with a size and bytes. Both are of one build and on one machine, so bytes are as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wl::recorder {

// The path of the socket, in the environment of the program.
constexpr const char* kSocketVariable = "WARPLENS_RECORD";

enum class Tag : uint32_t {
    hello,   // process id                                    -> which launch, most bytes of memory
    kernel,  // a kernel that is met, by its name in PTX      -> 1: it is one of those that are meant
    count,   // at the end: kernel, launches
    begin,   // of the launch: what Begin says                -> 1: go on
    text,    // PTX that the program made of this kernel
    image,   // the module, as the driver got it              -> names of its variables
    params,  // the parameter buffer
    memory,  // is a variable, address, name, bytes before
    after,   // place among the memories, changed, bytes if so
    fault,   // how the launch failed
    note,
    end,
};

struct Header {
    Tag tag = Tag::hello;
    uint32_t unused = 0;
    uint64_t bytes = 0;  // that follow
};

// A message's bytes: numbers, texts and bytes one after another.
struct Packet {
    std::vector<std::byte> bytes;
    Packet& number(uint64_t n) { return raw(&n, sizeof n); }
    Packet& text(std::string_view t) { return number(t.size()).raw(t.data(), t.size()); }
    Packet& raw(const void* data, size_t size);
};

// Takes them out again; what is not there is 0 or empty, and `fine` says so.
struct Unpacker {
    std::span<const std::byte> bytes;
    bool fine = true;
    uint64_t number() {
        uint64_t n = 0;
        if (const auto part = take(sizeof n); part.size() == sizeof n) std::memcpy(&n, part.data(), sizeof n);
        return n;
    }
    std::string text() {
        const auto part = take(number());
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }
    std::vector<std::byte> rest() {
        const auto part = take(bytes.size());
        return {part.begin(), part.end()};
    }
    std::span<const std::byte> take(uint64_t size) {
        if (size > bytes.size()) {
            fine = false;
            return {};
        }
        const auto part = bytes.first(size);
        bytes = bytes.subspan(size);
        return part;
    }
};

// False: the other end is gone.
bool send(int socket, Tag tag, const Packet& packet);
struct Message {
    Tag tag = Tag::hello;
    std::vector<std::byte> bytes;
};
std::optional<Message> receive(int socket);

}  // namespace wl::recorder
