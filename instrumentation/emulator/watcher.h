// Seeing every instruction of a block before it runs, and stopping there: a hook before the executors of a
// copy of the program, so that a run which is not watched pays nothing.
#pragma once

#include "instrumentation/emulator/warp.h"

#include <functional>

namespace wl::emulator {

struct Watcher {
    const Program* original = nullptr;
    Program program;  // its kPlain code stops at the hook
    // Called with the warp's registers and lanes as the instruction will find them. False: the block stops
    // here, before it; its state can be read and stays as it is.
    std::function<bool(Warp&, const Instr*)> before;
    bool stopped = false;
};

// The watcher must stay where it is while a block runs its program.
void watch(Watcher& watcher, const Program& program);

// Index of the instruction in Program::code.
inline size_t code_index(const Block& block, const Instr* i) {
    return static_cast<size_t>(i - block.program->code[block.variant].data());
}

}  // namespace wl::emulator
