// The recorder's end of the socket.
#pragma once

#include "instrumentation/recorder/wire.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace wl::recorder {

// What `warplens record` wants of this process.
struct Wanted {
    uint64_t launch = 0;  // of the kernels that are meant, from 1; 0: none, launches are counted
    uint64_t limit = 0;   // bytes of memory
};
// Connects the process, once; a child that was forked is a process of its own. Nothing: nobody is there.
std::optional<Wanted> connect_once();

// Has this very process?
bool is_connected();

// Held by who calls what is above or below.
std::mutex& session_lock();

// False: the other end is gone.
bool tell(Tag tag, const Packet& packet);
std::optional<Message> ask(Tag tag, const Packet& packet);

}  // namespace wl::recorder
