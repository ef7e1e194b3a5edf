// What the source has at hand at an instruction: variables in registers, by name.
#pragma once

#include "instrumentation/ptx/edit/select.h"
#include "instrumentation/variables/variables.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Named {
    int32_t reg = -1;  // index in Function::registers
    std::string name;
};

// Variables that live in a register before the instruction and have this type, innermost scope first.
std::vector<Named> at_hand(
    const ptx::Module& module, const variables::Variables& variables, const ptx::Place& place, ptx::Type type
);

// Parameters of an entry that are numbers of 32 bits, whether or not the code reads them: an unused one is in
// no register.
struct Parameter {
    std::string name, ptx_name;
    ptx::Type type = ptx::Type::none;
};
std::vector<Parameter> number_parameters(
    const ptx::Module& module, const variables::Variables& variables, size_t function
);

// The variable that the instruction sets, with the register that held it before, -1: none did.
struct Assigned {
    std::string name;
    int32_t before = -1;
};
std::vector<Assigned> assigned_at(
    const ptx::Module& module, const variables::Variables& variables, const ptx::Place& place, int32_t reg
);

// An operand as the source calls it: a variable, threadIdx.x, a number; else as PTX writes it.
std::string operand_text(
    const ptx::Module& module,
    const variables::Variables& variables,
    const ptx::Place& place,
    const ptx::Operand& operand
);
std::string number_text(const ptx::Operand& immediate, ptx::Type type);

}  // namespace wl::diagnosis
