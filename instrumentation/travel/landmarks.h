// Places of a program that people name: marks, stages, block barriers; and a warp's way past them.
#pragma once

#include "instrumentation/travel/route.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::travel {

bool is_block_barrier(const ptx::Instruction& in);
// The name of the tile's mark that the instruction is; of a fragment's its first one. nullptr: none.
const std::string* tile_mark(const Route& route, uint32_t site);

std::vector<LinePlace> line_places(const Route& route);  // by site

// Those up to the first behind that time; runs the block on where they are not known yet.
const Anchors& anchors_around(Route& route, int warp, uint64_t time);
// Those up to the second of these places.
const Anchors& anchors_up_to(Route& route, int warp, const Between& between);

}  // namespace wl::travel
