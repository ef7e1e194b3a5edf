// What goes between a program and the process that runs its kernels (isolated.h): both are the same binary,
// so that structs go as they are.
#pragma once

#include "instrumentation/execution/executor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::gpu {

struct RunRequest {
    std::string text, entry;  // PTX
    execution::Launch launch;
    execution::GlobalMemory memory;  // without a heap, which is the device's own
    std::vector<int64_t> blocks;     // whose tiles are wanted; empty: all
    bool tiles = false;
};

struct RunAnswer {
    std::string unsupported, error;            // one of them: nothing ran, and why
    std::vector<execution::Allocation> after;  // of the request's memory, in its order: bytes and written
    std::vector<execution::TileSnapshot> tiles;
    std::vector<execution::Incident> incidents;  // kind, count and detail
    uint64_t blocks = 0;
    double seconds = 0;
};

std::string bytes_of(const RunRequest& request);
std::string bytes_of(const RunAnswer& answer);
// Nothing where the bytes are no such message, whole.
std::optional<RunRequest> request_of(const std::string& bytes);
std::optional<RunAnswer> answer_of(const std::string& bytes);

// A message with its length before it, over a socket. False: the other end is gone.
bool send_message(int to, const std::string& bytes);
// Until the end, or for so many seconds at most; 0: for as long as it takes. Nothing: it did not come.
std::optional<std::string> receive_message(int from, double seconds);

}  // namespace wl::gpu
