// Models ld.global and st.global of 1 to 4 elements whose lanes all lie in one allocation; anything else goes
// to the general executor. Not modelled: caches and their modifiers; a volatile or relaxed access is a plain
// one.
#include "instrumentation/emulator/exec/memory/memory_forms.h"
#include "instrumentation/emulator/observe/hooks.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

template <class T>
T fetch(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

bool all_written(const Warp& w, const GlobalAddresses& a, uint32_t bytes) {
    const auto& written = a.allocation->written;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const auto first = written.begin() + static_cast<std::ptrdiff_t>(a.at[first_lane(rest)]);
        if (std::find(first, first + bytes, uint8_t{0}) != first + bytes) return false;
    }
    return true;
}

template <class T, size_t Count, bool Hooks>
const Instr* load(Warp& w, const Instr* i) {
    constexpr uint32_t kBytes = sizeof(T) * Count;
    GlobalAddresses a;
    if (!global_addresses(w, i, kBytes, a)) [[unlikely]]
        return load_any(w, i);
    if constexpr (Hooks) {
        if (!a.allocation->written.empty() && !all_written(w, a, kBytes)) [[unlikely]]
            return load_any(w, i);
    }
    const std::byte* data = a.allocation->bytes.data();
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
    const LaneCell<T>* source[Count];
    for (size_t c = 0; c < Count; ++c) source[c] = cells<T>(w, i->r[c]);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        T element[Count];
        for (size_t c = 0; c < Count; ++c) element[c] = static_cast<T>(source[c][lane]);
        std::memcpy(data + a.at[lane], element, sizeof(element));
    }
    if (auto& written = a.allocation->written; !written.empty()) {
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1)
            std::memset(written.data() + a.at[first_lane(rest)], 1, kBytes);
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
