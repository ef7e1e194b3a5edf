// Models malloc and free of device code: a piece of the heap for each lane. Not modelled: their cost.
#include "instrumentation/emulator/memory/heap.h"

#include "instrumentation/emulator/exec/builtins.h"
#include "instrumentation/emulator/global/global_shadow.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"

namespace wl::emulator {
namespace {

const Instr* exec_malloc(Warp& w, const Instr* i) {
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const uint64_t bytes = argument(w, i, 0, lane), address = take(*w.block->context.memory->heap, bytes);
        set_result(w, i, lane, address);
        if (GlobalActor* actor = w.block->global.get(); actor != nullptr && address != 0)
            forget(*actor->shadow, address, room_of({bytes}));
    }
    return i + 1;
}

const Instr* exec_free(Warp& w, const Instr* i) {
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const uint64_t address = argument(w, i, 0, lane);
        std::string why = give_back(*w.block->context.memory->heap, address);
        if (why.empty()) continue;
        Incident incident;
        incident.kind = Incident::Kind::bad_free;
        incident.first = witness(w, i, 1u << lane);
        incident.first.address = address;
        incident.first.memory = "heap";
        incident.detail = std::move(why);
        report(*w.block, std::move(incident));
    }
    return i + 1;
}

}  // namespace

Exec builtin_malloc() { return exec_malloc; }
Exec builtin_free() { return exec_free; }

}  // namespace wl::emulator
