// A warp comes to a line: its lanes were elsewhere before. Lanes that return to the line out of a call that
// it makes have not left it.
#pragma once

#include "instrumentation/travel/instant.h"

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

}  // namespace wl::travel
