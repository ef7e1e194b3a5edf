// The state of a running block: warps, their splits, barriers, pending copies, what was observed.
#pragma once

#include "instrumentation/emulator/program/program.h"
#include "instrumentation/emulator/shadow/shadow.h"

#include <bit>
#include <map>
#include <memory>
#include <tuple>

namespace wl::emulator {

struct Block;
struct ExactSums;
struct Loaded;

enum class Wait : uint8_t {
    none,
    barrier,
    mark,
    collective,
    convergence,  // at a barrier, for the lanes of its warp that are still on their way
};

struct alignas(64) RegisterLine {
    std::byte bytes[64];
};

// An activation of a function: registers and local memory of the lanes that called it at one place.
struct Frame {
    Frame* parent = nullptr;
    const FunctionCode* function = nullptr;
    const Instr* call = nullptr;  // in the parent; its lanes go on behind it
    std::byte* registers = nullptr;
    uint32_t lanes = 0;                    // that have not returned from it
    uint32_t depth = 0;                    // 0: the entry
    int64_t block = -1;                    // for which the special registers were filled
    std::array<uint32_t, kLanes> base{};   // where its local memory begins
    std::array<uint32_t, kLanes> below{};  // where the caller's ended
    std::vector<RegisterLine> storage;
};

// Lanes of a warp that stand at the same instruction of the same activation.
struct Split {
    const Instr* pc = nullptr;
    const Instr* began = nullptr;  // where it parted from other lanes, or last met some
    Frame* frame = nullptr;
    uint32_t mask = 0;
    uint32_t members = 0;  // lanes that a collective names
    Wait wait = Wait::none;
    uint8_t barrier = 0;
    bool forced = false;  // the missing lanes can never arrive: go on without them
    bool polled = false;  // tested an mbarrier in vain: the others have their turn first
    uint32_t tested = 0;  // that mbarrier's offset in shared memory
};

// Part of a tile of a tensor, within 16 bytes of shared memory. What lies outside of the tensor is filled, or
// not written.
struct TilePiece {
    uint32_t shared = 0;  // offset
    uint32_t bytes = 0;
    std::byte* global = nullptr;  // nullptr: outside of the tensor
};
struct TensorTile {
    std::vector<TilePiece> pieces;
    bool as_nan = false;                      // the fill: NaN of the type, else zero
    uint8_t type = 0;                         // of the tensor map
    ptx::AtomOp reduces = ptx::AtomOp::none;  // into global memory
};

// One cp.async of some lanes, or one cp.async.bulk of one, not yet done. `age`: commit groups since its own,
// -1 while uncommitted.
struct PendingCopy {
    uint32_t lanes = 0;
    int age = -1;
    uint64_t time = 0;     // of the warp's clock, at its issue
    uint32_t tracked = 0;  // lanes whose copy an mbarrier tracks
    const Instr* instr = nullptr;
    int32_t mbarrier = -1;  // bulk: the offset of the one that it completes at; -1: it is none
    uint32_t bytes = 0;     // of each lane; all but those of a bulk copy: at most 16
    std::shared_ptr<const TensorTile> tile;     // of a tensor's tile, in place of `to` and `from`
    std::array<uint32_t, kLanes> to;            // shared offset
    std::array<const std::byte*, kLanes> from;  // nullptr: zeros
    std::array<uint8_t, kLanes> source_bytes;   // the rest is filled with zeros
};

// What a warp's part of one wgmma.mma_async reads of shared memory until a wait has been passed. `age`:
// commit groups since its own, -1 while uncommitted.
struct PendingProduct {
    const Instr* instr = nullptr;
    int age = -1;
    std::vector<std::pair<uint32_t, uint32_t>> runs;  // (offset, bytes), rising
    std::vector<std::byte> bytes;                     // of the runs, as they were when it began
};

// Local memory of a warp's lanes: each lane has a stack of its own that grows upwards from 0.
struct Stack {
    std::vector<std::byte> bytes;  // (lane, stride)
    uint32_t stride = 0;
    std::array<uint32_t, kLanes> top{};
};

struct Warp {
    std::byte* registers = nullptr;  // of the running split's frame
    Frame* frame = nullptr;
    uint32_t mask = 0;   // active lanes of the running split
    uint32_t carry = 0;  // condition code CC.CF by lane
    std::byte* shared = nullptr;
    uint32_t shared_bytes = 0;
    Block* block = nullptr;
    const Instr* segment = nullptr;  // where the straight run began: clock + (i - segment) is the time at i
    uint64_t clock = 0;              // instructions issued, joined at block barriers
    uint64_t slice_end = 0;          // the scheduler wants control back at this clock
    uint64_t joined = 0;             // part of the clock that is waiting: clock - joined were issued
    uint64_t slept = 0;             // nanoseconds asked of nanosleep; the clocks that a kernel reads add them
    uint32_t exists = 0, live = 0;  // lanes; those of them that have not exited
    uint32_t picks = 0;
    bool held_back = false;  // stood at a barrier and let the other warps come
    bool idle = false;       // in its last turn it ended with nothing but vain tests of mbarriers
    int index = 0;
    int epoch = 0;                 // block barriers passed
    uint32_t cluster_arrived = 0;  // lanes that have arrived in the current phase of the cluster's barrier
    int current = 0, split_count = 0;
    std::array<Split, kLanes> splits;
    // Of lanes that have exited, Split::began; nullptr: they were with all others, or returned at a guard.
    std::array<const Instr*, kLanes> ended_from{};
    std::vector<PendingCopy> copies;
    std::vector<PendingProduct> products;  // with the checks on
    std::vector<int> mark_counts;          // by mark group
    std::vector<std::byte> fragment;       // registers of a WL_FRAGMENT seen so far
    Stack stack;
    std::unique_ptr<Frame> entry;                            // the frame that every lane begins in
    std::vector<std::unique_ptr<Frame>> active;              // of the functions called, the latest last
    std::vector<std::vector<std::unique_ptr<Frame>>> spare;  // by function, to be used again
};

struct Barrier {
    uint32_t threads = 0;                  // arrived, whole warps counted as 32
    uint32_t expected = 0;                 // 0: every live thread
    std::array<uint32_t, kLanes> lanes{};  // arrived lanes by warp
    uint64_t clock = 0;
    const Instr* first = nullptr;  // where its first warp arrived
    int first_warp = -1;
    bool any = false, all = true;  // bar.red
    uint32_t count = 0;
};

// One mbarrier object. What lies in shared memory is `word`, its opaque form (mbarrier.cpp).
struct Mbarrier {
    uint32_t offset = 0;                 // in the block's window
    bool live = false;                   // initialised and not invalidated
    uint32_t expected = 0, pending = 0;  // arrivals: of a whole phase, still to come in this one
    int32_t transactions = 0;            // bytes still to come in this phase
    uint32_t phase = 0;                  // phases completed
    uint64_t word = 0;
    int number = 0;      // of its clock in the shadow
    Access made, ended;  // by its mbarrier.init and mbarrier.inval
};

// Arrivals that the copies of some lanes make when they have landed: cp.async.mbarrier.arrive.
struct CopyArrival {
    uint32_t mbarrier = 0;  // offset
    int warp = 0;
    uint32_t lanes = 0;
    uint64_t time = 0;     // copies issued before it are meant
    bool counted = false;  // .noinc: they are among the arrivals that the phase expects
    const Instr* instr = nullptr;
};

// Counts of one warp reduction's input, over all warps of all blocks of a worker.
struct ReductionCount {
    uint64_t uniform = 0, varied = 0, nonzero = 0;
    Access witness;
};

using IncidentKey = std::tuple<Incident::Kind, uint32_t, uint32_t>;
struct Found {
    Incident incident;
    uint64_t order = 0;  // of first detection within its block
};
// What one worker saw, one entry a cause; merged when all workers are done.
using Findings = std::map<IncidentKey, Found>;

struct Recorder;
struct AccessCounter;
struct Watcher;
struct GlobalActor;
struct HookTable;

// A look at memory that others may change, and what it gave.
struct Poll {
    const Instr* at = nullptr;
    int warp = 0;
    uint32_t lanes = 0;
    uint64_t result = 0;
};
struct Polls {
    std::array<Poll, 16> last{};  // by instruction and warp, the latest that fell there
    Poll vain;                    // the latest that gave the same as before
};

// What all blocks of a launch share.
struct BlockContext {
    const Program* program = nullptr;
    const Launch* launch = nullptr;
    const RunOptions* options = nullptr;
    GlobalMemory* memory = nullptr;
    Variant variant = kPlain;  // of the blocks that are observed
    const Loaded* loaded = nullptr;
    const HookTable* hooks = nullptr;  // of the program, where it has any
    uint64_t workspace = 0;            // address of a cooperative launch's; 0: it is none
    ExactSums* sums = nullptr;         // RunOptions::exact_sums
};

// From a block's first instruction to its end. A new block begins with a new one; a key frame is a copy.
struct BlockState {
    int64_t index = 0;
    Variant variant = kPlain;
    bool observed = true;  // else it runs only because others may wait for it
    std::array<Barrier, 16> barriers;
    std::vector<Mbarrier> mbarriers;         // by rising number
    std::vector<CopyArrival> copy_arrivals;  // to come
    int cluster_clock = -1;                  // number of the clock of the cluster's barrier; -1: not used yet
    std::vector<int> mark_counts;            // by mark group, then by RunOptions::arrays
    uint64_t changes = 0;                    // of what a warp can wait for: barriers, mbarriers
    uint64_t vain_turns = 0;  // in a row, of any warp, that ended with a vain test and changed nothing
    uint64_t printed_bytes = 0;
    uint64_t random = 0;  // state of the schedule's generator; 0: fixed order
    Polls polls;
    Poll spun;                      // how its last turn ended, when it was set aside
    uint64_t same_spins = 0;        // how many turns ended like that
    uint64_t long_turns = 0;        // of its warps: as many instructions as a turn may have
    uint64_t next_look = 1;         // at so many of them it is looked at whether it goes round
    uint64_t next_closed_look = 0;  // at so many instructions, whether lanes stand in a loop that never ends
    bool goes_round = false;        // its state has come again while nobody else ran
    bool aborted = false;
    bool marks_waiting = false;
};

// From where a block begins or goes on to where it ends or is set aside.
struct BlockTurn {
    uint64_t issued = 0;   // warp instructions of the block when it began
    uint64_t in_vain = 0;  // polls that gave the same as before
};

// What a worker's blocks have left to be gathered.
struct BlockYield {
    std::vector<ReductionCount> reductions;
    Findings findings;
    std::vector<Printed> printed;
    uint64_t issued = 0;  // warp instructions of blocks that have ended
};

struct Block {
    BlockContext context;
    BlockState now;
    BlockTurn turn;
    BlockYield seen;
    // Memory that is used again for later blocks.
    std::vector<Warp> warps;
    std::vector<std::byte> shared;
    std::vector<Allocation*> recent;  // by site: the allocation that a global access hit last
    std::vector<Allocation*> meant;   // by site: the one that its pointer was made from; nullptr: unknown
    Shadow shadow;
    // Who looks on; nullptr: nobody.
    Recorder* recorder = nullptr;
    AccessCounter* counter = nullptr;
    Watcher* watcher = nullptr;
    std::shared_ptr<GlobalActor> global;
};

inline uint64_t time_at(const Warp& w, const Instr* i) {
    return w.clock + static_cast<uint64_t>(i - w.segment);
}

// Ends the straight run before `next`; the time at `next` stays what it was.
inline void close_segment(Warp& w, const Instr* next) {
    w.clock = time_at(w, next);
    w.segment = next;
}

// The warp's registers and lanes are those of a split from now on.
inline void become(Warp& w, const Split& s) {
    w.mask = s.mask;
    w.frame = s.frame;
    w.registers = s.frame->registers;
}

inline Split& running(Warp& w) { return w.splits[static_cast<size_t>(w.current)]; }

}  // namespace wl::emulator
