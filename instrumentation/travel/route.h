// A program that can be asked about, and what is known of the block that is travelled.
#pragma once

#include "instrumentation/base/anchors.h"
#include "instrumentation/emulator/replay/travel.h"
#include "instrumentation/ptx/module.h"
#include "instrumentation/variables/shared.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wl::travel {

// Where an instruction lies in the source as its author reads it: a call that was inlined is a call, and what
// the toolkit's headers do is part of the line that calls them.
struct LinePlace {
    int file = -1;  // in Module::files; -1: no line of the author's
    int line = 0;
    int depth = 0;  // calls of the author's functions that were inlined
    bool operator==(const LinePlace&) const = default;
};

// What is known of a warp's anchors.
struct Landmarks {
    Anchors anchors;
    uint64_t known = 0;  // instants of the block that were looked at
    uint64_t last = 0;   // time of the warp's latest instant among them
    std::map<std::string, int> stages;
    int barriers = 0;
    bool at_barrier = false, complete = false;
};

// Instructions one behind the other, by one warp with the same lanes.
struct StraightRun {
    emulator::Here first;
    uint32_t length = 0;
};

struct Trace {
    std::vector<StraightRun> runs;    // by rising order, without a gap
    uint64_t end = 0;                 // instants that are known
    bool complete = false;            // the block ends there
    uint64_t most_bytes = 192 << 20;  // beyond it instants are looked at by running
};

// A program that can be asked about, and the block that is travelled.
struct Route {
    const ptx::Module* module = nullptr;
    variables::Variables variables;  // of an optimised build those in shared memory alone
    std::map<std::string, std::string>
        shared;  // those that nothing describes, by PTX name: how the type was found
    std::vector<capture::Site> sites;
    std::vector<std::string> stages;                    // WL_STAGE by site; empty: none
    std::vector<int> functions;                         // of Module::functions, in the order of the program's
    std::vector<const ptx::Instruction*> instructions;  // by site, of `module`
    std::vector<const ptx::Function*> function_of_site;  // the same
    std::vector<LinePlace> lines;                        // the same
    emulator::ReplayerPtr traveller;
    Trace trace;
    std::map<int, Landmarks> landmarks;  // by warp
};

}  // namespace wl::travel
