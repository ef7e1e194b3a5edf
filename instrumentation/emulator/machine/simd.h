// Lane loops: how an executor reads, computes and writes 32 lanes. The compiler turns each into vector code.
#pragma once

#include "instrumentation/emulator/machine/block.h"

#include <bit>
#include <immintrin.h>
#include <type_traits>

namespace wl::emulator {

// Destination and sources are the same cells or disjoint ones, never shifted against each other.
#define WL_FOR_LANES _Pragma("GCC ivdep") for (int lane = 0; lane < kLanes; ++lane)

// Types narrower than 32 bits live in the low bits of 4-byte cells, zero-extended.
template <class T>
using LaneCell = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;

template <class T>
inline LaneCell<T>* cells(Warp& w, uint32_t slot) {
    return reinterpret_cast<LaneCell<T>*>(w.registers + slot);
}
template <class T>
inline T unpack(LaneCell<T> cell) {
    return static_cast<T>(cell);
}
template <class T>
inline LaneCell<T> pack(T value) {
    if constexpr (sizeof(T) < 4) {
        return static_cast<std::make_unsigned_t<T>>(value);
    } else {
        return value;
    }
}
inline uint32_t& predicate(Warp& w, uint32_t slot) {
    return *reinterpret_cast<uint32_t*>(w.registers + slot);
}
// Reads a predicate operand whose slot carries the negation in bit 0.
inline uint32_t read_predicate(Warp& w, uint32_t slot) {
    const uint32_t value = predicate(w, slot & ~1u);
    return (slot & 1) != 0 ? ~value : value;
}
// Lanes that execute an instruction which handles its guard itself.
inline uint32_t guard_lanes(Warp& w, const Instr* i) {
    return i->guard == kNoGuard ? w.mask : w.mask & read_predicate(w, i->guard);
}
inline void write_predicate(Warp& w, uint32_t slot, uint32_t lanes) {
    uint32_t& p = predicate(w, slot);
    p = (p & ~w.mask) | (lanes & w.mask);
}
inline bool has_lane(uint32_t mask, int lane) { return (mask >> lane & 1) != 0; }
inline int first_lane(uint32_t mask) { return std::countr_zero(mask); }

// d[lane] = value(lane) for the active lanes.
template <class D, class F>
inline void write_lanes(Warp& w, uint32_t slot, F value) {
    LaneCell<D>* d = cells<D>(w, slot);
    if (w.mask == kAllLanes) [[likely]] {
        WL_FOR_LANES d[lane] = pack<D>(value(lane));
        return;
    }
    alignas(64) LaneCell<D> result[kLanes];
    WL_FOR_LANES result[lane] = pack<D>(value(lane));
    const uint32_t mask = w.mask;
    WL_FOR_LANES d[lane] = (mask >> lane & 1) != 0 ? result[lane] : d[lane];
}

// The mask of lanes for which `holds(lane)` is true.
template <class F>
inline uint32_t mask_of(F holds) {
    alignas(64) int32_t truth[kLanes];
    WL_FOR_LANES truth[lane] = holds(lane) ? -1 : 0;
    uint32_t mask = 0;
    for (int k = 0; k < kLanes; k += 8) {
        const __m256 lanes =
            _mm256_castsi256_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(truth + k)));
        mask |= static_cast<uint32_t>(_mm256_movemask_ps(lanes)) << k;
    }
    return mask;
}

// r[0] = f(r[1], r[2], ...), lane by lane.
template <auto F, class D, class A>
const Instr* map1(Warp& w, const Instr* i) {
    const LaneCell<A>* a = cells<A>(w, i->r[1]);
    write_lanes<D>(w, i->r[0], [=](int lane) { return static_cast<D>(F(unpack<A>(a[lane]))); });
    return i + 1;
}
template <auto F, class D, class A, class B = A>
const Instr* map2(Warp& w, const Instr* i) {
    const LaneCell<A>* a = cells<A>(w, i->r[1]);
    const LaneCell<B>* b = cells<B>(w, i->r[2]);
    write_lanes<D>(w, i->r[0], [=](int lane) {
        return static_cast<D>(F(unpack<A>(a[lane]), unpack<B>(b[lane])));
    });
    return i + 1;
}
template <auto F, class D, class A, class B = A, class C = B>
const Instr* map3(Warp& w, const Instr* i) {
    const LaneCell<A>* a = cells<A>(w, i->r[1]);
    const LaneCell<B>* b = cells<B>(w, i->r[2]);
    const LaneCell<C>* c = cells<C>(w, i->r[3]);
    write_lanes<D>(w, i->r[0], [=](int lane) {
        return static_cast<D>(F(unpack<A>(a[lane]), unpack<B>(b[lane]), unpack<C>(c[lane])));
    });
    return i + 1;
}
template <auto F, class D, class A, class B, class C, class E>
const Instr* map4(Warp& w, const Instr* i) {
    const LaneCell<A>* a = cells<A>(w, i->r[1]);
    const LaneCell<B>* b = cells<B>(w, i->r[2]);
    const LaneCell<C>* c = cells<C>(w, i->r[3]);
    const LaneCell<E>* e = cells<E>(w, i->r[4]);
    write_lanes<D>(w, i->r[0], [=](int lane) {
        return static_cast<D>(
            F(unpack<A>(a[lane]), unpack<B>(b[lane]), unpack<C>(c[lane]), unpack<E>(e[lane]))
        );
    });
    return i + 1;
}

}  // namespace wl::emulator
