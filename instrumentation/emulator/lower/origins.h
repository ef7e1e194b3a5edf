// What registers that hold addresses were made from, whatever the order of instructions.
#pragma once

#include "instrumentation/emulator/program/lowering.h"

#include <vector>

namespace wl::emulator {

struct Origin {
    enum class Of : uint8_t { unseen, number, shared, global, parameter, several };
    Of of = Of::unseen;
    int64_t index = 0;  // shared: in Program::shared_variables; global: in Program::globals; parameter: bytes
                        // into the entry's parameter buffer, of a pointer
    bool operator==(const Origin&) const = default;
};

// By register of the function that is being lowered. Its variables have been placed.
std::vector<Origin> trace_origins(const Lowering& l);

// Of an operand that is an address.
Origin origin_of(const Lowering& l, const std::vector<Origin>& registers, const ptx::Operand& operand);

}  // namespace wl::emulator
