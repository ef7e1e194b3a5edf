// Writes of a value, and waits for one, as work of a stream (CUDA Driver API, "Stream Memory Operations").
#pragma once

#include <cstdint>

namespace wl::runtime {

struct Machine;

struct StreamValue {
    uint64_t address = 0, value = 0;
    uint32_t bytes = 4;  // or 8
};
// What is awaited of memory m and the value v: m >= v, cyclically; m == v; (m & v) != 0; ~(m | v) != 0.
enum class Until : uint8_t { at_least, equal, common_bits, other_bits };

// `fences`: what the stream did before is seen by who sees the value. False: there is no such memory.
bool write_value(Machine& machine, const StreamValue& value, bool fences);
// What comes after it in its stream waits.
bool wait_for_value(Machine& machine, const StreamValue& value, Until until);

}  // namespace wl::runtime
