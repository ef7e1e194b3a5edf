// Executors of ld and st: fast ones for the common forms, one general pair for everything.
#pragma once

#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// Empty when the form has no fast executor.
Selected select_on_chip(const MemoryForm& form, bool is_store);  // shared, local and generic
Selected select_global(const MemoryForm& form, bool is_store);

// Any space, width and register size, lane by lane; faulty lanes are suppressed and noted.
const Instr* load_any(Warp& w, const Instr* i);
const Instr* store_any(Warp& w, const Instr* i);

// Notes a read of bytes of an allocation that nobody wrote.
void check_written(Warp& w, const Instr* i, int lane, const Place& place, uint32_t bytes);

}  // namespace wl::emulator
