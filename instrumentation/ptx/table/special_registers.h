// What each special register holds in a run: for docs/ptx.md.
#pragma once

#include "instrumentation/ptx/table/opcodes.h"

#include <span>
#include <string_view>

namespace wl::ptx {

struct SpecialRow {
    SpecialRegister first, last;  // those from first to last share the row
    std::string_view holds;       // as special.cpp and exec_move.cpp of the emulator give it
    std::string_view not_modelled;
};

// Every special register in one row, in the order of SpecialRegister.
std::span<const SpecialRow> special_rows();

}  // namespace wl::ptx
