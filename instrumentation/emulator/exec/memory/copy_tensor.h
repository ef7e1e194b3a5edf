// Tiles of tensors on their way; for the files of this folder.
#pragma once

#include "instrumentation/emulator/machine/block.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// Moves the bytes of a tile; out of shared memory, where `out` says so.
void move_tile(const TensorTile& tile, std::byte* shared, bool out);

// Calls `visit` with the offset of each 16 bytes of shared memory that the tile has, once.
template <class Visit>
void each_chunk(const TensorTile& tile, Visit visit) {
    uint32_t last = ~0u;
    for (const TilePiece& piece : tile.pieces) {
        const uint32_t chunk = piece.shared & ~15u;
        if (chunk != last) visit(chunk);
        last = chunk;
    }
}

// Maps that a kernel changes.
Selected lower_tensor_map(Lowering& l);

}  // namespace wl::emulator
