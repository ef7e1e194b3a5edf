// Changing a word of global memory as one step, across workers: by the host's atomics.
#pragma once

#include "instrumentation/emulator/machine/access.h"

#include <cstring>
#include <mutex>

namespace wl::emulator {

// A first guess in a loop of exchanges: 16 bytes may come torn, and then are not what memory holds.
template <class Word>
Word guess(const std::byte* at) {
    if constexpr (sizeof(Word) <= 8)
        return __atomic_load_n(reinterpret_cast<const Word*>(at), __ATOMIC_RELAXED);
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Whether *at was `old` and became `wanted`; else `old` is what it is.
template <class Word>
bool exchange_if(std::byte* at, Word& old, Word wanted) {
    auto* word = reinterpret_cast<Word*>(at);
    if constexpr (sizeof(Word) == 16) {
        const Word found = __sync_val_compare_and_swap(word, old, wanted);
        const bool same = found == old;
        old = found;
        return same;
    } else {
        return __atomic_compare_exchange_n(word, &old, wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
}

template <class Word, class F>
Word update_alone(std::byte* at, F next) {
    Word old;
    std::memcpy(&old, at, sizeof old);
    const Word wanted = next(old);
    std::memcpy(at, &wanted, sizeof wanted);
    return old;
}

// The host's atomics want aligned words, and the bytes of an allocation begin at a multiple of 16 on the
// host, wherever they do on the device: all words of one whose address there is none are changed one at a
// time.
inline bool is_aligned_alike(const Place& place) {
    const uint64_t address = place.allocation->base + place.offset;
    return ((reinterpret_cast<uintptr_t>(place.data) ^ address) & 15) == 0;
}

inline std::mutex& lock_of_unaligned_words() {
    static std::mutex lock;
    return lock;
}

// What the word `at` bytes into an access was, which becomes what `next` makes of it. Only global memory is
// seen by several workers.
template <class Word, class F>
Word update(const Place& place, size_t at, F next) {
    std::byte* const word = place.data + at;
    if (place.allocation == nullptr) return update_alone<Word>(word, next);
    if (!is_aligned_alike(place)) {
        const std::scoped_lock lock(lock_of_unaligned_words());
        return update_alone<Word>(word, next);
    }
    Word old = guess<Word>(word);
    while (!exchange_if(word, old, next(old))) {}
    return old;
}

}  // namespace wl::emulator
