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

// Bytes behind the kernel's own dynamic shared memory in which the threads of a block agree on a record that
// no share of theirs has room for: tickets (u32), granules taken of the rest of the block's part (u32), the
// record's address (u64), where the rest begins (u64), and its granules (u32).
constexpr uint32_t kMailboxBytes = 32;

// The bytes of kControl, as the host writes them before a launch and reads them afterwards.
struct Control {
    uint64_t records = 0;   // device address of the buffer, 64-byte aligned, filled with 0xff
    uint64_t capacity = 0;  // its bytes
    uint64_t claimed = 0;   // bytes asked for behind the parts; too many when records were dropped
    uint64_t dropped = 0;   // records for which there was no room
    uint64_t first_block = 0, end_block = 0;                   // linear: only these blocks dump
    uint32_t first_iteration = 0, end_iteration = UINT32_MAX;  // where the plan counts iterations
    uint64_t warps = ~uint64_t{0};  // bit w: marks of warp w; a block's tiles are taken whatever it says
    // Of each block that dumps, one after the other from the beginning of the buffer: bytes of its part; of
    // the part those for its tiles come first, then those of each warp; the rest is for who asks for it.
    // Multiples of 64.
    uint64_t part = 0;
    uint32_t tile_share = 0, warp_share = 0;
    uint64_t store_warps = ~uint64_t{0};               // bit w: stores of warp w
    uint32_t first_epoch = 0, end_epoch = UINT32_MAX;  // of stores, where the plan counts them
};
static_assert(sizeof(Control) == 96);

// At the beginning of a record; the elements follow it, contiguous, and the next record begins at a multiple
// of 64 bytes. A matrix lies by rows; a fragment lies by vectors of its registers (vectors_of), of each those
// of all 32 lanes, so that a warp stores whole lines.
struct Record {
    uint64_t magic = 0;  // kMagic ^ its own address: tells a record from bytes that nobody wrote
    uint64_t block = 0;
    int32_t warp = -1;  // -1: a block's tile
    uint32_t mark = 0;  // index in Listing::marks, after them in Dumped::arrays; or one of EventMark
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
// shared window (u32 each), then what each lane stores. Of a copy in bulk they are what its source held when
// the lane started it, and `address` is where they go. Of a barrier `address` is its number.
enum EventMark : uint32_t { kStore = 0xfffffff0, kArrive, kRelease, kBulk };

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
    bool by_blocks = false, by_warps = false;       // there are records of these
};
constexpr uint64_t kMagic = 0x57617270'4c656e73;  // "WarpLens"
constexpr uint64_t kGranule = 64;                 // records begin at multiples of it

// The widths of the vectors in which a lane stores `count` registers of `cell` bytes.
std::vector<uint32_t> vectors_of(uint32_t count, uint32_t cell);

// Gives each block of the control's range its part: at most half of the capacity, and no more than what a
// large block dumps. Warps: of a block.
void share_out(Control& control, const Dumped& what, uint64_t warps);
// Bytes of the buffer that may hold records, as the control says after a launch.
uint64_t used_of(const Control& control);

// An event of a block, at its clock.
struct BlockEvent {
    int64_t block = 0;
    uint64_t clock = 0;    // since the block's first record
    capture::Event event;  // but for time and epoch
};

// What the buffer holds, by block, then in the order of its clock.
struct Dump {
    std::vector<execution::TileSnapshot> tiles;
    std::vector<execution::TileSnapshot> stages;  // without elements: a warp came to a WL_STAGE
    std::vector<BlockEvent> events;               // stores to shared memory, barriers
    uint64_t incomplete = 0;                      // records that were begun and not ended
    uint64_t lost = 0;                            // records for which there was no room, as who ran it says
};

// Reads a buffer: records that are whole, whatever lies between them. Iterations are those of the records
// unless the kernel did not count them: then they are counted here. The time of a tile is its clock since the
// block's first record. `address`: of the buffer, where the records were made.
Dump decode(
    std::span<const std::byte> buffer, uint64_t address, const execution::Listing& listing, const Dumped& what
);

}  // namespace wl::gpu
