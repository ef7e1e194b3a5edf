// A capture made without compiling or running a kernel: what the tests of files, analysis and panels look at.
#pragma once

#include "instrumentation/capture/capture.h"

namespace wl::testing {

// Streaming attention, (1,8,512,64), 64 blocks of 8 warps, with the fault that makes l 32 times too large.
// One block is recorded: 8 KV iterations of scores, masked, m, alpha, P, l and O_accum in shared memory, with
// elements, references, bounds, owners and every write; replaying the writes gives the elements. The other
// blocks carry its verdicts. The output is whole.
capture::Capture synthetic_capture(int64_t recorded_block = 0);

// The same blocks and tiles, `bytes` (about) of distinct elements in all: for measuring.
capture::Capture synthetic_tiles(size_t bytes);

}  // namespace wl::testing
