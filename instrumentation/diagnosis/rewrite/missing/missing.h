// What is missing: statements that a function lacks, by what it computes and does not use, or uses and does
// not compute. Each adds its own.
#pragma once

#include "instrumentation/diagnosis/rewrite/missing/lacks.h"

namespace wl::diagnosis::rewrite {

void add_sums(Writer& w, const Facts& f);   // sums.cpp: sums that nobody feeds, heads without a body
void add_lanes(Writer& w, const Facts& f);  // lanes.cpp: reductions and broadcasts over lanes
void add_taken(
    Writer& w, const Facts& f
);  // taken.cpp: arrays that nobody reads, the most of something that is not kept
void add_offsets(Writer& w, const Facts& f);  // offsets.cpp: pointers that are not moved to the block's part
void add_beside(Writer& w, const Facts& f);   // beside.cpp: outputs that a branch writes without the others
void add_calls(Writer& w, const Facts& f);    // calls.cpp: functions that nobody calls
void add_series(Writer& w, const Facts& f);   // series.cpp: `uy /= rho;` beside `ux /= rho;`
void add_rest(Writer& w, const Facts& f);     // rest.cpp: what a store of one case leaves out

}  // namespace wl::diagnosis::rewrite
