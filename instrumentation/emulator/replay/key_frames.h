// The whole state of a block that runs alone, between two instructions: registers, memory, places, what it
// waits for. Big memory is kept in pages that states of one block share while their bytes are equal.
#pragma once

#include "instrumentation/emulator/global/pair_order.h"
#include "instrumentation/emulator/memory/heap.h"
#include "instrumentation/emulator/observe/watcher.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace wl::emulator {

constexpr size_t kPage = 4096;  // bytes
using Page = std::array<std::byte, kPage>;

struct PagedBytes {
    std::vector<std::shared_ptr<const Page>> pages;  // of the last one as much as there is
};

struct FrameState {
    Frame plain;       // without its registers; `parent` is not meant
    int parent = -1;   // index in WarpState::frames
    size_t lines = 0;  // of its storage
    PagedBytes registers;
};

struct WarpState {
    Warp plain;                      // without frames and local memory; pointers to frames are not meant
    std::vector<FrameState> frames;  // the entry's, the active ones, then the spare ones by function
    size_t active = 0;
    std::vector<size_t> spare;  // how many of each function
    std::vector<int> of_split;  // index in frames
    PagedBytes stack;
};

struct KeyFrame {
    uint64_t order = 0;            // instants of the block before it
    std::vector<uint64_t> counts;  // the same by warp
    Turn turn;
    size_t turn_number = 0;  // of the block, among others of its launch
    PairState pair;          // of a directed schedule
    BlockState plain;
    BlockTurn block_turn;
    std::vector<WarpState> warps;
    PagedBytes shared;
    std::vector<PagedBytes> allocations;  // of global memory, in its order; the heap's arena last
    std::map<uint64_t, HeapPiece> heap_pieces;
    uint64_t heap_next = 0;
    uint64_t fresh = 0;  // bytes of pages that the state before it does not share
};

// The state of a block that stands before the instruction at its running split's pc, in `turn`. `before`: an
// earlier state of it, or nullptr.
KeyFrame key_frame(const Block& block, const Turn& turn, const KeyFrame* before);

// Makes the block of which the state was taken stand there again, to be resumed in the state's turn.
void restore(Block& block, const KeyFrame& state);

// Bytes that the states take together.
uint64_t bytes_of(const std::vector<KeyFrame>& states);

}  // namespace wl::emulator
