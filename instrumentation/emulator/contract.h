// The emulator speaks of launches, memory and incidents in the words of its contract.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/execution/reach.h"

namespace wl::emulator {

using execution::Access;
using execution::AddressMode;
using execution::Allocation;
using execution::Checks;
using execution::GlobalMemory;
using execution::Heap;
using execution::HeapPiece;
using execution::Incident;
using execution::kCodeBase;
using execution::kConstantBase;
using execution::kGlobalBase;
using execution::kLocalBase;
using execution::kParamBase;
using execution::kSharedBase;
using execution::kTextureBase;
using execution::kWindowMask;
using execution::Launch;
using execution::Printed;
using execution::reachable_functions;
using execution::reachable_variables;
using execution::RunOptions;
using execution::RunResult;
using execution::Texture;
using execution::TileSnapshot;

}  // namespace wl::emulator
