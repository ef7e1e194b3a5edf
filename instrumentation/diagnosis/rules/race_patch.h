// Where in the source the order belongs that two accesses lack.
#pragma once

#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/symptoms.h"

namespace wl::diagnosis {

// Between two lines that lie apart the barrier has many places: the first one that mends is reported.
void place_barrier(const Symptoms& s, capture::Finding& f);

// As a patch for Options::on_patch, where the mending is a statement before a line that can have one there.
void offer_mending(const Symptoms& s, const Mending& mending);

}  // namespace wl::diagnosis
