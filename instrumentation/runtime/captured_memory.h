// Memory that nodes of graphs name, as it was when they were made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace wl::runtime {

// One side of a copy or a fill.
struct CapturedSide {
    uint64_t begin = 0, bytes = 0;
    bool write = false;
    bool dense = true;  // all bytes of it belong to the side
};

// Bytes that a call found, or left, in a buffer that a node was made to read.
struct Refilled {
    uint32_t label = 0;  // the call
    std::vector<std::byte> bytes;
};

struct CapturedMemory {
    CapturedSide side;
    uint32_t label = 0;                // the call that made the node
    uint64_t region = 0;               // its allocation; 0: memory of the host that CUDA does not know
    uint64_t heap_block = 0;           // bytes of the block that it begins; 0: none
    std::vector<std::byte> was;        // of a source in memory of the host
    std::optional<uint32_t> freed;     // the call that gave it back
    std::optional<Refilled> refilled;  // the latest that found other bytes there
    bool launched = false;
};
using Captured = std::vector<std::shared_ptr<CapturedMemory>>;

}  // namespace wl::runtime
