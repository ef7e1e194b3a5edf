// Source lines of a slice, with what decided about them, and places as people name them. Internal to
// diagnosis.
#pragma once

#include "instrumentation/diagnosis/why/chain.h"

#include <string>
#include <vector>

namespace wl::diagnosis {

// In kernel time. The route is moved about.
std::vector<ProvenanceLine> lines_of(const Chain& chain, const travel::Slice& slice);

// The line of an instruction, and nothing else about it.
ProvenanceLine place_of_site(const Chain& chain, uint32_t site);

bool same_line(const ProvenanceLine& a, const ProvenanceLine& b);

// "K[0,0,1,16]", "shared:0x2510", "global:0x7f..."; empty: memory of a lane itself.
std::string place_text(const Chain& chain, uint64_t address);

// Of a flat index, one a dimension.
std::vector<int64_t> coordinates(const std::vector<int64_t>& shape, int64_t index);

// The argument of that name that is an array; nullptr: none.
const manifest::BoundArgument* array_named(const manifest::Problem& problem, const std::string& name);

}  // namespace wl::diagnosis
