// Models alloca, stacksave and stackrestore: PTX ISA 9.7.17. The stack grows upwards. Not modelled: that a
// GPU's grows downwards.
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/emulator/schedule/frames.h"

#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;

// r = {d, size}; offset: alignment.
template <class T>
const Instr* allocate_on_stack(Warp& w, const Instr* i) {
    const T* size = cells<T>(w, i->r[1]);
    T* begin = cells<T>(w, i->r[0]);
    const auto align = static_cast<uint64_t>(i->offset);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const uint64_t at = (w.stack.top[static_cast<size_t>(lane)] + align - 1) / align * align;
        const uint64_t bytes = size[lane];
        if (bytes <= stack_limit(w) && grow_stack(w, lane, at + bytes)) {
            begin[lane] = static_cast<T>(at);
            continue;
        }
        Incident incident;
        incident.kind = Incident::Kind::stack_overflow;
        incident.first = witness(w, i, 1u << lane);
        incident.first.memory = "local";
        incident.detail = fmt::format(
            "alloca of {} bytes needs more than the {} bytes of stack that a thread has",
            bytes,
            stack_limit(w)
        );
        return give_up(w, i, std::move(incident));
    }
    return i + 1;
}

template <class T>
const Instr* save_stack(Warp& w, const Instr* i) {
    const auto& top = w.stack.top;
    write_lanes<T>(w, i->r[0], [&](int lane) { return static_cast<T>(top[static_cast<size_t>(lane)]); });
    return i + 1;
}

// Only memory that the activation took by alloca can be given back.
template <class T>
const Instr* restore_stack(Warp& w, const Instr* i) {
    const T* saved = cells<T>(w, i->r[0]);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        const uint64_t floor = uint64_t{w.frame->base[lane]} + w.frame->function->local_bytes;
        if (saved[lane] >= floor && saved[lane] <= w.stack.top[lane]) {
            w.stack.top[lane] = static_cast<uint32_t>(saved[lane]);
            continue;
        }
        Incident incident;
        incident.kind = Incident::Kind::out_of_bounds;
        incident.first = witness(w, i, 1u << lane);
        incident.first.memory = "local";
        incident.first.address = saved[lane];
        incident.detail = "stackrestore to a place that no stacksave of this call gave";
        return give_up(w, i, std::move(incident));
    }
    return i + 1;
}

template <class T>
Selected select(Lowering& l, Type t) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::stacksave: l.out.r[0] = destination(l, 0); return Exec{save_stack<T>};
        case Op::stackrestore: l.out.r[0] = source(l, 0, t); return Exec{restore_stack<T>};
        case Op::alloca:
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = source(l, 1, t);
            l.out.offset = in.operands.size() > 2 ? static_cast<int64_t>(in.operands[2].bits) : 8;
            if (l.out.offset <= 0 || l.out.offset > (1 << 20)) return {};
            return Exec{allocate_on_stack<T>};
        default: return {};
    }
}

}  // namespace

Selected lower_stack(Lowering& l) {
    if (l.in->types.empty()) return {};
    const Type t = l.in->types[0];
    return ptx::bytes_of(t) == 8 ? select<uint64_t>(l, t) : select<uint32_t>(l, t);
}

}  // namespace wl::emulator
