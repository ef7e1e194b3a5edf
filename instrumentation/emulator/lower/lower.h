// What lowering asks of the machine it runs on and says about what it lacks.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::emulator {

// Throws Error when the CPU lacks AVX2, FMA or F16C, which the executors are compiled for.
void require_vector_cpu();

std::string describe_unsupported(const ptx::Module& module, const ptx::Instruction& instruction);

// The instructions of a function, as indices in its code, that no executor takes.
std::vector<uint32_t> refused_sites(const ptx::Module& module, const ptx::Function& function);

}  // namespace wl::emulator
