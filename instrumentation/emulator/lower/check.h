// Whether the entries of a module can run here, and what stands in the way: the answer before any launch.
#pragma once

#include "instrumentation/execution/reach.h"
#include "instrumentation/ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::emulator {

using execution::reachable_functions;

// One instruction that the emulator refuses. Where it stands in the user's source: ptx::describe of
// `location`.
struct Refusal {
    std::string what;       // the mnemonic, and of a call its target: "call.uni vprintf"
    std::string why;        // a sentence without the place
    std::string missing{};  // a function or variable that another file defines: linked, the instruction runs
    int function = 0;       // index in Module::functions
    uint32_t ptx_line = 0;  // 1-based
    int32_t location = -1;  // index in Module::locations; -1: the PTX has no .loc for it
};

struct EntryCheck {
    int function = 0;              // index in Module::functions; Function::is_entry says whether it is one
    std::vector<int> functions;    // all that a launch can reach, the entry first, in the order met
    size_t instructions = 0;       // in all of them
    std::vector<Refusal> refused;  // in the order of `functions` and of their code; empty: the entry can run
};

// Whether the entry lacks nothing but what other files define; false for one that can run.
bool only_unlinked(const EntryCheck& entry);

// One for each entry that has a body, in the order of the module. A module without any, as a library of
// device functions is, has one for each function with a body.
std::vector<EntryCheck> check_entries(const ptx::Module& module);

}  // namespace wl::emulator
