// The hooks themselves.
#include "instrumentation/emulator/observe/watcher.h"

#include "instrumentation/emulator/machine/schedule.h"

#include <functional>
#include <utility>

namespace wl::emulator {

// Its straight run goes on as if it had not stood there.
void stand_before(Warp& w, const Instr* i) { running(w).pc = i; }

namespace {

const Instr* look(Warp& w, const Instr* i, const Hook& hook) {
    Block& block = *w.block;
    Watcher& watcher = *block.watcher;
    // A collective that waited for lanes comes here again; it is one instruction all the same.
    if (!watcher.before(w, i)) {
        watcher.stopped = block.now.aborted = true;
        stand_before(w, i);
        watcher.turn.slice_end = std::exchange(w.slice_end, 0);  // the scheduler stops
        return nullptr;
    }
    const Instr* next = go_on(hook, w, i);
    if (watcher.after && (next != nullptr || running(w).pc != i)) watcher.after(w, i);
    return next;
}

}  // namespace

// A warp that is held back before a barrier has not come to its instruction.
void watch(Hooked& hooked) {
    const auto holds_back = [](const Traits& t) { return t.executor == hold_back; };
    put_instead(hooked, in_variant(At::lanes, kPlain), look, holds_back);
    put_instead(hooked, in_variant(At::split, kPlain), look, std::not_fn(holds_back));
}

}  // namespace wl::emulator
