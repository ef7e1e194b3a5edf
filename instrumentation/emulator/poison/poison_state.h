// What is poisoned while a block runs: registers, shared, local and global memory; and what became of it.
// Internal to the poison trace.
#pragma once

#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/poison/poison_plan.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace wl::emulator {

// The poisoned bits of one lane's value, and which read brought them in: an index in Births, or kUnread while
// no instruction has read them yet.
constexpr uint32_t kUnread = 0;
struct Taint {
    uint64_t bits = 0;
    uint32_t birth = kUnread;
};

// An instruction that read what nobody had written, and where that mattered first.
struct Birth {
    Incident incident;
    uint64_t born = 0, used = 0;  // the latest visit that did so
    bool lost = false;
    bool padding = false;  // bytes of a struct between its members, read as bytes
};
struct Births {
    std::vector<Birth> all{1};                                // [kUnread] is none
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> index;  // (site, slot or 0 for memory)
};

struct TaintedBytes {
    std::vector<uint8_t> bits;    // of each byte
    std::vector<uint32_t> birth;  // of each byte
};

// As a frame's register file: a predicate is a mask of lanes, other cells have 4 or 8 bytes a lane.
struct TaintedRegisters {
    std::vector<uint32_t> bits, birth;
    uint32_t entered = 0;  // lanes that are in the activation
};

struct RacingReads;

struct Poison {
    const PoisonPlan* plan = nullptr;
    bool as_zero = false;                // what is read first becomes zero, and clean
    const RacingReads* reads = nullptr;  // all else is clean from the start
    Births births;
    std::map<const Allocation*, TaintedBytes> global;  // outlives a block
    const Allocation* recent = nullptr;                // of `global`, the last that was asked for
    TaintedBytes* recent_bytes = nullptr;

    // Of the block that runs.
    std::map<const Frame*, TaintedRegisters> frames;
    TaintedBytes shared;
    std::vector<TaintedBytes> local;  // (warp, lane)
    uint64_t visits = 0;

    // Of the instruction that is being executed.
    Warp* warp = nullptr;
    const Instr* at = nullptr;
    const PoisonStep* step = nullptr;
    const Frame* frame = nullptr;
    TaintedRegisters* registers = nullptr;  // of the frame
    uint32_t lanes = 0;
    std::vector<PoisonRow> rows;       // what was read last
    std::vector<PoisonCell> fragment;  // whose rows they are, of a matrix instruction
};

// What nobody has set: poisoned, but where only some reads are followed.
inline uint8_t unset(const Poison& p) { return p.reads != nullptr ? 0 : 0xff; }

void begin_poison(Poison& p, const Block& block);
// The lanes begin an activation: its registers and local variables are nobody's yet.
void enter_function(Poison& p, const FunctionCode& function, uint32_t lanes);

// A cell of `bytes` (4 or 8) of one lane. What no instruction read before is read now, by this one.
Taint read_cell(Poison& p, uint32_t slot, uint32_t bytes, int lane);
void write_cell(Poison& p, uint32_t slot, uint32_t bytes, int lane, Taint taint);
Taint read_taint(Poison& p, PoisonCell cell, int lane);
void write_taint(Poison& p, PoisonCell cell, int lane, Taint taint);
// The lanes, of those given, that have a poisoned bit in the cell.
uint32_t tainted_lanes(const Poison& p, PoisonCell cell, uint32_t lanes);
void clear(Poison& p, PoisonCell cell, uint32_t lanes);
// The same for all lanes at once: the cells as p.rows, with values those of the step's sources; and a row
// back into a cell. What no instruction read before, the given lanes read now.
void read_rows(Poison& p, std::span<const PoisonCell> cells_read, uint32_t lanes);
void read_sources(Poison& p);
void write_row(Poison& p, PoisonCell cell, uint32_t lanes, const PoisonRow& row);

// At most 8 bytes where the lane points.
struct TaintPlace {
    Place place;
    int lane = 0;
    uint64_t address = 0;  // as the instruction has it
};
TaintedBytes* bytes_of(Poison& p, const Place& at, int lane, uint64_t end);  // nullptr: nobody follows them
// 1, 2, 4 or 8 of them. False: some are poisoned and no instruction has read them yet, so that read_bytes has
// to.
bool find_known(const TaintedBytes& t, uint64_t at, uint32_t bytes, Taint& out);
void set_known(TaintedBytes& t, uint64_t at, uint32_t bytes, Taint taint);
Taint read_bytes(Poison& p, const TaintPlace& from, uint32_t offset, uint32_t bytes);
void write_bytes(Poison& p, const TaintPlace& to, uint32_t offset, uint32_t bytes, Taint taint);

// What the lane's load gives it is poisoned if it is one of Poison::reads.
void poison_racing_read(Poison& p, int lane);
// A lane takes what no lane has given.
uint32_t born_in_shuffle(Poison& p, int lane);

void matters(Poison& p, uint32_t birth, PoisonEffect effect, int lane);
void leaves(Poison& p, uint32_t birth, const TaintPlace& to);
void lose(Poison& p, uint32_t birth);

// The ways of whole warps and of memory, for p.lanes.
void follow_memory(Poison& p);
void follow_matrix(Poison& p);
void follow_warp(Poison& p);

}  // namespace wl::emulator
