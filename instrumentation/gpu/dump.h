// The buffer into which an instrumented kernel dumps its marks: one record a mark taken, a store of a warp or
// a barrier that a warp comes to, claimed in the order of execution of each warp. The same layout whoever
// runs the instrumented PTX, a GPU or the emulator.
#pragma once

#include "instrumentation/base/fragment_layout.h"
#include "instrumentation/execution/recording.h"
#include "instrumentation/execution/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace wl::gpu {

// Module variables of an instrumented kernel.
constexpr const char* kControl = "wl_control";  // .global: what the host says and the kernel counts
constexpr const char* kDynamic = "wl_dynamic";  // .extern .shared: where dynamic shared memory begins

// Bytes behind the kernel's own dynamic shared memory in which the threads of a block agree on a record:
// tickets (u32), padding, the record's address (u64), and where the block's own part of the buffer is free
// and ends (u64 each).
constexpr uint32_t kMailboxBytes = 32;

// The bytes of kControl, as the host writes them before a launch and reads them afterwards.
struct Control {
    uint64_t records = 0;   // device address of the buffer, 64-byte aligned, filled with 0xff
    uint64_t capacity = 0;  // its bytes
    uint64_t claimed = 0;   // bytes asked for so far; beyond the capacity when records were dropped
    uint64_t dropped = 0;   // records for which there was no room
    uint64_t first_block = 0, end_block = 0;                   // linear: only these blocks dump
    uint32_t first_iteration = 0, end_iteration = UINT32_MAX;  // where the plan counts iterations
    uint64_t warps = ~uint64_t{0};  // bit w: marks of warp w; a block's tiles are taken whatever it says
    uint64_t part =
        0;  // bytes that a block claims at its beginning for its own records; a multiple of 64, may be 0
    uint64_t store_warps = ~uint64_t{0};               // bit w: stores of warp w
    uint32_t first_epoch = 0, end_epoch = UINT32_MAX;  // of stores, where the plan counts them
};
static_assert(sizeof(Control) == 88);

// Bytes that each of so many blocks may claim for its own: half of the buffer, at most 1 MiB a block.
uint64_t part_of(uint64_t capacity, uint64_t blocks);

// At the beginning of a record; the elements follow it, contiguous, and the next record begins at a multiple
// of 64 bytes. A matrix lies by rows; of a fragment register 0 of all 32 lanes comes first, then register 1,
// so that a warp stores whole lines.
struct Record {
    uint64_t magic = 0;  // kMagic ^ offset in the buffer: tells a record from bytes that nobody wrote
    uint64_t block = 0;
    int32_t warp = -1;  // -1: a block's tile
    uint32_t mark = 0;  // index in Listing::marks, behind them in Dumped::arrays; or one of Told
    uint32_t site = 0;  // index in Listing::sites
    uint32_t lanes = 0;
    uint64_t clock = 0;    // %clock64 of the multiprocessor
    uint64_t address = 0;  // of element (0, 0); shared: offset in the device's window
    uint32_t rows = 0, cols = 0;
    uint32_t pitch = 0;      // elements from one row to the next; of registers: bytes of one
    uint32_t shared = 0;     // 1: in shared memory
    uint32_t iteration = 0;  // where the plan counts them
    uint32_t complete = 0;   // 1: the elements are all there
    uint64_t bytes = 0;      // of the elements
    uint64_t unused[6] = {};
};
static_assert(sizeof(Record) == 128);

// What a record tells that is no mark. Elements of a store are bytes: the addresses of the 32 lanes in the
// shared window (u32 each), then what each lane stores. Of a barrier `address` is its number.
enum Told : uint32_t { kStore = 0xfffffff0, kArrive, kRelease };

// A matrix that a warp stores together: which lane stores which element where.
struct MatrixStore {
    FragmentLayout layout;
    bool by_rows = false;  // stmatrix: lane k has the address of row k; else the matrix begins at the
                           // address, Record::pitch elements between its lines
    bool column = false;   // wmma.store.col
};

// What is dumped besides marks.
struct Dumped {
    bool iterations = false;  // of marks, counted by the kernel
    bool epochs = false;      // it counts barriers: those of arrays
    std::vector<execution::Array> arrays = {};
    std::map<uint32_t, MatrixStore> matrices = {};  // by site
};
constexpr uint64_t kMagic = 0x57617270'4c656e73;  // "WarpLens"
constexpr uint64_t kGranule = 64;                 // records begin at multiples of it

// An event of a block, at its clock.
struct BlockEvent {
    int64_t block = 0;
    uint64_t clock = 0;    // since the block's first record
    capture::Event event;  // but for time and epoch
};

// What the buffer holds, by block, then in the order in which the records were claimed.
struct Dump {
    std::vector<execution::TileSnapshot> tiles;
    std::vector<execution::TileSnapshot> stages;  // without elements: a warp came to a WL_STAGE
    std::vector<BlockEvent> events;               // stores to shared memory, barriers
    uint64_t incomplete = 0;                      // records that were begun and not ended
    uint64_t lost = 0;                            // records for which there was no room, as who ran it says
};

// Reads a buffer: records that are whole, whatever lies between them. Iterations are those of the records
// unless the kernel did not count them: then they are counted here. The time of a tile is its clock since the
// block's first record.
Dump decode(std::span<const std::byte> buffer, const execution::Listing& listing, const Dumped& what);

}  // namespace wl::gpu
