// The memory that a launch can reach by the addresses that it is given: in its parameters, and in the memory
// that these lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wl::recorder {

struct Range {
    uint64_t base = 0, bytes = 0;
    bool operator==(const Range&) const = default;
};

struct Reached {
    Range range;
    std::vector<std::byte> bytes;
};

// Memory as its owner sees it.
struct Memories {
    std::function<std::optional<Range>(uint64_t address)> find;  // the allocation that holds the address
    std::function<std::vector<std::byte>(const Range&)> read;    // empty: it cannot be read
    uint64_t limit = 0;                                          // bytes of all that is kept
};

// What has been reached so far.
struct Reach {
    std::vector<Reached> all;
    std::vector<std::string> notes;  // what was not kept, and why
    uint64_t kept = 0, asked = 0;    // bytes; questions to Memories::find
};

// Follows every 8-byte word at a multiple of 8 that is an address in some allocation; `from` lies at `base`.
// Of an allocation that is beyond the limit the part from the address on is kept, as far as there is room.
void follow(Reach& reach, uint64_t base, std::span<const std::byte> from, const Memories& memories);

}  // namespace wl::recorder
