// Spellings of the vocabulary's enumerations.
#pragma once

#include "instrumentation/ptx/table/opcodes.h"

#include <optional>
#include <string>
#include <string_view>

namespace wl::ptx {

struct Special {
    SpecialRegister reg = SpecialRegister::count;
    int64_t number = 0;  // of %envreg3, %pm1, %reserved_smem_offset_0
};
std::optional<Special> special_from_name(std::string_view name);  // with its %
std::string special_name(const Special& special);                 // inverse

uint16_t selector_from_name(std::string_view name);  // "b0", "h32": Operand::selector; 0 when it is none
std::string selector_name(uint16_t selector);        // inverse

std::string_view name_of(Space space);         // ".global"; "" for none and generic
std::string_view name_of(Compare comparison);  // "lt"; "" for none

}  // namespace wl::ptx
