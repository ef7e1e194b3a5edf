// What is missing: statements that a function lacks, by what it computes and does not use, or uses and does
// not compute. Each adds its own.
#pragma once

#include "instrumentation/diagnosis/rewrite/missing/lacks.h"

namespace wl::diagnosis::rewrite {

void add_series(Writer& w, const Facts& f);  // series.cpp: `uy /= rho;` beside `ux /= rho;`
void add_rest(Writer& w, const Facts& f);    // rest.cpp: what a store of one case leaves out

}  // namespace wl::diagnosis::rewrite
