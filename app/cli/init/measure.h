// What a kernel does with its arrays, seen by running it: how far it goes in each, which it writes, which it
// reads before.
#pragma once

#include "app/cli/init/guess.h"

namespace wl::app {

// Gives the arrays of the guess shapes, outputs and fills. What could not be measured joins `unknown`.
void measure_arrays(Guess& guess, const ptx::Module& module, const ptx::Function& entry);

}  // namespace wl::app
