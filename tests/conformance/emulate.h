// Runs a case on the emulator as the GPU script runs it on the GPU.
#pragma once

#include "tests/conformance/case.h"

namespace wl::conformance {

struct Emulated {
    std::string refusal;           // why the emulator does not run it; else empty
    std::string incident;          // what the emulator found wrong with the kernel; else empty
    std::vector<std::byte> bytes;  // of the compared buffers, in order, like Answer::bytes
};

Emulated emulate(const Case& c);

// Why the emulator does not run it, without running it; else empty.
std::string refusal_of(const Case& c);

}  // namespace wl::conformance
