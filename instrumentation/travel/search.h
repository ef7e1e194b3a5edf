// Finding instants by what happens there: who writes an address, where the first NaN or Inf is made.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/travel/slice.h"
#include "instrumentation/travel/wanted.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::travel {

// "shared:0x40", "global:0x900000000100", or an element of a tile as its mark took it: "scores[3][5]",
// "l[7]". `iteration` -1: the first. Throws Error when the text is neither or the block takes no such tile.
struct NamedBytes {
    Bytes bytes;
    std::optional<uint64_t> taken;  // of a tile: instants before its mark was taken
    DType dtype = DType::u32;       // of a tile its own
};
NamedBytes bytes_named(const std::vector<Taken>& taken, const std::string& text, int iteration);

// Does the instruction at the route's instant write some of the bytes? cp.async counts where it is issued.
bool writes_here(const Route& route, const Bytes& bytes);

// Goes to the first instruction at or behind instant `from`, or to the last one before instant `before`, that
// writes some of the bytes. False: there is none, and the route stands nowhere.
bool next_write(Route& route, const Bytes& bytes, uint64_t from);
bool last_write(Route& route, const Bytes& bytes, uint64_t before);

// A write of some bytes, and what it left there: they are as they were before the next one.
struct Written {
    emulator::Here at;            // before it
    uint32_t lanes = 0;           // that write some of the bytes
    bool copy = false;            // an asynchronous one: it lands later
    std::string stage;            // that the warp is in; empty: none
    int iteration = -1;           // how often the warp came there before
    std::vector<std::byte> left;  // empty: not all of it is mapped
};
// Those of every warp, in kernel time. Runs the block to its end; where it stands then is not said.
std::vector<Written> all_writes(Route& route, const Bytes& bytes);

// A destination register that an instruction left NaN or infinite in some lanes.
struct OddResult {
    uint64_t order = 0;  // of the instruction
    int32_t reg = -1;    // of its function
    uint32_t lanes = 0;
};

// Sees every instant of the block in turn and tells of the first odd result among those noted.
struct OddScout {
    struct Pending {
        emulator::Here at;
        uint32_t lanes = 0;
    };
    NonFinite odd = NonFinite::nan;
    std::vector<std::vector<Pending>> pending{};  // by warp
};
// Call at each instant of a warp, before note_result: the results of what these lanes executed last.
std::optional<OddResult> look_back(const Route& route, OddScout& scout, const emulator::Here& here);
// The result of the instruction that is about to be executed is of interest.
void note_result(const Route& route, OddScout& scout, const emulator::Here& here);

}  // namespace wl::travel
