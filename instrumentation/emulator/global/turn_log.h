// What the other blocks of a launch did to memory between the turns of one block. Blocks of one thread take
// turns, so between two turns of a block lies all that others changed: with it the block runs alone and finds
// what it found among them, whether it waited for them or the schedule ended its turns.
#pragma once

#include "instrumentation/emulator/contract.h"
#include "instrumentation/emulator/global/pair_order.h"
#include "instrumentation/emulator/memory/heap.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace wl::emulator {

// Bytes of global memory, as they were.
struct Piece {
    size_t memory = 0;  // in the order of memory_of()
    size_t offset = 0;
    std::vector<std::byte> bytes;
};

// Where the block stands, whether its schedule may end the turn at any time, and how far the launch has come
// with the two accesses of a directed one.
struct TurnKind {
    uint64_t issued = 0;  // warp instructions
    bool interruptible = false;
    PairState pair;
};

// What a turn of the block begins with.
struct TurnStart {
    TurnKind kind;
    std::vector<Piece> pieces;  // that others changed since the block's last turn
    std::map<uint64_t, HeapPiece> heap_pieces;
    uint64_t heap_next = 0;
    bool diverged =
        false;  // lanes that stood at a barrier were told to arrive without the rest of their warp
};

struct TurnLog {
    int64_t block = 0;
    uint64_t limit = 0, bytes = 0;  // of all pieces
    bool full = false;              // the limit was reached: the turns that follow are missing
    bool diverged = false;          // TurnStart::diverged of the next turn
    std::vector<TurnStart> turns;
    // While the launch runs:
    std::vector<std::vector<std::byte>> seen;  // memory when the block's turn ended
    bool is_told = false;                      // who stores says where; else all memory is looked at
    struct PageNumber {
        size_t memory = 0, page = 0;
    };
    std::vector<PageNumber> written;          // since its last turn began or ended, each once
    std::vector<std::vector<bool>> is_among;  // `written`
};

// The launch is run on one thread, up to the block's end, as a run that records this block does it.
struct TurnQuestion {
    const Program& program;
    const Launch& launch;
    int64_t block = 0;
    uint64_t schedule_seed = 0, budget = 0;
    uint64_t limit = 0;  // bytes
};
TurnLog log_turns(const TurnQuestion& question, const GlobalMemory& memory);

// ---- while it is written
void start(TurnLog& log, GlobalMemory& memory);
void turn_begins(TurnLog& log, GlobalMemory& memory, TurnKind kind);
void turn_ends(TurnLog& log, GlobalMemory& memory);
// A block stores there; addresses of no allocation are left out.
void note_store(TurnLog& log, const GlobalMemory& memory, uint64_t address, uint32_t bytes);
// Behind the launch: whether everything that was written is known.
bool was_told_all(const TurnLog& log, GlobalMemory& memory);

// ---- while it is read
void apply(const TurnStart& turn, GlobalMemory& memory);

// Every byte that kernels can change: allocations in their order, then the heap's.
std::vector<std::vector<std::byte>*> memory_of(GlobalMemory& memory);

}  // namespace wl::emulator
