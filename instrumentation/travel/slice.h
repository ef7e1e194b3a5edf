// Dynamic slices: what made a value, followed back through the instructions that a block executed, lane by
// lane, from write to read, to what the block was given.
#pragma once

#include "instrumentation/emulator/run.h"
#include "instrumentation/travel/route.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace wl::travel {

// A mark that the block took, without its elements.
struct Taken {
    std::string name;
    ptx::Mark::Kind kind = ptx::Mark::Kind::tile;
    uint64_t order = 0;  // instants of the block before it
    execution::TileSnapshot tile;
};
// Every mark of the block, by rising order. Runs the block to its end.
std::vector<Taken> take_tiles(Route& route);

// An element of a taken tile, or (tile < 0) bytes of global memory when the block has ended.
struct Element {
    int tile = -1;  // index in the list of taken tiles
    int row = 0, col = 0;
    uint64_t address = 0;
    uint32_t bytes = 0;
};

struct SliceOptions {
    Element from;
    // True: what made this element is not asked for. Empty: everything is.
    std::function<bool(const Element&)> ends_at;
    std::vector<uint32_t> through;  // sites: the inputs of what they alone read or store are asked for
    bool deciders = false;          // what decided where and whether values were read and written
    // Deciders are followed through shared and global memory too, and so are theirs.
    bool deep = false;
    bool kept = false;    // deciders of writes that were left out as well
    size_t passings = 0;  // at most so many Slice::passings are kept
};

// A register of a lane, or bytes of memory.
struct Cell {
    uint64_t place = 0;  // of the register a number of its own; the bytes begin here, by a place for everyone
    uint32_t mask = 0;   // of at most 32 bytes; 0: a register
};
// In a lane a wanted value was written. One for each cell that it was made of, and one with none.
struct Passing {
    uint64_t order = 0;
    uint32_t site = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    bool made = false;      // `from` is something
    bool bytewise = false;  // byte by byte: a copy
    Cell to, from;
};

// An instruction that the value came through.
struct SliceStep {
    uint32_t site = 0;
    uint64_t times = 0;            // how often a lane executed it for the value
    uint64_t first = 0, last = 0;  // orders
    // Its last execution: by a warp, the nth of its instructions, and what a lane wrote then.
    int warp = 0, lane = 0;
    uint64_t nth = 0;
    int32_t reg = -1;      // of the function; -1: memory
    uint64_t address = 0;  // generic
    uint32_t bytes = 0;
    uint32_t depth = 0;
    uint64_t read_address = 0;  // generic: what that lane read
    uint32_t read_bytes = 0;    // 0: no memory
};

// What the address or the guard of a step came through, by the step's last execution: an instruction of the
// index arithmetic; or the branch, predicate or condition of a select that let it happen, and what made that.
struct Decider {
    enum class Kind : uint8_t { address, guard };
    uint32_t of = 0;  // site of the step
    Kind kind = Kind::address;
    SliceStep step;  // ends the chain where it read memory and `deep` was not asked for
};

// Bytes that the value was made of and that the block never wrote before.
struct SliceInput {
    std::string memory;            // "Q", "shared", "local": the last two are uninitialised
    uint64_t first = 0, last = 0;  // offsets of the first and the last byte
    uint64_t bytes = 0;
    std::vector<std::pair<uint64_t, uint64_t>> runs;  // first and last offset of each unbroken stretch
};

struct Slice {
    std::vector<SliceStep> steps;  // by rising order of their last execution
    std::vector<Element>
        elements;  // of taken tiles that the value came through, by rising order, the asked one too
    std::vector<SliceInput> inputs;
    std::vector<std::string> not_followed;  // instructions whose reads or writes are not modelled, once each
    std::vector<Decider> deciders;          // by rising order of their step
    std::vector<std::vector<SliceInput>> through;  // for each of SliceOptions::through
    std::vector<Passing> passings;                 // against kernel time
    bool passed_all = true;  // false: there were more, or some of them went through a call's parameters
};

// The block is run again from key frame to key frame, the last first.
Slice slice(Route& route, const std::vector<Taken>& taken, const SliceOptions& options);

}  // namespace wl::travel
