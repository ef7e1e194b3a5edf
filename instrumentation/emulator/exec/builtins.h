// Functions that the machine provides and no module defines: vprintf, malloc, ... A row of the table is a
// name and an executor; it runs for the lanes in the warp's mask as any other, the call being its
// instruction, and finds what was passed by `argument`.
#pragma once

#include "instrumentation/emulator/program/program.h"

#include <cstdint>
#include <string_view>

namespace wl::emulator {

// nullptr: no such function.
Exec builtin_function(std::string_view name);

// Its rows: print.cpp, heap.cpp.
Exec builtin_vprintf();
Exec builtin_assertfail();
Exec builtin_malloc();
Exec builtin_free();

// The low 8 bytes of argument k of one lane, zero-extended; 0 if the call passes fewer.
uint64_t argument(Warp& w, const Instr* call, size_t k, int lane);
// The call's result for one lane; nothing where the call takes none.
void set_result(Warp& w, const Instr* call, int lane, uint64_t value);

}  // namespace wl::emulator
