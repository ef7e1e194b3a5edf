// The hook itself.
#include "instrumentation/emulator/watcher.h"

#include "instrumentation/emulator/schedule.h"

namespace wl::emulator {
namespace {

const Instr* look(Warp& w, const Instr* i) {
    Block& block = *w.block;
    Watcher& watcher = *block.watcher;
    // A collective that waited for lanes comes here again; it is one instruction all the same.
    if (!watcher.before(w, i)) {
        watcher.stopped = block.aborted = true;
        return end_slice(w, i);
    }
    return watcher.original->code[kPlain][code_index(block, i)].exec(w, i);
}

}  // namespace

void watch(Watcher& watcher, const Program& program) {
    watcher.original = &program;
    watcher.program = program;
    for (Instr& i : watcher.program.code[kPlain]) i.exec = look;
}

}  // namespace wl::emulator
