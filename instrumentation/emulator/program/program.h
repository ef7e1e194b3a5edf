// The lowered form of one entry: what the scheduler and the executors read while a launch runs.
#pragma once

#include "instrumentation/base/banks.h"
#include "instrumentation/emulator/contract.h"
#include "instrumentation/ptx/module.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wl::emulator {

constexpr int kLanes = 32;
constexpr uint32_t kRow = kLanes * 4;  // bytes of a row of 4-byte cells
constexpr uint32_t kAllLanes = 0xffffffff;

struct Warp;
struct Instr;
struct MatrixPlan;
struct TensorOperands;

// Executes one instruction for the active lanes of the warp. Returns the instruction to go on with, or
// nullptr when the scheduler has to choose (divergence, waiting, exit, end of the time slice); the split's pc
// then says where it goes on.
using Exec = const Instr* (*)(Warp&, const Instr*);

constexpr uint32_t kNoGuard = ~0u;

// One instruction, one cache line. Instruction k of a function lies at code[k], so that a distance between
// two Instr is a distance in PTX instructions and a warp's clock needs no counter.
struct alignas(64) Instr {
    Exec exec = nullptr;
    Exec inner = nullptr;       // what the guard wrapper calls
    uint32_t r[6] = {};         // slots: byte offsets into the register file, destinations first
    int64_t offset = 0;         // displacement of the address; family-specific immediate otherwise
    int32_t target = 0;         // branch: distance in instructions; else an index into a side table
    uint32_t site = 0;          // index of the PTX instruction
    uint32_t guard = kNoGuard;  // predicate slot, bit 0: negated
    uint32_t order : 30 = 0;    // of its basic block in the weak topological order
    uint32_t takes_in : 1 = 0;  // a warp-wide instruction that CollectiveReads has, with the checks on
    uint32_t leader : 1 = 0;    // first of a basic block
};
static_assert(sizeof(Instr) == 64);

// Which hooks an executor carries. Chosen before a block runs, so that hooks which are off cost nothing.
enum Variant : uint8_t { kPlain, kChecked, kRecorded, kVariants };

// A slot that is filled when a warp starts.
struct SpecialSlot {
    ptx::SpecialRegister which;
    int64_t number;  // of %envreg and %pm
    uint32_t slot;
    bool wide;  // 8-byte cells
};
// A constant slot that holds the address of a module variable, known only when a launch has placed it.
struct AddressSlot {
    int variable;  // index in Program::globals
    int64_t addend;
    uint32_t slot;
    bool wide;  // 8-byte cells
    bool generic;
};
// A slot that holds the local address of a variable of an activation, known only when it begins.
struct LocalSlot {
    uint32_t offset;  // in the frame's local memory
    uint32_t slot;
    bool wide;  // 8-byte cells
};

// Registers, constants and special registers of one activation of a function lie in one file, so that every
// operand is one offset: predicates (4 bytes: a mask of lanes), 4-byte cells (32 lanes x 4), 8-byte cells
// (32 x 8), parameters (rows of 4-byte cells), constants.
struct RegisterFile {
    uint32_t bytes = 0;
    uint32_t constants = 0;        // where the constants begin
    std::vector<std::byte> image;  // initial contents from `constants` on
    std::vector<SpecialSlot> special;
    std::vector<AddressSlot> addresses;
    std::vector<LocalSlot> locals;
};

// Where something lies that a call passes, in the frame of the caller or of the callee.
struct ParamPlace {
    enum class In : uint8_t {
        nowhere,
        rows,   // word k of all lanes at slot + 128 k
        local,  // local memory of the frame, because the function takes its address
        cell,   // a register of at most 4 bytes
        wide,   // a register of 8 bytes
    };
    In in = In::nowhere;
    uint32_t at = 0;     // slot, or offset in the frame's local memory
    uint32_t bytes = 0;  // of the variable; of a register, as many as it holds
};

struct CallSite {
    int function = -1;                           // index in Program::functions; -1: by address
    uint32_t target = 0;                         // slot of the address, 8-byte cells
    std::vector<int> allowed;                    // .calltargets, as indices in Program::functions; empty: any
    std::vector<ParamPlace> arguments, results;  // in the caller
};

// One function of a program, or one that only the machine has.
struct FunctionCode {
    std::string name;
    RegisterFile file;
    uint32_t begin = 0;        // of its instructions in Program::code
    uint32_t local_bytes = 0;  // of its variables in local memory, a multiple of 16
    uint32_t local_align = 16;
    std::vector<ParamPlace> params, results;  // in its own frame
    bool is_defined = false;
    Exec builtin = nullptr;  // executes a call of it, in the caller's frame
};

// A warp reduction by shuffles: the shuffle whose input decides whether it sums 32 equal values.
struct Reduction {
    uint32_t head = 0;            // site of the first shuffle
    std::vector<uint32_t> sites;  // shuffles and combining operations, in order
    bool sums = false;            // combined by addition: wrong over equal values; max, min, and, or are not
};

struct MarkPoint {
    int mark = -1;                // index in Listing::marks
    int group = -1;               // marks that are one in the source (unrolled copies) share a group
    std::vector<uint32_t> slots;  // pointer, rows, cols, ld; or every value of a fragment
    std::vector<uint8_t> wide;    // slots of 8-byte cells
    uint64_t element = 0, count = 1,
             bytes = 4;  // fragment: which of its registers, of how many, of what size
};

// An address among the initial values of a variable: the `width` low bytes of (value >> shift).
struct StoredAddress {
    uint64_t offset = 0;
    uint64_t value = 0;
    int global = -1;  // whose address is added: index in Program::globals
    uint8_t width = 8, shift = 0;
};

// An instruction on a texture or surface (Instr::target), which has more operands than an Instr holds: slots,
// or kAbsent.
struct TextureForm {
    static constexpr uint32_t kAbsent = ~0u;
    enum class Outside : uint8_t { trap, clamp, zero };
    std::array<uint32_t, 4> data{};  // what is read, or what is written
    uint32_t handle = 0;
    bool by_name = false;  // the slot of the handle is that of the address of an opaque variable
    std::array<uint32_t, 3> coordinates{}, offsets{kAbsent, kAbsent, kAbsent};
    uint32_t layer = kAbsent, resident = kAbsent;
    uint8_t dimensions = 1;
    uint8_t count = 1, bytes = 4;  // of the vector in registers, and of its elements
    uint8_t channel = 0;           // tld4
    bool integer = false;          // coordinates
    bool halves = false;           // f16x2 results
    bool cube = false;             // the coordinates are a direction
    bool elements = false;         // surfaces: x counts elements, not bytes
    Outside outside = Outside::trap;
    ptx::Type type = ptx::Type::none;  // sured
    ptx::AtomOp operation = ptx::AtomOp::none;
    std::string property;  // txq, suq
};

struct GlobalVariable {
    std::string name;
    uint64_t bytes = 0;
    std::vector<ptx::Initialiser> init;
    std::vector<StoredAddress> addresses;
    bool opaque = false;  // .texref, .surfref: holds the handle of the texture of its name
};

struct SharedVariable {
    std::string name;
    uint32_t offset = 0;  // in the block's window
    uint64_t bytes = 0;
};

// Where a variable or parameter has been placed. Offsets of .local count from the activation's own part of
// the stack; a .global variable is the allocation of its name.
struct Symbol {
    std::string name;
    int function = -1;  // index in Program::functions; -1: of the module
    ptx::Space space = ptx::Space::none;
    uint64_t offset = 0;
};

// One request that an instruction makes: lane l's address is base + line[l] * stride + byte[l].
struct MemoryRequest {
    AccessKind kind = AccessKind::load;
    uint8_t bytes = 4;           // a lane
    uint32_t lanes = kAllLanes;  // that give an address
    std::array<uint8_t, kLanes> line{};
    std::array<uint16_t, kLanes> byte{};
};
// An instruction whose address is made from one pointer into global memory.
struct PointerSite {
    uint32_t site = 0;
    bool parameter = true;
    int64_t from = 0;  // parameter: bytes into the entry's parameter buffer; else in Program::globals
};
// Where an instruction points, read before it is executed.
struct MemorySite {
    uint32_t site = 0;
    ptx::Space space = ptx::Space::generic;
    uint32_t slot = 0;  // of the base
    bool wide = false;
    int64_t displacement = 0;
    uint32_t stride = 0, element = 0;  // slot of the elements between two lines, bytes of one; 0: one line
    uint32_t size = 0;                 // slot of the bytes that a lane moves; 0: as many as the requests say
    std::vector<MemoryRequest> requests;
};
// Instruction `instruction` of the code has the memory sites [first, first + count).
struct MemorySpan {
    size_t instruction = 0, first = 0, count = 0;
};

// A loop that goes on as long as registers say that each lane makes of these registers alone.
struct ClosedLoop {
    uint32_t begin = 0, end = 0;  // in Program::code: its first instruction and the last that jumps back
    struct Cells {
        uint32_t slot = 0;
        uint32_t bytes = 0;  // a lane; 0: a predicate
    };
    std::vector<Cells> registers;
};

// Where the entry's paths meet again, by basic block. A lane goes round a barrier where its way and that of
// those who wait there must meet before the end; who returns early meets nobody again.
struct WaysRound {
    std::vector<uint32_t>
        block_of;                 // by instruction of the entry, and its end; empty: it has no such barrier
    std::vector<uint32_t> meets;  // post-dominators; what only leaves is the end
    uint32_t exit = 0;
};

// What an instruction does for the order of the accesses around it.
struct OrderSite {
    size_t instruction = 0;   // index in Program::code
    bool fence = false;       // membar, fence: no access of its own
    bool strong = false;      // its access is atomic, volatile, or of an order
    bool ordered = false;     // atomic, or of an order: .relaxed, .acquire, .release; else volatile
    bool update = false;      // atom, red: reads and writes at once
    bool writes = false;      // st
    bool polls = false;       // a volatile load whose loop ends by what it finds
    bool releases = false;    // .release, .acq_rel
    bool block_only = false;  // .cta
};

// Which reads of memory go into which warp-wide instructions, as values, addresses or guards.
struct CollectiveReads {
    std::vector<uint32_t> numbers;             // by site: of a read of checked memory, from 1; else 0
    std::vector<uint32_t> sites;               // by number
    std::vector<uint32_t> list_of_site;        // index in `lists`; kNone
    std::vector<std::vector<uint32_t>> lists;  // numbers of the reads that an instruction takes in
    static constexpr uint32_t kNone = ~0u;
};
inline std::span<const uint32_t> taken_in(const CollectiveReads& reads, uint32_t site) {
    const uint32_t list = reads.list_of_site[site];
    return list == CollectiveReads::kNone ? std::span<const uint32_t>() : reads.lists[list];
}

// An instruction that touches registers of wgmma.mma_async at these sites, and what executes it.
struct FlightCheck {
    std::array<Exec, kVariants> exec{};
    std::vector<uint32_t> products;
};

struct Program {
    std::string name;
    std::array<std::vector<Instr>, kVariants> code;  // of all functions, one after the other
    std::vector<FunctionCode> functions;             // the entry first
    std::vector<CallSite> calls;                     // Instr::target of Op::call
    execution::Listing listing;
    std::vector<MarkPoint> mark_points;  // Instr::target of Op::mark
    int mark_groups = 0;
    std::vector<std::vector<uint32_t>> lists;  // slots of instructions with more than six operands
    std::vector<TextureForm> texture_forms;
    std::vector<Reduction> reductions;
    std::vector<std::shared_ptr<const MatrixPlan>> matrix_plans;  // Instr::target of matrix instructions
    std::vector<std::shared_ptr<const TensorOperands>> tensor_operands;  // Instr::target of copies of tiles
    std::map<size_t, FlightCheck> flights;                               // by index in `code`
    bool uses_cluster = false;  // names other blocks of its cluster, or waits for them
    bool reads_async = false;   // shared memory through the async proxy, at places that no MemorySite has
    std::vector<GlobalVariable> globals;
    std::vector<std::byte> constant_bank;  // .const variables
    std::vector<SharedVariable> shared_variables;
    std::vector<int>
        shared_extents;  // by site: index of the variable that an address is made from; -1: unknown
    std::vector<PointerSite> pointers;
    std::vector<Symbol> symbols;
    std::vector<MemorySite> memory_sites;
    std::vector<MemorySpan> memory_spans;
    std::vector<uint32_t> uncounted_sites;  // touch memory, but by no rule of memory_sites
    std::vector<StoredAddress> constant_addresses;
    uint32_t static_shared = 0, param_bytes = 0;
    uint32_t static_stack = 0;  // bytes of local memory that one activation of every function takes
    std::vector<OrderSite> order_sites;
    std::vector<ClosedLoop> closed_loops;
    WaysRound ways_round;
    CollectiveReads collective_reads;
    execution::Contest contest;     // `met` is a run's
    bool orders_blocks = false;     // fences or strong accesses may order one block after another
    bool waits_for_blocks = false;  // it polls memory: one block may need others to have run
};

}  // namespace wl::emulator
