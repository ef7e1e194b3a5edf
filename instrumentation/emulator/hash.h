// A hash of memory and registers, to see whether they changed. Not for tables, not against an adversary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace wl::emulator {

struct Hash {
    uint64_t value = 0x9e3779b97f4a7c15;
};

inline void add(Hash& hash, uint64_t word) {
    const uint64_t mixed = (hash.value ^ word) * 0xbf58476d1ce4e5b9;
    hash.value = mixed ^ mixed >> 29;
}
inline void add(Hash& hash, std::span<const std::byte> bytes) {
    size_t k = 0;
    for (uint64_t word = 0; k + sizeof(word) <= bytes.size(); k += sizeof(word)) {
        std::memcpy(&word, bytes.data() + k, sizeof(word));
        add(hash, word);
    }
    for (; k < bytes.size(); ++k) add(hash, static_cast<uint64_t>(bytes[k]));
}

}  // namespace wl::emulator
