// The layouts of a family of instructions. Internal to fragments.
#pragma once

#include "instrumentation/fragments/names.h"

#include <string>

namespace wl::fragments {

// What the words say, looked up: all of it is in the row.
struct Asked {
    const Instruction* row = nullptr;
    std::string shape;    // "m16n8k16", "x4"
    std::string operand;  // "a", "b", "c", "e0"; "": of a move
    std::string type;
    bool column = false, trans = false;
    std::string pattern;  // tcgen05: "16x64b"
};

int bits_of_type(const std::string& type);
Map make_map(const Asked& asked);

}  // namespace wl::fragments
