// What a run gives back: tiles while it goes on, the rest at its end.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/capture/banks.h"
#include "instrumentation/capture/capture.h"
#include "instrumentation/execution/incident.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::execution {

// A mark that names more elements than this, or fewer than one, is taken without elements.
constexpr int64_t kMostTileElements = 1 << 24;

// A mark taken: the matrix at one instant, copied out.
struct TileSnapshot {
    uint32_t site = 0;  // the mark's instruction index
    int mark = 0;       // index in Listing::marks
    int64_t block = 0;
    int warp = -1;  // -1: a block mark
    int iteration = 0;
    uint64_t time = 0;       // the block's clock
    int rows = 0, cols = 0;  // fragment: 32 lanes x registers; lanes: 32 x 1
    DType dtype = DType::f32;
    std::string memory;                  // "shared" | "global" | "register"
    uint64_t address = 0;                // of element (0, 0); shared: offset in the block's window
    int ld = 0;                          // elements from one row to the next; 0: registers
    std::vector<std::byte> values;       // rows * cols, contiguous
    std::vector<capture::Owner> owners;  // rows * cols when recorded, else empty
};

// What one call of printf in a kernel gave.
struct Printed {
    int64_t block = 0;
    uint32_t thread = 0;  // in the block, linear
    std::string text;
    uint64_t lost = 0;  // calls of the same block that came behind it when the buffer was full
};

// Global memory that a launch reached, by the bases of allocations.
struct Reached {
    std::vector<uint64_t> read, written;
    bool repeatable = false;  // it read nothing that it wrote: behind itself it would leave the same
};

// Bytes [begin, end) of global memory that one instruction read or wrote.
struct Touched {
    uint64_t begin = 0, end = 0;
    uint32_t site = 0;
    bool write = false;
    bool strong = false;  // atomic or volatile
    bool early = false;   // of a programmatic launch, before its griddepcontrol.wait
};

// What a launch read and wrote, by rising address. Of bytes that it wrote after reading them the read is left
// out.
struct Accesses {
    std::vector<Touched> touched;
    std::string missing;           // what is not among them: "reads of textures"; empty: nothing
    bool merged = false;           // too many: neighbours stand under the instruction of the first of them
    bool lets_dependents = false;  // it executed griddepcontrol.launch_dependents
};

// What may make a launch leave other values in another legal order of its accesses, though none of them race:
// volatile and ordered accesses, and atomics but for those that come to the same in any order.
struct Contest {
    std::vector<uint32_t> sites;  // instructions of that kind
    bool sums = false;            // atomic sums of floating point values: each order rounds otherwise
    bool sections = false;        // fences, exchanges, ordered accesses: what they order may be sums as well
    std::vector<Incident> met;    // a read and a write of one place by two warps, which nothing orders
};

struct RunResult {
    uint64_t blocks = 0;  // finished, of those asked for
    uint64_t warp_instructions = 0;
    double seconds = 0;
    bool cancelled = false;
    bool in_order = true;             // false: the order that a directed schedule asks for could not be had
    std::vector<Incident> incidents;  // by (block, order of detection) of their first witness
    std::vector<capture::BlockRecord> records;  // of the blocks asked for; events name marks by their index
    std::vector<uint64_t> events;               // of each record, with those beyond max_events
    std::vector<std::string> stages;            // WL_STAGE names, as events number them
    std::vector<Printed> printed;    // by block, then in order of execution; at most 1 MiB, as on a GPU
    uint64_t prints_lost = 0;        // calls of printf beyond that
    capture::AccessCounts accesses;  // empty unless count_accesses
    std::vector<std::string> notes;  // what a check could not look at
    // Last writer of every byte of each allocation, for the blocks recorded: (allocation name -> one Owner a
    // byte). Empty unless record.
    std::vector<std::pair<std::string, std::vector<capture::Owner>>> global_owners;
    std::optional<Reached> reached;   // nothing: it was not followed
    std::optional<Accesses> touched;  // nothing: not asked for, or not followed
    Contest contest;                  // `met` where races were looked for in global memory
};

}  // namespace wl::execution
