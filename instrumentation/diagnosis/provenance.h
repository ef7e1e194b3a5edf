// Where an element of a tile or an output comes from: the instructions and tiles of its block that it came
// through, back to the inputs, and the first of those tiles' elements that is wrong.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/travel/slice.h"

#include <cstdint>
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
Asked resolve(const capture::Capture& capture, const Question& question, uint64_t address);

// An element of a captured tile that the value came through.
struct TileElement {
    int tile = -1;  // index in Capture::tiles
    int row = 0, col = 0;
    double got = 0, reference = 0, bound = 0;  // reference NaN: it was not compared
    enum class State : uint8_t { unknown, right, wrong } state = State::unknown;
    uint64_t order = 0;  // instants of the block before its mark; of the asked one not known
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
    bool suspect = false;  // it lies between the first wrong element and the right ones before it
};

struct ProvenanceInput {
    std::string memory;                // argument, or "shared", "local": uninitialised
    std::vector<int64_t> first, last;  // elements of the argument; empty: bytes below
    uint64_t first_byte = 0, last_byte = 0, bytes = 0;
    uint64_t elements = 0;
    bool uninitialised = false;
};

struct Provenance {
    TileElement asked;
    std::vector<TileElement> elements;  // in kernel time, without the asked one
    int first_wrong = -1;               // of `elements`; -1: none is wrong but, perhaps, the asked one
    std::vector<ProvenanceLine> lines;  // in kernel time
    std::vector<ProvenanceInput> inputs;
    std::vector<std::string> not_followed;  // instructions behind which the chain is not known
};

// `route` runs the asked block of the program that the capture was made of.
struct Chain {
    travel::Route& route;
    const capture::Capture& capture;
    const manifest::Problem& problem;
};
Provenance provenance(const Chain& chain, const Asked& asked);

}  // namespace wl::diagnosis
