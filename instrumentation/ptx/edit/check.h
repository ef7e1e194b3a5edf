// Whether an instruction may stand in a function.
#pragma once

#include "instrumentation/ptx/module.h"
#include "instrumentation/ptx/parse/decode.h"

#include <string>

namespace wl::ptx {

// Decodes what it says; empty when the instruction may stand in this function, else why not.
std::string settle(
    Decoder& decoder, const Module& module, const Function& function, Instruction& instruction
);

// Behind it nothing falls through.
bool ends_flow(const Instruction& instruction);

}  // namespace wl::ptx
