// What a program copied into a constant variable before a launch: an allocation of the run's memory, of this
// name. Where there is none, the variable has its initial value.
#pragma once

#include <string>
#include <string_view>

namespace wl::execution {

inline std::string name_of_constant(std::string_view variable) { return "constant " + std::string(variable); }

}  // namespace wl::execution
