// The line before which a barrier belongs that two accesses lack: a race shows where it is noticed, which may
// be far behind.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/search.h"

#include <optional>
#include <string>

namespace wl::diagnosis {

// `barrier`: "__syncthreads();". The first place in the source, from the line of one access to that of the
// other, else behind and before these in the loop that holds both, at which it leaves no race, no other fault
// and nothing wrong; proven. Nothing where no place was found, or the source cannot be searched.
std::optional<Mended> barrier_place(
    const Symptoms& s, const capture::Finding& race, const std::string& barrier
);

}  // namespace wl::diagnosis
