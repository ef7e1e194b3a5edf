// Fat binaries, as nvcc makes them: a container (16 bytes of header, its magic first) of entries, each with a
// header of its own: kind, sizes, architecture, flags. NVIDIA does not document the format: layouts as nvcc
// 11 to 13 write them, checked with those of nvcc 13.0 (-compress-mode=none, speed, size and balance).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::compile {

constexpr std::string_view kFatBinaryMagic = "\x50\xed\x55\xba";

enum class Packing : uint8_t { none, lz4, zstd };

struct FatEntry {
    bool is_ptx = false, is_machine_code = false;  // neither: another kind
    uint32_t architecture = 0;                     // 80 of compute_80 and sm_80
    Packing packing = Packing::none;
    std::string_view body;        // in the container
    uint64_t expanded_bytes = 0;  // of what is packed
};

struct FatBinary {
    std::vector<FatEntry> entries;
    bool is_whole = true;  // false: an entry ends behind the container; those before it are listed
};

// Header and entries, in bytes; 0: what begins here is no container. At least 16 bytes can be read.
uint64_t fat_binary_bytes(const char* begin);

FatBinary read_fat_binary(std::string_view container);

// The text of an entry of PTX, without the zeros behind it; nothing when it is damaged.
std::optional<std::string> ptx_of(const FatEntry& entry);

}  // namespace wl::compile
