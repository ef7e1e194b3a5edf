// Reads of runs and pairs of words, two cells a vector (AVX2).
#include "instrumentation/emulator/program/program.h"
#include "instrumentation/emulator/shadow/shadow_vector.h"

#include <cassert>

namespace wl::emulator {

namespace {

// Two words, read by the first and the second cell's lanes of a LaneWalk.
struct Words {
    uint32_t at[2];
};

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

    void read(const Words& words, const LaneWalk<kShape>& lanes) const {
        const __m256i x = load(words);
        int before = places(at_most(_mm256_sub_epi32(x, one), limit));
        if (before == 0xff) return replace(words, x, lanes);
        const bool several =
            places(is_zero(_mm256_and_si256(_mm256_xor_si256(x, by_warps), any_warp))) == 0xff;
        if (several && (before & kWriters) == kWriters) return store(words, _mm256_or_si256(x, own_warp));
        const int written = ~places(is_zero(x)) | ~kWriters;
        before |= places(own_ordered<kShape>(x, actor, lanes)) & written;
        if ((before & kWriters) != kWriters) return read_apart(words, lanes);
        if (several) return store(words, _mm256_or_si256(x, own_warp));
        if (known(x, lanes)) return;
        if (before == 0xff) return replace(words, x, lanes);
        if (!join_other_warp(words, x, lanes)) read_apart(words, lanes);
    }

    void replace(const Words& words, __m256i x, const LaneWalk<kShape>& lanes) const {
        const __m256i own = _mm256_or_si256(next, lanes.masks);
        store(words, _mm256_blend_epi16(x, own, kReadersHalves));
        if constexpr (kShape == RunShape::halves) {
            const auto site = uint16_t(actor.dense);
            const auto note = std::bit_cast<uint64_t>(PiecesNote{
                {site, site, site, site}
            });
            shadow.notes[words.at[0]] = shadow.notes[words.at[1]] = note;
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
    bool join_other_warp(const Words& words, __m256i x, const LaneWalk<kShape>& lanes) const {
        const __m256i other = _mm256_xor_si256(x, fields(0, 0, readers, 0));
        if (places(is_zero(_mm256_and_si256(other, any_warp))) != 0xff) return false;
        if (places(is_zero(_mm256_and_si256(other, fields(0, 0, kWarpField, 0)))) & kReaders) return false;
        for (uint32_t i = 0; i < 2; ++i) {
            Cell& cell = shadow.cells[words.at[i]];
            WarpsNote note{
                .first_lanes = cell.reader_mask,
                .second_site = uint16_t(actor.dense),
                .second_warp = uint8_t(actor.warp),
                .second_lane = uint8_t(std::countr_zero(lanes.mask(i)))};
            if (kShape == RunShape::halves) {
                const auto pieces = std::bit_cast<PiecesNote>(shadow.notes[words.at[i]]);
                cell.sites = (cell.sites & 0xffff0000) | pieces.site[0];
                note.first_lanes = 0;
                note.second_lane = 255;
            }
            shadow.notes[words.at[i]] = std::bit_cast<uint64_t>(note);
            cell.reader_mask = 1u << warp_of(cell.readers) | 1u << actor.warp;
            cell.readers = (cell.readers & ~kModeField) | kByWarps << 1;
        }
        return true;
    }

    void read_apart(const Words& words, const LaneWalk<kShape>& lanes) const {
        for (uint32_t i = 0; i < 2; ++i) {
            const uint32_t mask = lanes.mask(i);
            if constexpr (kShape == RunShape::halves) {
                read_part(shadow, actor, {words.at[i], 3, 1u << (mask & 31)});
                read_part(shadow, actor, {words.at[i], 12, 1u << (mask >> 10 & 31)});
            } else {
                read_part(shadow, actor, {words.at[i], kWholeWord, mask});
            }
        }
    }

    __m256i load(const Words& words) const {
        auto cell = [&](int i) {
            return reinterpret_cast<const __m128i*>(shadow.cells.data() + words.at[i]);
        };
        return _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_load_si128(cell(0))), _mm_load_si128(cell(1)), 1
        );
    }

    void store(const Words& words, __m256i x) const {
        auto cell = [&](int i) { return reinterpret_cast<__m128i*>(shadow.cells.data() + words.at[i]); };
        _mm_store_si128(cell(0), _mm256_castsi256_si128(x));
        _mm_store_si128(cell(1), _mm256_extracti128_si256(x, 1));
    }
};

// As PairReader::join_other_warp for a run whose readers are all of one warp.
template <RunShape kShape>
bool join_second_warp(const PairReader<kShape>& reader, const Run& run) {
    Cell* cells = reader.shadow.cells.data() + run.first;
    const uint32_t readers = cells->readers, difference = readers ^ reader.readers;
    if (kShape == RunShape::halves || difference == 0 || (difference & ~kWarpField)) return false;
    const __m256i first = fields(0, 0, readers, 0);
    __m256i unlike = _mm256_setzero_si256();
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        unlike = _mm256_or_si256(unlike, _mm256_xor_si256(load(cells + 2 * pair), first));
    }
    if (!none(_mm256_and_si256(unlike, fields(0, 0, kAny, 0)))) return false;
    const Actor& actor = reader.actor;
    const uint32_t per_lane = words_of(kShape) ? words_of(kShape) / 32 : run.words;
    WarpsNote note{0, uint16_t(actor.dense), uint8_t(actor.warp), uint8_t(std::countr_zero(run.lanes))};
    for (uint32_t word = 0; word < run.words; word += per_lane, ++note.second_lane) {
        const auto second = std::bit_cast<uint64_t>(note);
        for (uint32_t i = word; i < word + per_lane; ++i) {
            reader.shadow.notes[run.first + i] = second | cells[i].reader_mask;
        }
    }
    const uint32_t warps = 1u << warp_of(readers) | 1u << actor.warp;
    const __m256i next = fields(0, 0, (readers & ~kModeField) | kByWarps << 1, warps);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair) {
        store(cells + 2 * pair, _mm256_blend_epi16(load(cells + 2 * pair), next, kReadersSameSiteHalves));
    }
    return true;
}

// The commonest states of a whole run: everything is older, so that these lanes take the readers' place; or
// several warps have read it in this interval; or each lane has written and read its own words. False: none
// of them.
template <RunShape kShape>
bool read_whole(const PairReader<kShape>& reader, const Run& run) {
    const uint32_t pairs = (words_of(kShape) ? words_of(kShape) : run.words) / 2;
    const Actor& actor = reader.actor;
    Cell* cells = reader.shadow.cells.data() + run.first;
    LaneWalk<kShape> lanes(run.lanes);
    __m256i unlike = _mm256_setzero_si256();
    if (cells->writer > actor.limit) {
        if (!one_lane_a_word(kShape)) return false;
        const __m256i own = fields(actor.key, 0, reader.readers, 0);
        for (uint32_t pair = 0; pair < pairs; ++pair, lanes.next(pair - 1)) {
            const __m256i expected = _mm256_or_si256(own, _mm256_or_si256(lanes.masks, lanes.writers));
            const __m256i matter = _mm256_or_si256(fields(kAny, 0, kAny, 0), lanes.masks);
            const __m256i x = _mm256_xor_si256(load(cells + 2 * pair), expected);
            unlike = _mm256_or_si256(unlike, _mm256_and_si256(x, matter));
        }
        return none(unlike);
    }
    __m256i older = _mm256_set1_epi32(-1);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
        const __m256i x = load(cells + 2 * pair);
        older = _mm256_and_si256(older, at_most(_mm256_sub_epi32(x, reader.one), reader.limit));
        unlike = _mm256_or_si256(unlike, _mm256_xor_si256(x, reader.by_warps));
    }
    if (all(older)) {
        for (uint32_t pair = 0; pair < pairs; ++pair, lanes.next(pair - 1)) {
            const uint32_t word = run.first + 2 * pair;
            reader.replace({word, word + 1}, load(cells + 2 * pair), lanes);
        }
        return true;
    }
    if (!all(_mm256_or_si256(older, fields(0, kAny, kAny, kAny)))) return false;
    if (!none(_mm256_and_si256(unlike, reader.any_warp))) return join_second_warp<kShape>(reader, run);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
        store(cells + 2 * pair, _mm256_or_si256(load(cells + 2 * pair), reader.own_warp));
    }
    return true;
}

template <RunShape kShape>
void read_cells(Shadow& shadow, const Actor& actor, const Run& run) {
    const PairReader<kShape> reader{shadow, actor};
    if (read_whole<kShape>(reader, run)) return;
    LaneWalk<kShape> lanes(run.lanes);
    for (uint32_t pair = 0; pair < run.words / 2; ++pair, lanes.next(pair - 1)) {
        const uint32_t word = run.first + 2 * pair;
        reader.read({word, word + 1}, lanes);
    }
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
    Actor actor = make_actor(shadow, AccessKind::read, access.warp, access.site);
    actor.memory = access.memory;
    if (shadow.block.collective_reads != nullptr) {
        const uint64_t end = uint64_t{access.offset} + (access.rows - 1) * access.stride + access.bytes;
        const uint32_t number = shadow.block.collective_reads->numbers[access.site];
        const LanesRead read{access.offset, end, access.mask, number};
        note_read(shadow.open_reads, shadow.clocks, access.warp, read);
    }
    const PairReader<RunShape::all_lanes> reader{shadow, actor};
    const LaneWalk<RunShape::all_lanes> lanes(access.mask);
    for (uint32_t row = 0; row < access.rows; ++row) {
        const uint32_t first = (access.offset + row * access.stride) / 4, words = access.bytes / 4;
        for (uint32_t word = first; word + 1 < first + words; word += 2) reader.read({word, word + 1}, lanes);
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
            one ? alone.read({word, word + 1}, LaneWalk<RunShape::lane_2_words>(lanes))
                : together.read({word, word + 1}, LaneWalk<RunShape::all_lanes>(lanes));
        }
    }
}

void read_lanes(Shadow& shadow, const Actor& actor) {
    const uint32_t* addresses = actor.access->addresses;
    const PairReader<RunShape::lane_a_word> reader{shadow, actor};
    LaneWalk<RunShape::lane_a_word> lanes(1);
    for (uint32_t pair = 0; pair < 16; ++pair, lanes.next(pair - 1)) {
        const Words words{addresses[2 * pair] / 4, addresses[2 * pair + 1] / 4};
        words.at[0] == words.at[1] ? reader.read_apart(words, lanes) : reader.read(words, lanes);
    }
}

}  // namespace wl::emulator
