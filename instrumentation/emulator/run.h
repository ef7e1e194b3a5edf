// The PTX emulator as an executor, and its two steps on their own: an entry is lowered once, its blocks run
// as often as wanted.
#pragma once

#include "instrumentation/emulator/contract.h"
#include "instrumentation/ptx/module.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wl::emulator {

// An entry lowered to executable form: operands resolved, one function pointer an instruction. Immutable;
// shared by threads.
struct Program;

// It checks everything, records, counts and follows schedules.
execution::Executor executor();

// Throws as Executor::prepare does.
std::shared_ptr<const Program> lower(const ptx::Module& module, std::string_view entry);
// Every instruction of the module that the emulator lacks: "unsupported: <instruction> at <file>:<line>".
std::vector<std::string> unsupported(const ptx::Module& module);

const execution::Listing& listing(const Program& program);
std::vector<capture::Site> sites(const Program& program);
// Of the entry, then of the functions that it calls.
const std::vector<ptx::Mark>& marks(const Program& program);
uint32_t static_shared_bytes(const Program& program);
// Without what met in a run.
const execution::Contest& contest(const Program& program);

// Never throws for what the kernel does. Blocks of one launch share `memory`.
RunResult run(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options);

}  // namespace wl::emulator
