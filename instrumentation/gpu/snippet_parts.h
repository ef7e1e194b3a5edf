// What the snippets are put together from; for the files of this folder. Labels: CLAIMED, and END behind all.
#pragma once

#include "instrumentation/gpu/snippets.h"

#include <cstdint>
#include <string>

namespace wl::gpu {

// Bytes of a record with so many bytes of elements.
uint32_t record_bytes(uint32_t elements);

// The lanes that stand here together, `group`, which is set: of them this is number `rank` of `members`; lane
// `leader` is number 0 and `leads`.
std::string group_registers();
std::string group_values();

// The lanes claim a record of a warp: (rows, cols) elements, `place` its address. Leaves `slot`, in all
// lanes, with its head written, and goes to END where there is no room. `whole`: it is complete with that.
struct WarpRecord {
    uint32_t rows = 0, cols = 0;
    std::string pitch = "0", place = "0";
    bool whole = false;
};
std::string claim_for_warp(const Names& names, const Numbers& numbers, const WarpRecord& record);

// The same for a matrix: rows, cols, pitch, place, shared and bytes are set. `known`: its bytes, 0: they are
// not known.
std::string claim_matrix_for_warp(const Names& names, const Numbers& numbers, uint32_t known, bool whole);

// Counts this arrival, and leaves when the host does not want it.
std::string iteration_text(const Numbers& numbers);
// Of one thread: `slot` becomes the address of a record of `bytes`, or 0 where there is no room.
std::string ask_text();
// The thread whose predicate `guard` holds writes the head of the record at `slot`. `owner`: "warp", or "-1"
// of the block's.
std::string head_text(
    const Names& names, const Numbers& numbers, const char* guard, const char* owner, bool whole
);
// It says that the record is complete.
std::string complete_text(const Names& names, const char* guard);

// What is known of a matrix before the kernel runs.
struct Known {
    uint32_t bytes = 0;                 // of all elements; 0: not known
    uint32_t unit = 0;                  // bytes that a thread takes at once; 0: by the loop
    uint32_t row_units = 0, units = 0;  // of a row, of all rows
    uint64_t stride = 0;                // bytes from row to row
};

Known known_of(const Numbers& numbers, const MatrixText& matrix, uint32_t threads);

// What a copy has around it.
struct CopyText {
    bool quick = false;      // there is a predicate `quick`, which holds where all of `threads` are here
    std::string begin = {};  // before the loop
    std::string behind_loads = {};  // where threads are quick: nothing of the matrix is read any more
};
// The elements of a matrix, by `threads` threads of which this is number `rank`. Quick threads copy a known
// one by text of its own and go to TAKEN, which follows somewhere; the loop, which ends at COPIED, is then
// for rare cases, and short.
std::string copies_text(const Numbers& numbers, const Known& known, uint32_t threads, const CopyText& around);

}  // namespace wl::gpu
