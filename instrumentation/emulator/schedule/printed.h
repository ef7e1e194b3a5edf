// What kernels print.
#pragma once

#include "instrumentation/emulator/contract.h"

namespace wl::emulator {

constexpr uint64_t kPrintedBytes = 1 << 20;  // cudaLimitPrintfFifoSize: what is printed beyond it is lost

// Puts what one block printed behind what lower blocks did; drops from the end what is too much.
void add_printed(RunResult& result, std::vector<Printed>&& printed);

}  // namespace wl::emulator
