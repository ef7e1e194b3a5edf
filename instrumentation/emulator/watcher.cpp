// The hooks themselves.
#include "instrumentation/emulator/watcher.h"

#include <utility>

namespace wl::emulator {

void stand_before(Warp& w, const Instr* i) {
    close_segment(w, i);
    running(w).pc = i;
}

namespace {

const Instr* look(Warp& w, const Instr* i) {
    Block& block = *w.block;
    Watcher& watcher = *block.watcher;
    // A collective that waited for lanes comes here again; it is one instruction all the same.
    if (!watcher.before(w, i)) {
        watcher.stopped = block.aborted = true;
        stand_before(w, i);
        watcher.turn.slice_end = std::exchange(w.slice_end, 0);  // the scheduler stops
        return nullptr;
    }
    const Instr* next = watcher.original->code[kPlain][code_index(block, i)].exec(w, i);
    if (watcher.after && (next != nullptr || running(w).pc != i)) watcher.after(w, i);
    return next;
}

}  // namespace

void watch(Watcher& watcher, const Program& program) {
    watcher.original = &program;
    watcher.program = program;
    for (Instr& i : watcher.program.code[kPlain]) i.exec = look;
}

}  // namespace wl::emulator
