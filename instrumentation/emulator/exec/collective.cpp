// Warp-wide instructions as the shadows see them: by them, what lanes have read is done.
#include "instrumentation/emulator/exec/collective.h"

#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/shadow/global_shadow.h"

namespace wl::emulator {
namespace {

void take_in(Warp& w, const Instr* i, uint32_t lanes) {
    take_in(w.block->shadow, w.index, i->site, lanes);
    if (w.block->global != nullptr) take_in(*w.block->global, w.index, i->site, lanes);
}

}  // namespace

void take_in(Warp& w, const Instr* i) { take_in(w, i, w.exists); }

void take_in(Warp& w, const Instr* i, const uint32_t* members) {
    for (uint32_t rest = w.mask; rest != 0;) {
        const uint32_t named = members[first_lane(rest)];
        const uint32_t lanes = mask_of([=](int lane) { return members[lane] == named; }) & w.mask;
        take_in(w, i, lanes);
        rest &= ~lanes;
    }
}

}  // namespace wl::emulator
