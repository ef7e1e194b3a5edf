// Which functions and variables of a module a launch can come to.
#pragma once

#include "instrumentation/ptx/module.h"

#include <set>
#include <span>
#include <vector>

namespace wl::execution {

// The functions that a call of this one can reach, itself first, in the order met: through calls, addresses
// taken, and initial values of the variables that they name. Aliases are followed. A call by address that
// lists no targets can reach every function whose address the module takes: another kernel may have stored
// it.
std::vector<int> reachable_functions(const ptx::Module& module, int function);
// The module's variables that these functions name, themselves or through initial values of others, by index.
std::set<int> reachable_variables(const ptx::Module& module, std::span<const int> functions);

// Bytes of shared memory of fixed size that a call of this function takes: its own and those of what it can
// reach.
uint64_t static_shared_bytes(const ptx::Module& module, int function);

}  // namespace wl::execution
