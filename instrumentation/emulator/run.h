// Executing a decoded module: some or all blocks of a launch, under a budget, with checks and observers. One
// call.
#pragma once

#include "instrumentation/base/dim3.h"
#include "instrumentation/capture/banks.h"
#include "instrumentation/capture/capture.h"
#include "instrumentation/emulator/memory/memory.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wl::emulator {

// An entry lowered to executable form: operands resolved, one function pointer an instruction. Immutable;
// shared by threads.
struct Program;

// Throws Unsupported "unsupported: <instruction> at <file>:<line>" when the entry or a function it calls
// holds an instruction that the emulator lacks, and Error when there is no such entry. Instruction indices in
// reports are those of the entry's Function::code; called functions follow in order of Program::sites.
std::shared_ptr<const Program> lower(const ptx::Module& module, std::string_view entry);
// Every instruction of the module that the emulator lacks: "unsupported: <instruction> at <file>:<line>".
std::vector<std::string> unsupported(const ptx::Module& module);

std::vector<capture::Site> sites(const Program& program);
// Of the entry, then of the functions that it calls.
const std::vector<ptx::Mark>& marks(const Program& program);
uint32_t static_shared_bytes(const Program& program);

struct Launch {
    Dim3 grid, block;
    uint32_t dynamic_shared = 0;    // bytes
    std::vector<std::byte> params;  // the entry's parameter buffer, laid out as in PTX
    uint32_t stack_bytes = 0;       // cudaLimitStackSize: for recursion and alloca; 0: 1024, CUDA's default
    bool cooperative = false;       // as by cudaLaunchCooperativeKernel: the grid can synchronise
};

struct Checks {
    // Shared memory: happens-before over barrier and syncwarp epochs, byte granularity. Global memory,
    // between warps of all blocks, when all of them are run and none is recorded: on one thread if the
    // program has atomics, fences or volatile accesses of memory that blocks share.
    bool races = true;
    bool uninitialised = true;  // shared and global reads of bytes nobody wrote
    bool uniform = true;        // warp reductions over a value that all lanes share
    // Address bounds, alignment, barriers and the budget are always checked: without them a broken kernel
    // could not be run.
};

// What went wrong in the kernel under test, once per cause (kind, first site, second site), with the first
// witness.
struct Access {
    uint32_t site = 0;   // instruction index
    int64_t block = -1;  // linear
    int warp = -1;
    uint32_t lanes = 0;    // mask
    int epoch = 0;         // block barriers passed
    uint64_t address = 0;  // shared: offset in the window
    uint32_t bytes = 0;
    uint64_t value = 0;  // first lane's, little endian
    bool write = false;
    std::string memory;  // "shared", "global", "local", "param", "const"; the allocation's name for global:
                         // "global V"
};

struct Incident {
    enum class Kind : uint8_t {
        race_shared,
        race_warp,
        race_global,
        uninitialised_read,
        out_of_bounds,
        misaligned,
        divergent_barrier,
        deadlock,
        endless_loop,
        lane_not_in_mask,
        uniform_reduction,
        mark_not_reached,
        async_copy_wait,
        mbarrier_misuse,  // not initialised, overwritten, too many arrivals, a parity that is none, ...
        trap,
        stack_overflow,
        undefined_target,  // an indirect call of what is no function, or none of this kind; brx.idx past its
                           // list
        bad_free,          // of what malloc did not give, or of what was freed before
        endless_wait,      // blocks poll memory that none of them will change
        left_early,        // threads exited before a full barrier: allowed; told among RunResult::notes
    };
    Kind kind = Kind::race_shared;
    Access first, second;  // races: first is the earlier in emulated order; others: second unused (write ==
                           // false, block == -1)
    uint64_t count = 1;
    std::string detail;           // "warps 1-7 wait at barrier 0, warp 0 has exited", ...
    std::vector<uint32_t> group;  // uniform_reduction: the sites of the shuffles and combining operations of
                                  // the whole reduction, in order
};

// A mark taken: the matrix at one instant, copied out.
struct TileSnapshot {
    uint32_t site = 0;  // the mark's instruction index
    int mark = 0;       // index in marks(program)
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

struct RunOptions {
    // Linear indices; empty: all. If the kernel's blocks may wait for each other, the rest runs too: without
    // checks, marks or record.
    std::vector<int64_t> blocks;
    uint64_t budget =
        0;  // warp instructions of a block; 0: 2^25 of one warp. More: an endless_loop, the launch ends
    int threads = 0;  // 0: as many as cores
    Checks checks;
    bool marks = true;               // take snapshots
    bool record = false;             // write log and owners: every shared and global write of the blocks run
    uint64_t max_events = 4u << 20;  // per recorded block; beyond it the record says it is truncated; 0: only
                                     // RunResult::events
    bool count_accesses = false;     // wavefronts and sectors of every request
    std::vector<RowMap> row_maps;    // shared memory as if laid out so, for the counts alone
    uint64_t schedule_seed =
        0;  // 0: the fixed order; else a legal one of warps and blocks, by seed (explore.h)
    std::function<void(TileSnapshot&&)> on_tile;  // on worker threads, several at a time
    std::function<bool(uint64_t done, uint64_t total)>
        on_progress;  // blocks; on one thread at a time; false cancels
};

// What one call of printf in a kernel gave.
struct Printed {
    int64_t block = 0;
    uint32_t thread = 0;  // in the block, linear
    std::string text;
    uint64_t lost = 0;  // calls of the same block that came behind it when the buffer was full
};

struct RunResult {
    uint64_t blocks = 0;  // finished, of those asked for
    uint64_t warp_instructions = 0;
    double seconds = 0;
    bool cancelled = false;
    bool in_order = true;             // false: the order that a directed schedule asks for could not be had
    std::vector<Incident> incidents;  // by (block, order of detection) of their first witness
    std::vector<capture::BlockRecord> records;
    std::vector<uint64_t> events;     // of each record, with those beyond max_events
    std::vector<std::string> stages;  // WL_STAGE names, as events number them
    std::vector<Printed> printed;     // by block, then in order of execution; at most 1 MiB, as on a GPU
    uint64_t prints_lost = 0;         // calls of printf beyond that
    capture::AccessCounts accesses;   // empty unless count_accesses
    std::vector<std::string> notes;   // what a check could not look at
    // Last writer of every byte of each allocation, for the blocks recorded: (allocation name -> one Owner a
    // byte). Empty unless record.
    std::vector<std::pair<std::string, std::vector<capture::Owner>>> global_owners;
};

// Never throws for what the kernel does. Blocks of one launch share `memory`.
RunResult run(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options);

}  // namespace wl::emulator
