// Where an element comes from, as values: the question, the chain of lines and tiles, and what of it is
// evidence.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/travel/slice.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

// The element that is asked about.
struct Question {
    std::string name;        // of a tile or an output
    int row = -1, col = -1;  // -1: the first wrong element, else (0, 0)
    int iteration = -1;      // -1: the first wrong one, else the last
    int warp = -1;           // of a tile that a warp has for itself; -1: the first
    int64_t block = -1;      // linear; -1: one that was recorded
};

// The question with nothing left open. `address`: of the argument of that name on the device. Throws Error
// when the capture holds no such element; for an output that no recorded block wrote, it says that --block
// has to name the block.
struct Asked {
    int tile = -1;  // index in Capture::tiles
    int row = 0, col = 0;
    int64_t block = 0;
};

// An element of a captured tile that the value came through.
struct TileElement {
    int tile = -1;  // index in Capture::tiles
    int row = 0, col = 0;
    double got = 0, reference = 0, bound = 0;  // reference NaN: it was not compared
    enum class State : uint8_t { unknown, right, wrong } state = State::unknown;
    uint64_t order = 0;  // instants of the block before its mark; of the asked one not known
};

// A line that decided where a step of the chain read or wrote (the arithmetic of an index), or whether it
// happened (a branch, a predicate, the condition of a select, and what made them).
struct ProvenanceDecider {
    travel::Decider::Kind kind = travel::Decider::Kind::address;
    int source = -1, line = 0;  // as of a ProvenanceLine
    std::string function;
    std::vector<int> called_at;
    uint32_t site = 0;  // its instruction nearest to the step
    int warp = 0, lane = 0;
    uint64_t order = 0;
    std::string value;                      // what that made; of a branch its predicate
    std::vector<std::string> instructions;  // distinct ones, the last first
    std::vector<std::string> out_of;        // "threadIdx.x", "seq", "shared:0x40": what it starts from
};

// One source line that the value came through, by its last instruction there: of a suspect one, the last on
// the way to the first wrong element.
struct ProvenanceLine {
    int source = -1, line = 0;   // in Capture::sources; -1: no line
    std::string function;        // the inlined one
    std::vector<int> called_at;  // lines of the calls through which it was inlined
    uint64_t times = 0;          // lane executions, of all its instructions
    uint32_t site = 0;           // its last instruction
    int warp = 0, lane = 0;
    uint64_t order = 0;                     // instant of that, as emulator::Here::order
    std::string value;                      // what the lane wrote then; empty: not known
    std::vector<std::string> instructions;  // distinct ones, in order
    std::string reads, writes;  // of memory, by its last instruction: "K[0,0,1,16]", "shared:0x2510"
    std::vector<ProvenanceDecider> deciders;  // the nearest first
    bool suspect = false;  // it lies between the first wrong element and the right ones before it
    // What it reads is made of inputs that the reference of the wrong element is not made of, or it writes
    // the element to the place of another: its address, or the guard that let it through, is wrong.
    bool misled = false;
};

struct ProvenanceInput {
    std::string memory;                // argument, or "shared", "local": uninitialised
    std::vector<int64_t> first, last;  // elements of the argument; empty: bytes below
    uint64_t first_byte = 0, last_byte = 0, bytes = 0;
    uint64_t elements = 0;
    bool uninitialised = false;
};

struct InputElement {
    std::string argument;
    std::vector<int64_t> at;
};

// An execution by one lane.
struct Execution {
    uint32_t site = 0;
    int source = -1, line = 0;  // as of a ProvenanceLine
    std::vector<int> called_at;
    int warp = 0, lane = 0;
    uint64_t order = 0;
    uint64_t times_before = 0;  // that the lane executed it
};

// Where an input comes in that the element's reference is not made of.
struct Entrance {
    InputElement input;
    enum class Kind : uint8_t {
        read,    // at the first read of it: nothing else of the block needs it that came by there
        taken,   // up to there it came rightly, for `of`; the address, or a register, takes it from where it
                 // lies
        kept,    // the value that `of` is made of goes on
        handed,  // others need it, and none gets it on this way: `put` somewhere, and taken from there
    } kind = Kind::read;
    Execution at;
    std::optional<Execution> put;   // the last store, or shuffle's source, before `at`
    std::optional<TileElement> of;  // whose reference is made of the input
};

// Where an input that the reference is made of is left out.
struct Absence {
    InputElement input;
    bool others_go_in = false;           // of the argument
    std::optional<Execution> read;       // for the element, and it does not come as far
    std::optional<Execution> elsewhere;  // a lane reads it from which nothing goes to the element
    std::optional<Execution> beside;     // the read on the way that lies nearest in the argument
    std::optional<Execution> taken;      // the last taking on the way from shared memory or another lane
};

// The inputs of the first wrong element against those that its reference is made of, found by changing inputs
// and computing the reference again.
struct Evidence {
    std::string problem;                  // why it is not known; empty: it is
    std::vector<InputElement> foreign;    // of each argument one that was read, and is no part of it
    std::vector<InputElement> missing;    // of each argument one that was not read, and is
    std::vector<Entrance> entrances;      // of `foreign`, where it is known
    std::vector<Absence> absences;        // of `missing`
    std::vector<std::string> laid_right;  // arguments that lie in memory as their WL_LAYOUT says
    // The value is right for another element of the tile, and is made of that one's inputs.
    std::optional<TileElement> belongs_to;
};

struct Provenance {
    TileElement asked;
    std::vector<TileElement> elements;  // in kernel time, without the asked one
    int first_wrong = -1;               // of `elements`; -1: none is wrong but, perhaps, the asked one
    std::vector<ProvenanceLine> lines;  // in kernel time
    std::vector<ProvenanceInput> inputs;
    std::vector<std::string> not_followed;  // instructions behind which the chain is not known
    Evidence evidence;                      // nothing where no element is wrong
};

// `route` runs the asked block of the program that the capture was made of.
struct Chain {
    travel::Route& route;
    const capture::Capture& capture;
    const manifest::Problem& problem;
    bool deep = false;  // what decided about what decided, and through memory
};

// The first wrong element, as the slice and as the capture know it.
struct Accused {
    travel::Element element;
    TileElement as_captured;
    int64_t block = 0;
};

struct Doubt {
    const Chain& chain;
    const std::vector<travel::Taken>& taken;
    const Accused& accused;
};

}  // namespace wl::diagnosis
