// What walking the DWARF of a module keeps, and the types that it names. Internal to variables.
#pragma once

#include "instrumentation/variables/sections.h"
#include "instrumentation/variables/variables.h"

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wl::variables {

constexpr int kDeepest = 256;  // of nested scopes and types: beyond it the sections are taken as malformed

struct Reader {
    const ptx::Module& module;
    const Image& image;
    Variables out{};
    std::map<Dwarf_Off, int> types{};
    std::vector<std::map<std::string, int32_t>> registers{};  // by function
};

std::string name_of(Dwarf_Die* die);
std::optional<uint64_t> number(Dwarf_Die* die, unsigned attribute);

// Index in Reader::out.types of what DW_AT_type names; -1: none.
int type_of(Reader& r, Dwarf_Die* die, int depth);

}  // namespace wl::variables
