// PTX, changed by its shape, for machines without libFuzzer; `./dev fuzz ptx` is guided by coverage.
#pragma once

#include "fuzz/mutant.h"

namespace wl::fuzz {

Mutant make_ptx(uint64_t number);
Tried attempt_ptx(const Mutant& mutant);  // try_ptx (ptx_case.h)

}  // namespace wl::fuzz
