// Models ld.shared and st.shared of 1 to 4 elements whose lanes are all valid; anything else goes to the
// general executor. Not modelled: bank conflicts cost nothing here (analysis/banks counts them).
#include "instrumentation/emulator/exec/memory/memory_forms.h"
#include "instrumentation/emulator/observe/hooks.h"

#include <cstring>
#include <immintrin.h>

namespace wl::emulator {
namespace {

template <class T>
T fetch(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

// Four elements of 4 bytes a lane: 4x4 transpositions from lane order into registers.
inline void gather_quads(Warp& w, const Instr* i, const uint32_t* at) {
    alignas(64) float columns[4][kLanes];
    for (int lane = 0; lane < kLanes; lane += 4) {
        __m128 r0 = _mm_loadu_ps(reinterpret_cast<const float*>(w.shared + at[lane]));
        __m128 r1 = _mm_loadu_ps(reinterpret_cast<const float*>(w.shared + at[lane + 1]));
        __m128 r2 = _mm_loadu_ps(reinterpret_cast<const float*>(w.shared + at[lane + 2]));
        __m128 r3 = _mm_loadu_ps(reinterpret_cast<const float*>(w.shared + at[lane + 3]));
        _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
        _mm_store_ps(columns[0] + lane, r0);
        _mm_store_ps(columns[1] + lane, r1);
        _mm_store_ps(columns[2] + lane, r2);
        _mm_store_ps(columns[3] + lane, r3);
    }
    for (size_t c = 0; c < 4; ++c) write_lanes<float>(w, i->r[c], [&](int lane) { return columns[c][lane]; });
}

template <class T, size_t Count>
void load_lanes(Warp& w, const Instr* i, const SharedAddresses& a) {
    const std::byte* shared = w.shared;
    if (a.low == a.high) {
        for (size_t c = 0; c < Count; ++c) {
            const T value = fetch<T>(shared + a.low + c * sizeof(T));
            write_lanes<T>(w, i->r[c], [=](int) { return value; });
        }
    } else if (sizeof(T) >= 4 && Count == 1 && consecutive(a, sizeof(T))) {
        const std::byte* first = shared + a.low;
        write_lanes<T>(w, i->r[0], [=](int lane) {
            return fetch<T>(first + static_cast<size_t>(lane) * sizeof(T));
        });
    } else if constexpr (sizeof(T) == 4 && Count == 4) {
        gather_quads(w, i, a.at);
    } else {
        for (size_t c = 0; c < Count; ++c)
            write_lanes<T>(w, i->r[c], [&](int lane) {
                return fetch<T>(shared + a.at[lane] + c * sizeof(T));
            });
    }
}

template <class T, size_t Count>
Values values_of(Warp& w, const Instr* i) {
    Values v;
    v.components = Count;
    v.stride = sizeof(LaneCell<T>);
    for (size_t c = 0; c < Count; ++c) v.values[c] = w.registers + i->r[c];
    return v;
}

// Alignment of a vector access is that of the whole vector, at most 16 bytes.
template <class T, size_t Count, bool Wide, bool Hooks>
const Instr* load(Warp& w, const Instr* i) {
    SharedAddresses a;
    shared_addresses(w, i, Wide, a);
    if (!all_valid(w, a, sizeof(T) * Count)) [[unlikely]]
        return load_any(w, i);
    load_lanes<T, Count>(w, i, a);
    if constexpr (Hooks) {
        observe_shared(w, i, {Touching::read, w.mask, sizeof(T) * Count, a.at}, values_of<T, Count>(w, i));
    }
    return i + 1;
}

template <class T, size_t Count, bool Wide, bool Hooks>
const Instr* store(Warp& w, const Instr* i) {
    SharedAddresses a;
    shared_addresses(w, i, Wide, a);
    if (!all_valid(w, a, sizeof(T) * Count)) [[unlikely]]
        return store_any(w, i);
    const SharedTouch touch{Touching::write, w.mask, sizeof(T) * Count, a.at};
    if constexpr (Hooks) observe_shared(w, i, touch, values_of<T, Count>(w, i));
    const LaneCell<T>* source[Count];
    for (size_t c = 0; c < Count; ++c) source[c] = cells<T>(w, i->r[c]);
    const auto put = [&](int lane) {
        T element[Count];
        for (size_t c = 0; c < Count; ++c) element[c] = static_cast<T>(source[c][lane]);
        std::memcpy(w.shared + a.at[lane], element, sizeof(element));
    };
    if (w.mask == kAllLanes) {
        if (Count == 1 && sizeof(T) == 4 && consecutive(a, sizeof(T))) {
            std::memcpy(w.shared + a.low, source[0], kLanes * sizeof(T));
        } else {
            for (int lane = 0; lane < kLanes; ++lane) put(lane);
        }
    } else {
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) put(first_lane(rest));
    }
    if constexpr (Hooks) after_store(w, i, touch);
    return i + 1;
}

template <class T, size_t Count, bool Wide>
Selected variants(bool is_store) {
    if (is_store)
        return {store<T, Count, Wide, false>, store<T, Count, Wide, true>, store<T, Count, Wide, true>};
    return {load<T, Count, Wide, false>, load<T, Count, Wide, true>, load<T, Count, Wide, true>};
}
template <class T>
Selected by_count(const MemoryForm& f, bool is_store) {
    switch (f.count) {
        case 1: return f.wide_base ? variants<T, 1, true>(is_store) : variants<T, 1, false>(is_store);
        case 2: return f.wide_base ? variants<T, 2, true>(is_store) : variants<T, 2, false>(is_store);
        case 4:
            if constexpr (sizeof(T) <= 4)
                return f.wide_base ? variants<T, 4, true>(is_store) : variants<T, 4, false>(is_store);
            return {};
        default: return {};
    }
}

}  // namespace

Selected select_shared(const MemoryForm& f, bool is_store) {
    if (f.wide_cells != (f.element == 8) || (f.is_signed && f.element < 4)) return {};
    switch (f.element) {
        case 1: return by_count<uint8_t>(f, is_store);
        case 2: return by_count<uint16_t>(f, is_store);
        case 4: return by_count<uint32_t>(f, is_store);
        case 8: return by_count<uint64_t>(f, is_store);
        default: return {};
    }
}

}  // namespace wl::emulator
