// A hook before an executor in a copy of a program, so that a run which does not need it pays nothing.
#pragma once

#include "instrumentation/emulator/program.h"

namespace wl::emulator {

// The hook is called in place of the executor, for the lanes whose guard is true. Returns the executor, which
// the hook calls.
inline Exec put_before(Instr& i, Exec hook) {
    const Exec executor = i.inner;
    if (i.exec == executor) i.exec = hook;
    i.inner = hook;
    return executor;
}

}  // namespace wl::emulator
