// Models ld and st of 1 to 4 elements whose lanes are all valid, in shared memory, and in local memory where
// the address is generic, as debug builds have it, or the space is local; anything else goes to the general
// executor. Not modelled: bank conflicts cost nothing here (analysis/banks counts them).
#include "instrumentation/emulator/exec/memory/memory_forms.h"
#include "instrumentation/emulator/exec/memory/stack_access.h"
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

// Eight lanes, a vector for each component. Whole vectors are stored, for the next instruction to load them
// whole: stores of single lanes would have to reach the cache before it can.
template <class T, size_t Count>
inline void eight_lanes(const std::byte* shared, const uint32_t* at, __m256i* out) {
    for (size_t c = 0; c < Count; ++c) {
        const auto cell = [&](size_t lane) {
            return static_cast<int>(static_cast<uint32_t>(fetch<T>(shared + at[lane] + c * sizeof(T))));
        };
        out[c] = _mm256_set_epi32(cell(7), cell(6), cell(5), cell(4), cell(3), cell(2), cell(1), cell(0));
    }
}

// Two elements of 4 bytes a lane.
inline void eight_pairs(const std::byte* shared, const uint32_t* at, __m256i* out) {
    const auto two_lanes = [&](size_t lane) {
        return _mm_unpacklo_epi64(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(shared + at[lane])),
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(shared + at[lane + 1]))
        );
    };
    const __m256 low = _mm256_castsi256_ps(_mm256_set_m128i(two_lanes(4), two_lanes(0)));
    const __m256 high = _mm256_castsi256_ps(_mm256_set_m128i(two_lanes(6), two_lanes(2)));
    out[0] = _mm256_castps_si256(_mm256_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
    out[1] = _mm256_castps_si256(_mm256_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
}

// Four elements of 4 bytes a lane: two transpositions of 4x4 at once.
inline void eight_quads(const std::byte* shared, const uint32_t* at, __m256i* out) {
    const auto two_lanes = [&](size_t lane) {
        return _mm256_set_m128i(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(shared + at[lane + 4])),
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(shared + at[lane]))
        );
    };
    const __m256i r0 = two_lanes(0), r1 = two_lanes(1), r2 = two_lanes(2), r3 = two_lanes(3);
    const __m256i low01 = _mm256_unpacklo_epi32(r0, r1), low23 = _mm256_unpacklo_epi32(r2, r3);
    const __m256i high01 = _mm256_unpackhi_epi32(r0, r1), high23 = _mm256_unpackhi_epi32(r2, r3);
    out[0] = _mm256_unpacklo_epi64(low01, low23), out[1] = _mm256_unpackhi_epi64(low01, low23);
    out[2] = _mm256_unpacklo_epi64(high01, high23), out[3] = _mm256_unpackhi_epi64(high01, high23);
}

template <class T, size_t Count>
void gather_lanes(Warp& w, const Instr* i, const uint32_t* at) {
    alignas(64) LaneCell<T> columns[Count][kLanes];
    const bool whole = w.mask == kAllLanes;
    for (int lane = 0; lane < kLanes; lane += 8) {
        __m256i eight[Count];
        if constexpr (sizeof(T) == 4 && Count == 4)
            eight_quads(w.shared, at + lane, eight);
        else if constexpr (sizeof(T) == 4 && Count == 2)
            eight_pairs(w.shared, at + lane, eight);
        else
            eight_lanes<T, Count>(w.shared, at + lane, eight);
        for (size_t c = 0; c < Count; ++c) {
            LaneCell<T>* to = whole ? cells<T>(w, i->r[c]) : columns[c];
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + lane), eight[c]);
        }
    }
    if (whole) return;
    for (size_t c = 0; c < Count; ++c)
        write_lanes<T>(w, i->r[c], [&](int lane) { return unpack<T>(columns[c][lane]); });
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
    } else if constexpr (sizeof(T) <= 4) {
        gather_lanes<T, Count>(w, i, a.at);
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

// How an address is written: offsets of 32 or 64 bits in the window, or generic.
enum class Written : uint8_t { narrow, wide, generic };

// False: lanes point elsewhere.
template <Written As>
bool addresses_of(Warp& w, const Instr* i, SharedAddresses& out) {
    if constexpr (As != Written::generic) {
        shared_addresses(w, i, As == Written::wide, out);
        return true;
    }
    const uint64_t* base = cells<uint64_t>(w, i->r[4]);
    const uint64_t displacement = static_cast<uint64_t>(i->offset) - kSharedBase;
    const uint64_t active = base[first_lane(w.mask)] + displacement;
    if (active >> 32 != 0) return false;
    const uint32_t mask = w.mask;
    uint64_t all = 0;
    WL_FOR_LANES {
        const uint64_t address = (mask >> lane & 1) != 0 ? base[lane] + displacement : active;
        all |= address;
        out.at[lane] = static_cast<uint32_t>(address);
    }
    out.low = ~0u, out.high = 0, out.bits = static_cast<uint32_t>(all);
    for (const uint32_t at : out.at) {
        out.low = at < out.low ? at : out.low;
        out.high = at > out.high ? at : out.high;
    }
    return all >> 32 == 0;
}

// Alignment of a vector access is that of the whole vector, at most 16 bytes.
template <class T, size_t Count, Written As, bool Hooks>
const Instr* load(Warp& w, const Instr* i) {
    SharedAddresses a;
    if (!addresses_of<As>(w, i, a) || !all_valid(w, a, sizeof(T) * Count)) [[unlikely]] {
        if (As == Written::generic && load_from_stack<T, Count>(w, i, kLocalBase)) return i + 1;
        return load_any(w, i);
    }
    load_lanes<T, Count>(w, i, a);
    if constexpr (Hooks) {
        observe_shared(w, i, {Touching::read, w.mask, sizeof(T) * Count, a.at}, values_of<T, Count>(w, i));
    }
    return i + 1;
}

template <class T, size_t Count, Written As, bool Hooks>
const Instr* store(Warp& w, const Instr* i) {
    SharedAddresses a;
    if (!addresses_of<As>(w, i, a) || !all_valid(w, a, sizeof(T) * Count)) [[unlikely]] {
        if (As == Written::generic && store_to_stack<T, Count>(w, i, kLocalBase)) return i + 1;
        return store_any(w, i);
    }
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

template <class T, size_t Count>
const Instr* load_local(Warp& w, const Instr* i) {
    return load_from_stack<T, Count>(w, i, 0) ? i + 1 : load_any(w, i);
}
template <class T, size_t Count>
const Instr* store_local(Warp& w, const Instr* i) {
    return store_to_stack<T, Count>(w, i, 0) ? i + 1 : store_any(w, i);
}

template <class T, size_t Count, Written As>
Selected variants(bool is_store) {
    if (is_store) return {store<T, Count, As, false>, store<T, Count, As, true>, store<T, Count, As, true>};
    return {load<T, Count, As, false>, load<T, Count, As, true>, load<T, Count, As, true>};
}
template <class T, size_t Count>
Selected by_space(const MemoryForm& f, bool is_store) {
    switch (f.space) {
        case ptx::Space::shared:
            return f.wide_base ? variants<T, Count, Written::wide>(is_store)
                               : variants<T, Count, Written::narrow>(is_store);
        case ptx::Space::generic:
            return f.wide_base ? variants<T, Count, Written::generic>(is_store) : Selected{};
        case ptx::Space::local:
            if (!f.wide_base) return {};
            return is_store ? Exec{store_local<T, Count>} : Exec{load_local<T, Count>};
        default: return {};
    }
}
template <class T>
Selected by_count(const MemoryForm& f, bool is_store) {
    switch (f.count) {
        case 1: return by_space<T, 1>(f, is_store);
        case 2: return by_space<T, 2>(f, is_store);
        case 4:
            if constexpr (sizeof(T) <= 4) return by_space<T, 4>(f, is_store);
            return {};
        default: return {};
    }
}

}  // namespace

Selected select_on_chip(const MemoryForm& f, bool is_store) {
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
