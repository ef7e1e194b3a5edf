// Places of a program that people name: marks, stages, block barriers; and a warp's way past them.
#pragma once

#include "instrumentation/base/anchors.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wl::travel {

struct Route;

bool is_block_barrier(const ptx::Instruction& in);
// The name of the tile's mark that the instruction is; of a fragment's its first one. nullptr: none.
const std::string* tile_mark(const Route& route, uint32_t site);

// Where an instruction lies in the source as its author reads it: a call that was inlined is a call, and what
// the toolkit's headers do is part of the line that calls them.
struct LinePlace {
    int file = -1;  // in Module::files; -1: no line of the author's
    int line = 0;
    int depth = 0;  // calls of the author's functions that were inlined
    bool operator==(const LinePlace&) const = default;
};
std::vector<LinePlace> line_places(const Route& route);  // by site

// What is known of a warp's anchors.
struct Landmarks {
    Anchors anchors;
    uint64_t known = 0;  // instants of the block that were looked at
    uint64_t last = 0;   // time of the warp's latest instant among them
    std::map<std::string, int> stages;
    int barriers = 0;
    bool at_barrier = false, complete = false;
};
// Those up to the first behind that time; runs the block on where they are not known yet.
const Anchors& anchors_around(Route& route, int warp, uint64_t time);
// Those up to the second of these places.
const Anchors& anchors_up_to(Route& route, int warp, const Between& between);

}  // namespace wl::travel
