// Names of kernels as their authors wrote them.
#pragma once

#include <string>

namespace wl {

// "_Z5scalePf" is "scale(float*)"; a name that is no mangled one stays as it is.
std::string demangle(const std::string& name);

// Of a function's own variable, as the source has it: "_ZZ4sumsfE4part" is "sums::part", without the
// function's parameters and without what the compiler put around it.
std::string variable_name(const std::string& symbol);

// Whether `wanted` names the symbol: as the PTX spells it, or as C++ does, with its parameters or without,
// and of an instance of a template with its arguments or without: scale, scale(float*), reduce<256>, reduce.
bool is_name_of(const std::string& wanted, const std::string& symbol);

}  // namespace wl
