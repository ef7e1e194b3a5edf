// The hooks themselves.
#include "instrumentation/emulator/observe/watcher.h"

#include "instrumentation/emulator/schedule/schedule.h"

#include <utility>

namespace wl::emulator {

// Its straight run goes on as if it had not stood there.
void stand_before(Warp& w, const Instr* i) { running(w).pc = i; }

namespace {

// At the executor, or within what stands before it: a warp that is held back has not come to its instruction.
template <Exec Instr::*executor>
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
    const Instr& original = watcher.original->code[kPlain][code_index(block, i)];
    const Instr* next = (original.*executor)(w, i);
    if (watcher.after && (next != nullptr || running(w).pc != i)) watcher.after(w, i);
    return next;
}

}  // namespace

void watch(Watcher& watcher, const Program& program) {
    watcher.original = &program;
    watcher.program = program;
    for (Instr& i : watcher.program.code[kPlain]) {
        if (i.exec == hold_back)
            i.inner = look<&Instr::inner>;
        else
            i.exec = look<&Instr::exec>;
    }
}

}  // namespace wl::emulator
