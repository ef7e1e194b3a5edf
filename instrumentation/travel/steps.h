// Moves of a warp from one instant to another, forwards and back, as a debugger makes them.
#pragma once

#include "instrumentation/travel/instant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::travel {

enum class StepKind : uint8_t {
    instruction,
    into,       // to the next line of the source, of a called function too
    over,       // to the next line of the function or of one that called it
    out,        // to the line that called the function
    line,       // to the next arrival at a line
    mark,       // to the next mark of a tile
    stage,      // to the next WL_STAGE
    iteration,  // to the next time that the stage begins which the warp is in
    barrier,    // to the next barrier of the block
    write,      // to the next instruction, of any warp, that writes some bytes
    stop,       // to the next breakpoint
    race,       // to the next access, of any warp, that a race was seen at
};

// On a line, or (line 0) on data: where any warp writes some of the bytes.
struct Breakpoint {
    std::string file;  // end of its path; empty: any
    int line = 0;
    std::optional<watch::Watch> when;  // true for at least one active lane
    std::string element{};             // whose bytes are meant, by name
    Bytes written{};
};

// One of the two accesses of a race, as a finding tells it; -1: any.
struct Racing {
    std::string file;  // end of its path
    int line = 0;
    int warp = -1, epoch = -1;
};

struct Move {
    StepKind stride = StepKind::instruction;
    bool back = false;
    bool any_warp = false;         // of `stop`: whichever comes first
    std::string file;              // of `line`; empty: any
    int line = 0;                  // of `line`
    Bytes written;                 // of `write`
    std::vector<Breakpoint> at{};  // of `stop`
    std::vector<Racing> racing{};  // of `race`
};

// Goes there from where the route stands. False: there is no such instant, and the route stands where it
// stood. Where lanes part, the way is that of `lane`, or of the first active one where that is not active. A
// line that a step leads to is stood at before its first instruction, forwards and back: both ways lead
// through the same instants. Throws Error on `iteration` outside every stage, and when no breakpoint's
// condition can be evaluated.
bool make(Route& route, const Move& move, int lane);

}  // namespace wl::travel
