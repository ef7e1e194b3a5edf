// An executor on a GPU: the kernel's own PTX, and the same PTX with its marks dumped (instrument.h).
#pragma once

#include "instrumentation/execution/executor.h"

#include <cstdint>

namespace wl::gpu {

// plain_first: the plain kernel runs first, whose memory counts, and twice with different bytes where nobody
// wrote: so it is known which bytes the kernel wrote. The marks come from further runs of the instrumented
// kernel, whose memory must equal the plain one's bit for bit; a note says whether it did.
// dump_only: the instrumented kernel alone, its records in the host's memory, which a fault of the kernel
// does not take along.
enum class Order : uint8_t { plain_first, dump_only };

// On the device of this number. Every block runs; RunOptions::blocks chooses whose tiles are dumped. It
// checks nothing: races, uninitialised reads and addresses are the emulator's. After a fault of a kernel the
// process can use no GPU any more (CUDA driver API, CUDA_ERROR_ILLEGAL_ADDRESS): further runs give the same
// fault, with what was dumped before it. Throws Unsupported where there is no driver or no such device. What
// the kernel prints comes line by line, of block -1: the driver does not say whose it is.
execution::Executor executor(int device = 0, Order order = Order::plain_first);

}  // namespace wl::gpu
