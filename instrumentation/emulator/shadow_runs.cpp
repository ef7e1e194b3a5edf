// Runs of words that are all in one common state, two cells a vector (AVX2).
#include "instrumentation/emulator/shadow_cell.h"

#include <immintrin.h>

namespace wl::emulator {

namespace {

// The same four fields for both cells of a vector.
__m256i fields(uint32_t writer, uint32_t sites, uint32_t readers, uint32_t mask) {
    return _mm256_broadcastsi128_si256(_mm_set_epi32(int(mask), int(readers), int(sites), int(writer)));
}

__m256i load(const Cell* cell) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cell)); }
void store(Cell* cell, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(cell), x); }
__m256i zero(__m256i x) { return _mm256_cmpeq_epi32(x, _mm256_setzero_si256()); }
__m256i at_most(__m256i x, __m256i limit) { return _mm256_cmpeq_epi32(_mm256_max_epu32(x, limit), limit); }
bool all(__m256i x) { return _mm256_movemask_epi8(x) == -1; }

constexpr uint32_t kAny = ~0u;

// The lane of each cell of pair `i`, and its bit, at their places in a vector: writer's field, readers' mask.
template <uint32_t kPerLane>
struct Lanes {
    uint32_t lanes;

    uint32_t bit(uint32_t cell) const { return kPerLane ? 1u << (cell / (kPerLane ? kPerLane : 1)) : lanes; }

    __m256i masks(uint32_t pair) const {
        return _mm256_set_epi32(int(bit(2 * pair + 1)), 0, 0, 0, int(bit(2 * pair)), 0, 0, 0);
    }

    __m256i writers(uint32_t pair) const {
        static_assert(kPerLane <= 4);
        constexpr uint32_t kWords = kPerLane ? kPerLane : 1;
        const uint32_t low = 2 * pair / kWords, high = (2 * pair + 1) / kWords;
        return _mm256_set_epi32(0, 0, 0, int(high << 2), 0, 0, 0, int(low << 2));
    }
};

// Which fields of a pair are ordered before its lanes, where the writer and the readers are of the same warp.
template <class LanesOf>
__m256i own_ordered(__m256i x, const Actor& actor, const LanesOf& lanes, uint32_t pair, bool one_lane) {
    const __m256i key = _mm256_or_si256(fields(actor.key, 0, actor.key, 0), lanes.writers(pair));
    const __m256i difference = _mm256_xor_si256(x, key);
    const __m256i same_warp =
        zero(_mm256_and_si256(difference, fields(kWarpField | kSeveral, kAny, kWarpField | kModeField, kAny))
        );
    const __m256i synced = at_most(x, fields(actor.lanes_limit, 0, actor.lanes_limit, 0));
    __m256i ordered = synced;
    if (one_lane) {
        const __m256i same_writer = zero(_mm256_and_si256(difference, fields(0xfff, kAny, kAny, kAny)));
        // Only this lane among the readers: the answer of the mask's place, moved to the readers' place.
        const __m256i others = _mm256_andnot_si256(lanes.masks(pair), x);
        const __m256i only_reader = _mm256_srli_epi64(zero(others), 32);
        ordered = _mm256_or_si256(ordered, same_writer);
        ordered = _mm256_or_si256(ordered, _mm256_and_si256(only_reader, fields(0, 0, kAny, 0)));
    }
    return _mm256_and_si256(ordered, same_warp);
}

template <class LanesOf>
void replace_readers(Cell* cells, const Actor& actor, const Run& run, const LanesOf& lanes) {
    const __m256i readers = fields(0, actor.dense, actor.key | kWholeWord << 3, 0);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        const __m256i next = _mm256_or_si256(readers, lanes.masks(pair));
        store(cells + 2 * pair, _mm256_blend_epi16(load(cells + 2 * pair), next, 0xf4));
    }
}

struct Readable {
    bool writers = false;  // all are ordered before their lanes
    bool readers = false;  // and all readers as well, so that these lanes may take their place
};

template <class LanesOf>
Readable readable_cells(
    const Cell* cells, const Actor& actor, const Run& run, const LanesOf& lanes, bool one_lane
) {
    const __m256i one = fields(1, 0, 0, 0);
    const __m256i limit = fields(actor.limit - 1, kAny, actor.limit, kAny);
    __m256i ok = _mm256_set1_epi32(-1);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        const __m256i x = load(cells + 2 * pair);
        const __m256i older = at_most(_mm256_sub_epi32(x, one), limit);
        const __m256i written = _mm256_or_si256(x, fields(0, kAny, kAny, kAny));
        const __m256i own = _mm256_andnot_si256(zero(written), own_ordered(x, actor, lanes, pair, one_lane));
        ok = _mm256_and_si256(ok, _mm256_or_si256(older, own));
    }
    const __m256i writers = _mm256_or_si256(ok, fields(0, kAny, kAny, kAny));
    return {.writers = all(writers), .readers = all(ok)};
}

// Are the readers of all cells those of the first; and, if `masks`, their masks as well?
bool same_readers(const Cell* cells, const Run& run, bool masks) {
    const __m256i first = fields(0, 0, cells[0].readers, cells[0].reader_mask);
    const __m256i matter = fields(0, 0, kAny, masks ? kAny : 0);
    __m256i different = _mm256_setzero_si256();
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        const __m256i x = _mm256_xor_si256(load(cells + 2 * pair), first);
        different = _mm256_or_si256(different, _mm256_and_si256(x, matter));
    }
    return _mm256_testz_si256(different, different) != 0;
}

// Every cell is read by its own lanes already, in this interval.
template <class LanesOf>
bool known_readers(const Cell* cells, const Actor& actor, const Run& run, const LanesOf& lanes) {
    if (cells[0].readers != (actor.key | kWholeWord << 3) || !same_readers(cells, run, false)) return false;
    __m256i missing = _mm256_setzero_si256();
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        missing = _mm256_or_si256(missing, _mm256_andnot_si256(load(cells + 2 * pair), lanes.masks(pair)));
    }
    return _mm256_testz_si256(missing, missing) != 0;
}

// The first cell's step to `kByWarps`, or further there, is the step of all.
template <class LanesOf>
bool join_all(Shadow& shadow, const Actor& actor, const Run& run, const LanesOf& lanes) {
    Cell* cells = shadow.cells.data() + run.first;
    const Cell before = cells[0];
    if (before.readers <= actor.limit || before.readers >= kSpecial) return false;
    const bool by_warps = mode_of(before.readers) == kByWarps;
    const bool other_warp = mode_of(before.readers) == kByLanes && !(before.readers & kNoted) &&
        warp_of(before.readers) != actor.warp;
    if ((!by_warps && !other_warp) || !same_readers(cells, run, by_warps)) return false;
    if (!join_readers(shadow, run.first, actor, {kByLanes, kWholeWord, lanes.bit(0)})) return false;
    const Cell after = cells[0];
    const auto note = std::bit_cast<WarpsNote>(shadow.notes[run.first]);
    if (after.readers == before.readers && after.reader_mask == before.reader_mask) return true;
    const __m256i next = fields(0, 0, after.readers, after.reader_mask);
    for (uint32_t cell = 1; !by_warps && cell < run.words; ++cell) {
        WarpsNote own = note;
        own.first_lanes = cells[cell].reader_mask;
        own.second_lane = uint8_t(std::countr_zero(lanes.bit(cell)));
        shadow.notes[run.first + cell] = std::bit_cast<uint64_t>(own);
    }
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        store(cells + 2 * pair, _mm256_blend_epi16(load(cells + 2 * pair), next, 0xf0));
    }
    return true;
}

template <uint32_t kPerLane>
bool read_cells(Shadow& shadow, const Actor& actor, const Run& run) {
    Cell* cells = shadow.cells.data() + run.first;
    const Lanes<kPerLane> lanes{run.lanes};
    const __m256i one = fields(1, 0, 0, 0);
    const __m256i limit = fields(actor.limit - 1, kAny, actor.limit, kAny);
    __m256i ok = _mm256_set1_epi32(-1);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        ok = _mm256_and_si256(ok, at_most(_mm256_sub_epi32(load(cells + 2 * pair), one), limit));
    }
    if (all(ok)) {
        replace_readers(cells, actor, run, lanes);
        return true;
    }
    const Readable readable = readable_cells(cells, actor, run, lanes, kPerLane != 0);
    if (!readable.writers) return false;
    if (known_readers(cells, actor, run, lanes)) return true;
    if (!readable.readers) return join_all(shadow, actor, run, lanes);
    replace_readers(cells, actor, run, lanes);
    return true;
}

template <uint32_t kPerLane>
bool write_cells(Shadow& shadow, const Actor& actor, const Run& run) {
    Cell* cells = shadow.cells.data() + run.first;
    const Lanes<kPerLane> lanes{run.lanes};
    const __m256i limit = fields(actor.limit, kAny, actor.limit, kAny);
    __m256i ok = _mm256_set1_epi32(-1);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        ok = _mm256_and_si256(ok, at_most(load(cells + 2 * pair), limit));
    }
    if (!all(ok)) {
        ok = _mm256_set1_epi32(-1);
        for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
            const __m256i x = load(cells + 2 * pair);
            const __m256i own = own_ordered(x, actor, lanes, pair, true);
            ok = _mm256_and_si256(ok, _mm256_or_si256(at_most(x, limit), own));
        }
        if (!all(ok)) return false;
    }
    const __m256i writer = fields(actor.key, actor.dense << 16, 0, 0);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        const __m256i next = _mm256_or_si256(writer, lanes.writers(pair));
        store(cells + 2 * pair, _mm256_blend_epi16(load(cells + 2 * pair), next, 0x0b));
    }
    return true;
}

}  // namespace

bool read_run(Shadow& shadow, const Actor& actor, const Run& run) {
    switch (run.per_lane) {
        case 0: return read_cells<0>(shadow, actor, run);
        case 1: return read_cells<1>(shadow, actor, run);
        case 2: return read_cells<2>(shadow, actor, run);
        default: return read_cells<4>(shadow, actor, run);
    }
}

bool write_run(Shadow& shadow, const Actor& actor, const Run& run) {
    switch (run.per_lane) {
        case 1: return write_cells<1>(shadow, actor, run);
        case 2: return write_cells<2>(shadow, actor, run);
        default: return write_cells<4>(shadow, actor, run);
    }
}

}  // namespace wl::emulator
