// The heap that kernels take memory from: device-side malloc and free, in bounds. Freed memory is given out
// again as late as possible, so that a use after free is found until then.
#pragma once

#include "instrumentation/emulator/contract.h"

#include <optional>
#include <string>

namespace wl::emulator {

constexpr uint64_t kHeapBytes = 8 << 20;  // cudaLimitMallocHeapSize, unless the host raised it
constexpr uint64_t kHeapBase = kGlobalBase - (uint64_t{1} << 40);  // below every other allocation

// Makes an empty heap, unless there is one.
void make_heap(GlobalMemory& memory);

// Bytes that a piece takes in the arena.
uint64_t room_of(const HeapPiece& piece);
// Device address of so many bytes, aligned to 16; 0: there is no room.
uint64_t take(Heap& heap, uint64_t bytes);
// Why the address cannot be freed; empty: it was.
std::string give_back(Heap& heap, uint64_t address);

// Offset of the access in the arena; nothing: it is not inside a live piece.
std::optional<uint64_t> find(Heap& heap, uint64_t address, uint64_t bytes);
// "heap, 4 bytes past 64 bytes that malloc gave" for an address that is not; empty: it is nowhere near.
std::string describe(Heap& heap, uint64_t address);

}  // namespace wl::emulator
