// Two cells in one vector (AVX2), for the files compiled with it. Internal to the shadow.
#pragma once

#include "instrumentation/emulator/shadow/shadow_cell.h"

#include <immintrin.h>

namespace wl::emulator {

constexpr uint32_t kAny = ~0u;

// The same four fields for both cells of a vector.
inline __m256i fields(uint32_t writer, uint32_t sites, uint32_t readers, uint32_t mask) {
    return _mm256_broadcastsi128_si256(_mm_set_epi32(int(mask), int(readers), int(sites), int(writer)));
}

inline __m256i load(const Cell* cell) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cell)); }
inline void store(Cell* cell, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(cell), x); }
inline __m256i is_zero(__m256i x) { return _mm256_cmpeq_epi32(x, _mm256_setzero_si256()); }
inline __m256i at_most(__m256i x, __m256i limit) {
    return _mm256_cmpeq_epi32(_mm256_max_epu32(x, limit), limit);
}
inline bool all(__m256i x) { return _mm256_movemask_epi8(x) == -1; }
inline bool none(__m256i x) { return _mm256_testz_si256(x, x) != 0; }

// Which 16-bit halves of a cell an update takes from the new value, for _mm256_blend_epi16.
constexpr int kWriterHalves = 0x0b;   // writer and its site
constexpr int kReadersHalves = 0xf4;  // readers, their mask and site
constexpr int kReadersSameSiteHalves = 0xf0;

// Walks over the pairs of a run: for the current pair, the lanes' bits at the place of the readers' mask and
// the lanes at the place of the writer's lane.
template <RunShape kShape>
struct LaneWalk {
    __m256i masks, writers;

    // `lanes`: all of them, or the lane of the first cell.
    explicit LaneWalk(uint32_t lanes) {
        constexpr bool kTwo = kShape == RunShape::lane_a_word;  // the second cell is the next lane's
        uint32_t first = lanes, second = kTwo ? lanes << 1 : lanes;
        if (kShape == RunShape::halves) first = halves_of(0), second = halves_of(1);
        const int lane =
            kShape == RunShape::all_lanes || kShape == RunShape::halves ? 0 : std::countr_zero(lanes);
        masks = _mm256_set_epi32(int(second), 0, 0, 0, int(first), 0, 0, 0);
        writers = _mm256_set_epi32(0, 0, 0, (lane + kTwo) << 2, 0, 0, 0, lane << 2);
    }

    uint32_t mask(uint32_t cell) const {
        return uint32_t(cell ? _mm256_extract_epi32(masks, 7) : _mm256_extract_epi32(masks, 3));
    }

    // Kept as pieces: word i holds the halves of lanes 2i and 2i + 1.
    static uint32_t halves_of(uint32_t word) { return 2 * word * 0x8421 + 0x8400; }

    void next(uint32_t pair) {
        if constexpr (kShape == RunShape::halves) {
            masks = _mm256_add_epi32(masks, fields(0, 0, 0, 4 * 0x8421));
        } else if constexpr (kShape == RunShape::lane_a_word) {
            masks = _mm256_slli_epi32(masks, 2);
            writers = _mm256_add_epi32(writers, fields(2 << 2, 0, 0, 0));
        } else if constexpr (kShape != RunShape::all_lanes) {
            if (kShape == RunShape::lane_4_words && pair % 2 == 0) return;
            masks = _mm256_slli_epi32(masks, 1);
            writers = _mm256_add_epi32(writers, fields(1 << 2, 0, 0, 0));
        }
    }
};

// Words of a run that lies over all lanes; 0: as many as it says.
constexpr uint32_t words_of(RunShape shape) {
    switch (shape) {
        case RunShape::lane_a_word: return 32;
        case RunShape::lane_2_words: return 64;
        case RunShape::lane_4_words: return 128;
        case RunShape::halves: return 16;
        default: return 0;
    }
}

constexpr bool one_lane_a_word(RunShape shape) {
    return shape != RunShape::all_lanes && shape != RunShape::halves;
}

// Which fields of a pair are ordered before its lanes, where the writer and the readers are of the same warp.
template <RunShape kShape>
__m256i own_ordered(__m256i x, const Actor& actor, const LaneWalk<kShape>& lanes) {
    const __m256i key = _mm256_or_si256(fields(actor.key, 0, actor.key, 0), lanes.writers);
    const __m256i difference = _mm256_xor_si256(x, key);
    const __m256i same_warp = is_zero(
        _mm256_and_si256(difference, fields(kWarpField | kSeveral, kAny, kWarpField | kModeField, kAny))
    );
    __m256i ordered = at_most(x, fields(actor.lanes_limit, 0, actor.lanes_limit, 0));
    if (one_lane_a_word(kShape)) {
        const __m256i same_writer = is_zero(_mm256_and_si256(difference, fields(0xfff, kAny, kAny, kAny)));
        // Only this lane among the readers: the answer of the mask's place, moved to the readers' place.
        const __m256i only_reader = _mm256_srli_epi64(is_zero(_mm256_andnot_si256(lanes.masks, x)), 32);
        ordered = _mm256_or_si256(ordered, same_writer);
        ordered = _mm256_or_si256(ordered, _mm256_and_si256(only_reader, fields(0, 0, kAny, 0)));
    }
    return _mm256_and_si256(ordered, same_warp);
}

// The places of a pair in _mm256_movemask_ps.
constexpr int kWriters = 0x11, kReaders = 0x44, kMasks = 0x88;

inline int places(__m256i x) { return _mm256_movemask_ps(_mm256_castsi256_ps(x)); }

}  // namespace wl::emulator
