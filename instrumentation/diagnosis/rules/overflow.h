// Numbers of 32 bits that overflow on the way to an address.
#pragma once

#include "instrumentation/diagnosis/rules/symptoms.h"

#include <string>

namespace wl::diagnosis {

// Of an access that leaves its memory: " At FILE:LINE (`...`) a number of 32 bits overflows: ...", with its
// operands; empty where none does. The access's block is run once more.
std::string overflow_text(const Symptoms& s, const emulator::Access& access);

}  // namespace wl::diagnosis
