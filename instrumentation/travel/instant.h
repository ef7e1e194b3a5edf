// An instant of a block as people name it: the n-th time a warp comes to a line, a stage, a step back; and
// the source variables and registers that its lanes hold there.
#pragma once

#include "instrumentation/emulator/replay/travel.h"
#include "instrumentation/ptx/module.h"
#include "instrumentation/travel/landmarks.h"
#include "instrumentation/travel/trace.h"
#include "instrumentation/variables/shared.h"
#include "instrumentation/watch/watch.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::travel {

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
    emulator::TravellerPtr traveller;
    Trace trace;
    std::map<int, Landmarks> landmarks;  // by warp
};

Route make_route(const ptx::Module& module, emulator::Journey journey);

enum class Odd : uint8_t { none, nan, inf };
// Bytes by generic address: kSharedBase + offset for shared memory.
struct Bytes {
    uint64_t address = 0;
    uint32_t bytes = 0;
};

// Arrivals of one warp (-1: of any), in kernel time. Everything that is set must hold.
struct Wanted {
    int warp = 0;
    std::optional<uint64_t> time;  // at this time of the warp's clock, or the first instruction after it
    std::string file;              // end of the path; empty: any
    int line = 0;                  // 0: any; the warp comes to it from another line
    std::string stage;             // the warp's stage; empty: any
    std::string tile;              // the warp comes to a mark of this name; empty: any
    int iteration = -1;  // how often the warp came to that mark, or into the stage it is in, before; -1: any
    int barrier = -1;    // the warp comes to its block barrier of this number, from 0
    int epoch = -1;      // the warp has passed so many block barriers
    int64_t site = -1;   // it is about to execute this instruction
    uint32_t ptx_line = 0;   // or one at this line of the PTX
    bool fragments = false;  // it is about to execute an instruction that has_fragments, anywhere on the line
    Bytes written;           // it is about to write some of these bytes
    Odd makes = Odd::none;   // the instruction leaves NaN or Inf in a destination register of a lane
    std::optional<watch::Watch> when;  // true for at least one of its lanes
    int64_t hit = 0;  // how many such arrivals come before; negative: counted from the last, -1
    // Arrivals are counted from an instant instead: 0 is the first at or behind it, or the last before it,
    // whichever is asked for, or the other one where there is none. Not together with `makes`.
    enum class Side : uint8_t { none, behind, before } side = Side::none;
    uint64_t anchor = 0;  // emulator::Here::order
};

// Goes there. False: there is no such instant; `arrivals` says how many there were. Throws Error when the
// condition could be evaluated at none of them.
struct Found {
    bool found = false;
    int64_t arrivals = 0;
    int32_t odd_register = -1;  // what `makes` found: of the running function, and the lanes
    uint32_t odd_lanes = 0;
};
Found go(Route& route, const Wanted& wanted);

// Goes `steps` instructions of the warp on from where the route stands, or back when negative. False: the
// warp begins or ends before, and the route stands where it stood.
bool step(Route& route, int64_t steps);

// Names as the running activation means them: its source variables that live here, registers ("%f12"),
// threadIdx.x and the like, lane, warp. Refers to the route: use it before the next journey.
watch::Environment environment_here(const Route& route);

// Does a source variable have a value where the route stands?
enum class Life : uint8_t { lives, not_live, optimised_out, no_variable };
Life life_of(const Route& route, const std::string& name);
std::string_view text_of(Life life);  // "not live here"; empty where it lives

// Where the value of a name comes from: "source variable in %f3", "PTX register, made at v2c_3.cu:118".
std::string origin_of(const Route& route, const std::string& name);

}  // namespace wl::travel
