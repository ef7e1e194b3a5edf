// An address that leaves its memory, against the extent of what it was meant for.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"

#include <string>

namespace wl::diagnosis {

struct Extent {
    std::string text;  // "16 bytes past the end of K (524288 bytes)"; empty: nothing ends before the address
    std::string region;  // "the same line writes bytes 79616..94943"; empty: unknown
};
Extent extent_of(const Symptoms& s, const emulator::Access& access);

}  // namespace wl::diagnosis
