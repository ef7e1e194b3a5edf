// Who may write instructions: the parser and ptx/edit; no other folder includes it.
#pragma once

#include "instrumentation/ptx/module.h"

#include <vector>

namespace wl::ptx {

struct Writer {
    static std::vector<Instruction>& of(Function& function) { return function.code.all_; }
};

}  // namespace wl::ptx
