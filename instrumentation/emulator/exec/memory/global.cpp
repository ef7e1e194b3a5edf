// Models ld.global and st.global of 1 to 4 elements whose lanes all lie in one allocation; anything else goes
// to the general executor. Not modelled: caches and their modifiers; a volatile or relaxed access is a plain
// one.
#include "instrumentation/emulator/exec/memory/memory_forms.h"
#include "instrumentation/emulator/observe/hooks.h"

#include <cstring>

namespace wl::emulator {
namespace {

template <class T>
T fetch(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

// Lane k points `Bytes` past lane k-1. Lanes that do not count repeat one that does: then all count.
template <uint32_t Bytes>
bool in_a_row(const GlobalAddresses& a) {
    if (a.high - a.low != Bytes * (kLanes - 1)) return false;
    uint64_t differ = 0;
    WL_FOR_LANES differ |= a.at[lane] ^ (a.low + static_cast<uint64_t>(lane) * Bytes);
    return differ == 0;
}

template <uint32_t Bytes>
struct FlagsOf {
    using Type = uint64_t;
};
template <>
struct FlagsOf<1> {
    using Type = uint8_t;
};
template <>
struct FlagsOf<2> {
    using Type = uint16_t;
};
template <>
struct FlagsOf<4> {
    using Type = uint32_t;
};

// Flags are 0 or 1, one a byte.
template <uint32_t Bytes>
bool all_written(const GlobalAddresses& a) {
    using Flags = typename FlagsOf<Bytes>::Type;
    constexpr auto kAll = static_cast<Flags>(0x0101010101010101);
    const auto* written = reinterpret_cast<const std::byte*>(a.allocation->written.data());
    Flags all = kAll;
    if (a.high - a.low == Bytes * (kLanes - 1)) {  // mostly a row, and with it all that lies between
        for (uint32_t k = 0; k < Bytes * kLanes; k += sizeof(Flags)) all &= fetch<Flags>(written + a.low + k);
        if (all == kAll) return true;
        all = kAll;
    }
    for (const uint64_t at : a.at)
        for (uint32_t k = 0; k < Bytes; k += sizeof(Flags)) all &= fetch<Flags>(written + at + k);
    return all == kAll;
}

template <class T, size_t Count, bool Hooks>
const Instr* load(Warp& w, const Instr* i) {
    constexpr uint32_t kBytes = sizeof(T) * Count;
    GlobalAddresses a;
    if (!global_addresses(w, i, kBytes, a)) [[unlikely]]
        return load_any(w, i);
    if constexpr (Hooks) {
        if (!a.allocation->written.empty() && !all_written<kBytes>(a)) [[unlikely]]
            return load_any(w, i);
    }
    const std::byte* data = a.allocation->bytes.data();
    if (Count == 1 && in_a_row<kBytes>(a)) {
        const std::byte* row = data + a.low;
        write_lanes<T>(w, i->r[0], [=](int lane) {
            return fetch<T>(row + static_cast<size_t>(lane) * sizeof(T));
        });
        return i + 1;
    }
    if (a.low == a.high) {
        for (size_t c = 0; c < Count; ++c) {
            const T value = fetch<T>(data + a.low + c * sizeof(T));
            write_lanes<T>(w, i->r[c], [=](int) { return value; });
        }
        return i + 1;
    }
    for (size_t c = 0; c < Count; ++c)
        write_lanes<T>(w, i->r[c], [&](int lane) { return fetch<T>(data + a.at[lane] + c * sizeof(T)); });
    return i + 1;
}

template <class T, size_t Count>
const Instr* store(Warp& w, const Instr* i) {
    constexpr uint32_t kBytes = sizeof(T) * Count;
    GlobalAddresses a;
    if (!global_addresses(w, i, kBytes, a)) [[unlikely]]
        return store_any(w, i);
    std::byte* data = a.allocation->bytes.data();
    uint8_t* written = a.allocation->written.empty() ? nullptr : a.allocation->written.data();
    const LaneCell<T>* source[Count];
    for (size_t c = 0; c < Count; ++c) source[c] = cells<T>(w, i->r[c]);
    if (in_a_row<kBytes>(a)) {
        alignas(64) T row[kLanes * Count];
        for (size_t c = 0; c < Count; ++c)
            WL_FOR_LANES row[static_cast<size_t>(lane) * Count + c] = static_cast<T>(source[c][lane]);
        std::memcpy(data + a.low, row, sizeof(row));
        if (written != nullptr) std::memset(written + a.low, 1, sizeof(row));
        return i + 1;
    }
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        T element[Count];
        for (size_t c = 0; c < Count; ++c) element[c] = static_cast<T>(source[c][lane]);
        std::memcpy(data + a.at[lane], element, sizeof(element));
        if (written != nullptr) std::memset(written + a.at[lane], 1, kBytes);
    }
    return i + 1;
}

template <class T, size_t Count>
Selected variants(bool is_store) {
    if (is_store) return {store<T, Count>, store<T, Count>, store_any};
    return {load<T, Count, false>, load<T, Count, true>, load<T, Count, true>};
}
template <class T>
Selected by_count(const MemoryForm& f, bool is_store) {
    switch (f.count) {
        case 1: return variants<T, 1>(is_store);
        case 2: return variants<T, 2>(is_store);
        case 4:
            if constexpr (sizeof(T) <= 4) return variants<T, 4>(is_store);
            return {};
        default: return {};
    }
}

}  // namespace

Selected select_global(const MemoryForm& f, bool is_store) {
    if (!f.wide_base || f.wide_cells != (f.element == 8) || (f.is_signed && f.element < 4)) return {};
    switch (f.element) {
        case 1: return by_count<uint8_t>(f, is_store);
        case 2: return by_count<uint16_t>(f, is_store);
        case 4: return by_count<uint32_t>(f, is_store);
        case 8: return by_count<uint64_t>(f, is_store);
        default: return {};
    }
}

}  // namespace wl::emulator
