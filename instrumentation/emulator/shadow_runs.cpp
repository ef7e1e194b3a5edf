// Runs of words, two cells a vector (AVX2).
#include "instrumentation/emulator/shadow_vector.h"

#include <cassert>

namespace wl::emulator {

namespace {

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

int places(__m256i x) { return _mm256_movemask_ps(_mm256_castsi256_ps(x)); }

// Reads pairs of whole words; what a pair's common states do not cover goes word by word.
template <RunShape kShape>
struct PairReader {
    Shadow& shadow;
    const Actor& actor;
    const uint32_t readers =
        actor.key | kWholeWord << 3 | (kShape == RunShape::halves ? kByPieces : kByLanes) << 1;
    const __m256i one = fields(1, 0, 0, 0);
    const __m256i limit = fields(actor.limit - 1, kAny, actor.limit, kAny);
    const __m256i next = fields(0, actor.dense, readers, 0);
    const __m256i by_warps = fields(0, 0, actor.key | kWholeWord << 3 | kByWarps << 1, 0);
    const __m256i any_warp = fields(0, 0, ~kWarpField, 0);
    const __m256i own_warp = fields(0, 0, 0, 1u << actor.warp);

    void read(uint32_t word, const LaneWalk<kShape>& lanes) const {
        Cell* cells = shadow.cells.data() + word;
        const __m256i x = load(cells);
        int before = places(at_most(_mm256_sub_epi32(x, one), limit));
        if (before == 0xff) return replace(word, x, lanes);
        const bool several =
            places(is_zero(_mm256_and_si256(_mm256_xor_si256(x, by_warps), any_warp))) == 0xff;
        if (several && (before & kWriters) == kWriters) return store(cells, _mm256_or_si256(x, own_warp));
        const int written = ~places(is_zero(x)) | ~kWriters;
        before |= places(own_ordered<kShape>(x, actor, lanes)) & written;
        if ((before & kWriters) != kWriters) return read_apart(word, lanes);
        if (several) return store(cells, _mm256_or_si256(x, own_warp));
        if (known(x, lanes)) return;
        if (before == 0xff) return replace(word, x, lanes);
        if (!join_other_warp(word, x, lanes)) read_apart(word, lanes);
    }

    void replace(uint32_t word, __m256i x, const LaneWalk<kShape>& lanes) const {
        const __m256i own = _mm256_or_si256(next, lanes.masks);
        store(shadow.cells.data() + word, _mm256_blend_epi16(x, own, kReadersHalves));
        if constexpr (kShape == RunShape::halves) {
            const auto site = uint16_t(actor.dense);
            const auto note = std::bit_cast<uint64_t>(PiecesNote{
                {site, site, site, site}
            });
            shadow.notes[word] = shadow.notes[word + 1] = note;
        }
    }

    // Did these lanes read the words in this interval already?
    bool known(__m256i x, const LaneWalk<kShape>& lanes) const {
        const __m256i expected = _mm256_or_si256(next, lanes.masks);
        __m256i different = _mm256_xor_si256(x, expected);
        if (kShape != RunShape::halves) {
            different = _mm256_and_si256(different, _mm256_or_si256(lanes.masks, fields(0, 0, kAny, 0)));
        }
        constexpr int kBoth = kReaders | kMasks;
        return (places(is_zero(different)) & kBoth) == kBoth;
    }

    // Lanes of one other warp have read the words in an interval with this one's stamp: the second warp
    // joins.
    bool join_other_warp(uint32_t word, __m256i x, const LaneWalk<kShape>& lanes) const {
        const __m256i other = _mm256_xor_si256(x, fields(0, 0, readers, 0));
        if (places(is_zero(_mm256_and_si256(other, any_warp))) != 0xff) return false;
        if (places(is_zero(_mm256_and_si256(other, fields(0, 0, kWarpField, 0)))) & kReaders) return false;
        for (uint32_t i = 0; i < 2; ++i) {
            Cell& cell = shadow.cells[word + i];
            WarpsNote note{
                .first_lanes = cell.reader_mask,
                .second_site = uint16_t(actor.dense),
                .second_warp = uint8_t(actor.warp),
                .second_lane = uint8_t(std::countr_zero(lanes.mask(i)))};
            if (kShape == RunShape::halves) {
                const auto pieces = std::bit_cast<PiecesNote>(shadow.notes[word + i]);
                cell.sites = (cell.sites & 0xffff0000) | pieces.site[0];
                note.first_lanes = 0;
                note.second_lane = 255;
            }
            shadow.notes[word + i] = std::bit_cast<uint64_t>(note);
            cell.reader_mask = 1u << warp_of(cell.readers) | 1u << actor.warp;
            cell.readers = (cell.readers & ~kModeField) | kByWarps << 1;
        }
        return true;
    }

    void read_apart(uint32_t word, const LaneWalk<kShape>& lanes) const {
        for (uint32_t i = 0; i < 2; ++i) {
            const uint32_t mask = lanes.mask(i);
            if constexpr (kShape == RunShape::halves) {
                read_part(shadow, actor, {word + i, 3, 1u << (mask & 31)});
                read_part(shadow, actor, {word + i, 12, 1u << (mask >> 10 & 31)});
            } else {
                read_part(shadow, actor, {word + i, kWholeWord, mask});
            }
        }
    }

    static void store(Cell* cell, __m256i x) { emulator::store(cell, x); }
};

template <RunShape kShape>
void read_cells(Shadow& shadow, const Actor& actor, const Run& run) {
    const PairReader<kShape> reader{shadow, actor};
    LaneWalk<kShape> lanes(run.lanes);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair, lanes.next(pair - 1)) {
        reader.read(run.first + 2 * pair, lanes);
    }
}

template <RunShape kShape, bool kOwn>
bool all_writable(const Cell* cells, const Actor& actor, const Run& run) {
    const __m256i limit = fields(actor.limit, kAny, actor.limit, kAny);
    __m256i before = _mm256_set1_epi32(-1);
    LaneWalk<kShape> lanes(run.lanes);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        const __m256i x = load(cells + 2 * pair);
        __m256i ok = at_most(x, limit);
        if constexpr (kOwn) {
            ok = _mm256_or_si256(ok, own_ordered<kShape>(x, actor, lanes));
            lanes.next(pair);
        }
        before = _mm256_and_si256(before, ok);
    }
    return all(before);
}

template <RunShape kShape>
bool write_cells(Shadow& shadow, const Actor& actor, const Run& run) {
    Cell* cells = shadow.cells.data() + run.first;
    const bool older = cells->writer <= actor.limit && cells->readers <= actor.limit;
    if (!(older && all_writable<kShape, false>(cells, actor, run)) &&
        !all_writable<kShape, true>(cells, actor, run)) {
        return false;
    }
    LaneWalk<kShape> lanes(run.lanes);
    const __m256i writer = fields(actor.key, actor.dense << 16, 0, 0);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair, lanes.next(pair - 1)) {
        const __m256i next = _mm256_or_si256(writer, lanes.writers);
        store(cells + 2 * pair, _mm256_blend_epi16(load(cells + 2 * pair), next, kWriterHalves));
    }
    return true;
}

bool write_halves(Shadow& shadow, const Actor& actor, const Run& run) {
    Cell* cells = shadow.cells.data() + run.first;
    if (!all_writable<RunShape::halves, false>(cells, actor, run)) return false;
    const auto site = uint16_t(actor.dense);
    for (uint32_t word = 0; word < run.words; ++word) {
        const uint32_t low = actor.key | 2 * word << 2, high = low + (1 << 2);
        shadow.split[run.first + word] = {
            {low,  low,  high, high},
            {site, site, site, site}
        };
        set_writer(cells[word], high | kSplit, actor.dense);
    }
    return true;
}

}  // namespace

void read_run(Shadow& shadow, const Actor& actor, const Run& run) {
    switch (run.shape) {
        case RunShape::all_lanes: return read_cells<RunShape::all_lanes>(shadow, actor, run);
        case RunShape::lane_a_word: return read_cells<RunShape::lane_a_word>(shadow, actor, run);
        case RunShape::lane_2_words: return read_cells<RunShape::lane_2_words>(shadow, actor, run);
        case RunShape::lane_4_words: return read_cells<RunShape::lane_4_words>(shadow, actor, run);
        case RunShape::halves: return read_cells<RunShape::halves>(shadow, actor, run);
    }
}

void read_rows(Shadow& shadow, const RowsAccess& access) {
    assert(access.offset % 4 == 0 && access.bytes % 4 == 0 && access.stride % 4 == 0);
    const Actor actor = make_actor(shadow, AccessKind::read, access.warp, access.site);
    const PairReader<RunShape::all_lanes> reader{shadow, actor};
    const LaneWalk<RunShape::all_lanes> lanes(access.mask);
    for (uint32_t row = 0; row < access.rows; ++row) {
        const uint32_t first = (access.offset + row * access.stride) / 4, words = access.bytes / 4;
        for (uint32_t word = first; word + 1 < first + words; word += 2) reader.read(word, lanes);
        if (words % 2) read_part(shadow, actor, {first + words - 1, kWholeWord, access.mask});
    }
}

void read_wide(Shadow& shadow, const Actor& actor) {
    const WarpAccess& access = *actor.access;
    const PairReader<RunShape::all_lanes> together{shadow, actor};
    const PairReader<RunShape::lane_2_words> alone{shadow, actor};
    for (uint32_t rest = access.mask; rest;) {
        const uint32_t address = access.addresses[std::countr_zero(rest)];
        uint32_t lanes = 0;
        for (; rest && access.addresses[std::countr_zero(rest)] == address; rest &= rest - 1)
            lanes |= rest & -rest;
        const bool one = std::has_single_bit(lanes);
        for (uint32_t word = address / 4; word < (address + access.bytes) / 4; word += 2) {
            one ? alone.read(word, LaneWalk<RunShape::lane_2_words>(lanes))
                : together.read(word, LaneWalk<RunShape::all_lanes>(lanes));
        }
    }
}

bool write_run(Shadow& shadow, const Actor& actor, const Run& run) {
    switch (run.shape) {
        case RunShape::lane_a_word: return write_cells<RunShape::lane_a_word>(shadow, actor, run);
        case RunShape::lane_2_words: return write_cells<RunShape::lane_2_words>(shadow, actor, run);
        case RunShape::lane_4_words: return write_cells<RunShape::lane_4_words>(shadow, actor, run);
        case RunShape::halves: return write_halves(shadow, actor, run);
        case RunShape::all_lanes: break;
    }
    return false;
}

}  // namespace wl::emulator
