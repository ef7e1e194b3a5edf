// Warps come to a line, and stand at one. A warp comes to it where its lanes were elsewhere before; lanes
// that return to the line out of a call that it makes have not left it.
#pragma once

#include "instrumentation/emulator/replay/warps_here.h"
#include "instrumentation/travel/route.h"
#include "instrumentation/watch/watch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::travel {

// By site: is the instruction, or a call through which it was inlined, on the line?
std::vector<char> sites_on_line(const Route& route, const std::string& file, int line);

// Of one warp; sees each of its instants in turn.
struct OnLine {
    std::vector<uint32_t> lanes;  // by depth of calls
};
bool comes_to_line(OnLine& before, const emulator::Here& here, bool is_on_line);

// Is the expression true, where the route stands, for at least one of the lanes? Throws Error when it cannot
// be evaluated.
bool holds(const Route& route, const watch::Watch& when);

// Every warp of the block at the route's instant: where it stands in the source, and what it waits for.
struct Standing {
    emulator::StandingHere here;
    int file = -1;  // in Module::files; -1: no line of the source
    int line = 0;
    std::string waits;  // copies too, where it is about to wait for them
};
std::vector<Standing> standing_warps(const Route& route);  // by warp

}  // namespace wl::travel
