// What one executed instruction read and wrote, lane by lane: registers of the lane and of others, and bytes
// of memory. Internal to travel.
#pragma once

#include "instrumentation/travel/route.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wl::travel {

// An instruction as a warp was about to execute it, with what has to be read then.
struct Executed {
    uint64_t order = 0, nth = 0;
    uint32_t site = 0;
    uint32_t lanes = 0;  // that execute it: active, and let through by its guard
    uint32_t depth = 0;  // of calls
    uint16_t warp = 0;
    int32_t extra = -1;   // index in Log::extras, for instructions that need_extra()
    uint32_t active = 0;  // lanes before its guard
};
using Extra = std::array<uint64_t, 32>;  // by lane

struct Log {
    std::vector<Executed> executed;  // by rising order
    // Memory: the addresses, then for a fragment the elements from line to line, for a copy the source
    // addresses, how many bytes become different and how many of them are read there;
    // shuffle: the lane that is read; selection: bit 0, the predicate; return: the site of the call.
    std::vector<Extra> extras;
};

// Generic addresses: a window's offset with its base, so that one number names a byte of any memory of a
// lane.
struct Transfer {
    int lane = 0;
    int32_t reg = -1;  // the register that the bytes go into or come out of; -1: an immediate, or none
    uint64_t address = 0;
    uint32_t bytes = 0;  // at most 16
    // Of a copy: where its first bytes come from; the rest becomes zero.
    uint64_t from = 0;
    uint32_t copied = 0;
};

bool reads_memory(const ptx::Instruction& in);   // of those that `transfers` describes
bool writes_memory(const ptx::Instruction& in);  // the same

// A register or an immediate of the instruction at the route's instant, by lane; 0 of anything else.
emulator::LaneBits operand_bits(const Route& route, const ptx::Operand& o);

// Where its lanes point by the instruction's first address, at the route's instant; UINT64_MAX: nowhere.
Extra addresses_here(const Route& route, const ptx::Instruction& in);

// Appends the instruction at the route's instant.
void note(const Route& route, const emulator::Here& here, Log& log);

// What a memory instruction moves; of a copy the destination. Empty: no bytes that are described.
std::vector<Transfer> transfers(const ptx::Instruction& in, const Executed& e, const Log& log);

// A register of a lane of the same warp.
struct LaneRegister {
    int lane = 0;
    int32_t reg = -1;
};
// What a lane's destination register is made of, for instructions that read no memory.
std::vector<LaneRegister> sources(
    const ptx::Instruction& in, const Executed& e, const Log& log, const LaneRegister& destination
);

// Registers of an operand by component; -1: an immediate or a sink.
std::vector<int32_t> components(const ptx::Operand& o);

// Registers among the operands from `first` on, up to `end`; not those of addresses.
std::vector<int32_t> registers(const ptx::Instruction& in, size_t first, size_t end = SIZE_MAX);

// Is it known what such an instruction reads and writes?
bool is_followed(const ptx::Instruction& in);

}  // namespace wl::travel
