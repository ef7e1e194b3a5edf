// LZ4 blocks, as fat binaries before CUDA 12.4 are compressed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace wl::compile {

// Exactly `bytes` of them (LZ4 block format description, 2022-07); nothing when the block is damaged.
std::optional<std::string> expand_lz4(std::span<const std::byte> block, size_t bytes);

}  // namespace wl::compile
