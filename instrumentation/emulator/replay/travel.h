// Any instant of a block again. A run is a function of program, inputs and schedule, so an instant is reached
// by running the block from its start up to there, and reading what its warps then hold.
#pragma once

#include "instrumentation/emulator/run.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wl::emulator {

// One block of one launch, to be run again and again from the same initial memory.
struct ReplaySpec {
    std::shared_ptr<const Program> program;
    Launch launch;
    GlobalMemory memory;  // before the launch
    int64_t block = 0;    // linear
    uint64_t schedule_seed = 0;
    // With a schedule of its own: the block finds what others do meanwhile. False: they need not be run, the
    // schedule is of another program anyway.
    bool among_others = true;
    uint64_t budget = 0;  // as RunOptions::budget
    // Memory for the block's state at some instants, from which later ones are reached; 0: for its start
    // alone.
    uint64_t key_frame_bytes = 256 << 20;
    uint64_t turn_bytes = 256 << 20;  // for what other blocks write while the block waits for them
    uint64_t key_frame_interval = 0;  // instructions from one to the next, at first; 0: by what it costs
};

struct Replayer;
struct ReplayerDeleter {
    void operator()(Replayer* t) const;
};
using ReplayerPtr = std::unique_ptr<Replayer, ReplayerDeleter>;

// At the block's start. A block runs alone. Where blocks wait for each other, or have a schedule of their
// own, the launch is first run once, on one thread, and what others changed in memory before each turn of the
// block is kept: the block then finds it again. Unsupported when that takes more than `turn_bytes`. Marks
// hold warps up as in a run that takes them, so that the order of execution is that of a recorded block.
ReplayerPtr start_journey(ReplaySpec journey);

// A warp about to execute an instruction.
struct Here {
    int warp = 0;
    uint64_t time = 0;  // of the warp's clock, as in capture::Event
    uint32_t site = 0;  // index of the instruction, in Program::sites
    uint32_t lanes = 0;
    uint64_t order = 0;  // instants of the block before this one: its address
    uint64_t nth = 0;    // the same of this warp
    uint32_t depth = 0;  // calls that the lanes are in
    int epoch = 0;       // block barriers that the warp has passed
};

// Runs the block from its start until `stop` is true before an instruction of `warp` (-1: of any). False: the
// block ended, and where its warps stand is no instant any more.
bool run_until(Replayer& t, int warp, const std::function<bool(const Here&)>& stop);
// The same from instant `order` on, this one included: what lies before the nearest key frame is not run.
bool run_from(Replayer& t, uint64_t order, int warp, const std::function<bool(const Here&)>& stop);
bool go_to(Replayer& t, uint64_t order);
bool go_to_nth(Replayer& t, int warp, uint64_t nth);
// Where the block stands: where one of these stopped.
const Here& here(const Replayer& t);

// Tiles that marks take while the block runs, and the instants before; each time that the block passes them.
void on_tile(Replayer& t, std::function<void(const TileSnapshot&, uint64_t order)> tell);

// Instants at which the block's state is kept, by rising order, and the bytes that they take.
std::vector<uint64_t> key_frame_orders(const Replayer& t);
uint64_t key_frame_bytes(const Replayer& t);

// ---- what the warp at `here` holds

using LaneBits = std::array<uint64_t, 32>;

struct Activation {
    int function = 0;  // in the order of Program: the entry is 0
    std::string name;
    uint32_t lanes = 0;       // of the warp that are in it
    int32_t instruction = 0;  // of the function: the one to execute, or behind the call that it waits for
};
// The running function first, then who called it.
std::vector<Activation> activations(const Replayer& t);

// A register of the activation with this number. Predicates: 0 or 1. Registers of 16 bytes: the low half.
LaneBits register_bits(const Replayer& t, size_t activation, const ptx::Function& function, int32_t reg);

struct LaneAddress {
    ptx::Space space = ptx::Space::generic;
    int lane = 0;
    uint64_t address = 0;
};
// False: not all of it is mapped.
bool read_memory(const Replayer& t, const LaneAddress& from, std::span<std::byte> out);

// Where a variable or parameter by its PTX name lies for each lane; nothing when it has no address.
std::optional<std::pair<ptx::Space, LaneBits>> address_of(
    const Replayer& t, size_t activation, const std::string& symbol
);

// Index in Module::functions of each of the program's functions, in its order.
std::vector<int> module_functions(const Program& program, const ptx::Module& module);

int running_function(const Replayer& t);  // in the order of Program
std::optional<uint32_t> calling_site(const Replayer& t
);  // of the call that the running activation returns to

// The allocation that holds a global address, by name, and the offset in it.
std::optional<std::pair<std::string, uint64_t>> allocation_at(const Replayer& t, uint64_t address);
// Device address and bytes of an allocation.
std::optional<std::pair<uint64_t, uint64_t>> allocation_named(const Replayer& t, const std::string& name);

uint32_t existing_lanes(const Replayer& t);
Dim3 thread_of(const Replayer& t, int lane);
const Launch& launch_of(const Replayer& t);
Dim3 block_of(const Replayer& t);

}  // namespace wl::emulator
