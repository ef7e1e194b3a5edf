// Models atom and red on 32- and 64-bit words in global, shared and generic memory: PTX ISA 9.7.13.5-6. Lanes
// go in their order; global words are changed by the host's atomics, across workers. Not modelled: memory
// orderings, 16- and 128-bit words, packed and vector forms.
#include "instrumentation/emulator/float32.h"
#include "instrumentation/emulator/hooks.h"
#include "instrumentation/emulator/lowering.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

using ptx::AtomOp;
using ptx::Op;
using ptx::Space;
using ptx::Type;

// The new value of a word that holds `old`. Global memory adds doubles apart from the cores, and keeps a
// signalling NaN as it is; shared memory's are added by them (measured).
template <class T, AtomOp O>
T combined(T old, T b, T c, [[maybe_unused]] bool global) {
    if constexpr (std::is_floating_point_v<T>) {
        if constexpr (O == AtomOp::add && sizeof(T) == 8)
            return global && old != old ? old : global && b != b ? b : old + b;
        if constexpr (O == AtomOp::add) return canonical(old + b);
        return b;
    } else {
        using U = std::make_unsigned_t<T>;
        switch (O) {
            case AtomOp::add: return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
            case AtomOp::min: return std::min(old, b);
            case AtomOp::max: return std::max(old, b);
            case AtomOp::and_: return old & b;
            case AtomOp::or_: return old | b;
            case AtomOp::xor_: return old ^ b;
            case AtomOp::exch: return b;
            case AtomOp::cas: return old == b ? c : old;
            case AtomOp::inc: return old >= b ? 0 : old + 1;
            case AtomOp::dec: return old == 0 || old > b ? b : old - 1;
            default: return old;
        }
    }
}

template <class T, AtomOp O>
T update(std::byte* at, T b, T c, bool across_workers) {
    using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    auto* word = reinterpret_cast<U*>(at);
    if (!across_workers) {
        const U old = *word;
        *word = std::bit_cast<U>(combined<T, O>(std::bit_cast<T>(old), b, c, across_workers));
        return std::bit_cast<T>(old);
    }
    U old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        word,
        &old,
        std::bit_cast<U>(combined<T, O>(std::bit_cast<T>(old), b, c, across_workers)),
        true,
        __ATOMIC_SEQ_CST,
        __ATOMIC_RELAXED
    )) {}
    return std::bit_cast<T>(old);
}

// r = {d, b, c, -, address}; target: MemoryForm; r[5] != 0: the old value is wanted.
template <class T, AtomOp O>
const Instr* atomic(Warp& w, const Instr* i) {
    const MemoryForm f = decode(i->target);
    const T* b = cells<T>(w, i->r[1]);
    const T* c = cells<T>(w, i->r[2]);
    alignas(64) uint32_t shared_at[kLanes] = {};
    uint32_t shared_mask = 0;
    alignas(64) T result[kLanes];
    std::memset(result, 0xff, sizeof(result));
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place =
            resolve(w, i, {f.space, lane, address_of(w, i, f.wide_base, lane), sizeof(T), true});
        if (!place) continue;
        result[lane] = update<T, O>(place->data, b[lane], c[lane], place->space == Space::global);
        if (place->space == Space::shared) {
            shared_at[lane] = static_cast<uint32_t>(place->offset);
            shared_mask |= 1u << lane;
        }
        if (place->allocation == nullptr) continue;
        if (auto& written = place->allocation->written; !written.empty())
            std::memset(written.data() + place->offset, 1, sizeof(T));
        if (w.block->variant == kRecorded) record_global(w, i, lane, *place, sizeof(T));
    }
    if (shared_mask != 0 && w.block->variant != kPlain)
        observe_shared(w, i, {Touching::atomic, shared_mask, sizeof(T), shared_at}, {});
    if (i->r[5] != 0) write_lanes<T>(w, i->r[0], [&](int lane) { return result[lane]; });
    return i + 1;
}

template <class T>
Exec by_operation(AtomOp op) {
    if constexpr (std::is_floating_point_v<T>) {
        return op == AtomOp::add ? atomic<T, AtomOp::add>
            : op == AtomOp::exch ? atomic<T, AtomOp::exch>
                                 : nullptr;
    } else {
        switch (op) {
            case AtomOp::add: return atomic<T, AtomOp::add>;
            case AtomOp::min: return atomic<T, AtomOp::min>;
            case AtomOp::max: return atomic<T, AtomOp::max>;
            case AtomOp::and_: return atomic<T, AtomOp::and_>;
            case AtomOp::or_: return atomic<T, AtomOp::or_>;
            case AtomOp::xor_: return atomic<T, AtomOp::xor_>;
            case AtomOp::exch: return atomic<T, AtomOp::exch>;
            case AtomOp::cas: return atomic<T, AtomOp::cas>;
            case AtomOp::inc: return atomic<T, AtomOp::inc>;
            case AtomOp::dec: return atomic<T, AtomOp::dec>;
            default: return nullptr;
        }
    }
}

Exec by_type(Type t, AtomOp op) {
    switch (t) {
        case Type::u32:
        case Type::b32: return by_operation<uint32_t>(op);
        case Type::s32: return by_operation<int32_t>(op);
        case Type::u64:
        case Type::b64: return by_operation<uint64_t>(op);
        case Type::s64: return by_operation<int64_t>(op);
        case Type::f32: return by_operation<float>(op);
        case Type::f64: return by_operation<double>(op);
        default: return nullptr;
    }
}

}  // namespace

Selected lower_atomic(Lowering& l) {
    const auto& in = *l.in;
    const bool returns = in.op == Op::atom;
    if ((!returns && in.op != Op::red) || in.types.empty() || in.modifiers.vector > 1) return {};
    const Type t = in.types[0];
    const size_t first = returns ? 1 : 0;
    const AddressOperand where =
        address(l, first, in.modifiers.space == Space::none ? Space::generic : in.modifiers.space);
    MemoryForm f;
    f.space = where.space;
    f.wide_base = where.wide;
    f.element = static_cast<uint8_t>(ptx::bytes_of(t));
    l.out.r[0] = returns ? destination(l, 0) : 0;
    l.out.r[1] = source(l, first + 1, t);
    const bool exchanges = in.modifiers.atom_op == AtomOp::cas;
    l.out.r[2] = exchanges ? source(l, first + 2, t) : l.out.r[1];
    l.out.r[4] = where.slot;
    l.out.r[5] = returns ? 1 : 0;
    l.out.offset = where.displacement;
    l.out.target = encode(f);
    return by_type(t, in.modifiers.atom_op);
}

}  // namespace wl::emulator
