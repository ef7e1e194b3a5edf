// A function's instructions as text.
#pragma once

#include "instrumentation/ptx/module.h"

#include <string>
#include <vector>

namespace wl::ptx {

// As print() gives each, in the order of Function::code; the names of labels and lists are made once.
std::vector<std::string> list_code(const Module& module, const Function& function);

}  // namespace wl::ptx
