// Writes of runs of words, and copies, two cells a vector (AVX2).
#include "instrumentation/emulator/shadow/shadow_vector.h"

#include <cassert>

namespace wl::emulator {

namespace {

template <RunShape kShape, bool kOwn>
bool all_writable(const Cell* cells, const Actor& actor, const Run& run) {
    const __m256i limit = fields(actor.limit, kAny, actor.limit, kAny);
    __m256i before = _mm256_set1_epi32(-1);
    LaneWalk<kShape> lanes(run.lanes);
    for (uint32_t pair = 0; pair < words_of(kShape) / 2; ++pair) {
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

// Each lane alone has written and read its own words in this interval.
template <RunShape kShape>
bool all_own(const Cell* cells, const Actor& actor, const Run& run) {
    const __m256i own = fields(actor.key, 0, actor.key | kWholeWord << 3, 0);
    __m256i unlike = _mm256_setzero_si256();
    LaneWalk<kShape> lanes(run.lanes);
    for (uint32_t pair = 0; pair < words_of(kShape) / 2; ++pair, lanes.next(pair - 1)) {
        const __m256i expected = _mm256_or_si256(own, _mm256_or_si256(lanes.masks, lanes.writers));
        unlike = _mm256_or_si256(unlike, _mm256_xor_si256(load(cells + 2 * pair), expected));
    }
    return none(_mm256_and_si256(unlike, fields(kAny, 0, kAny, kAny)));
}

template <RunShape kShape>
bool write_cells(Shadow& shadow, const Actor& actor, const Run& run) {
    Cell* cells = shadow.cells.data() + run.first;
    const bool older = cells->writer <= actor.limit && cells->readers <= actor.limit;
    const bool ordered =
        older ? all_writable<kShape, false>(cells, actor, run) : all_own<kShape>(cells, actor, run);
    if (!ordered && !all_writable<kShape, true>(cells, actor, run)) return false;
    LaneWalk<kShape> lanes(run.lanes);
    const __m256i writer = fields(actor.key, actor.dense << 16, 0, 0);
    for (uint32_t pair = 0; pair < words_of(kShape) / 2; ++pair, lanes.next(pair - 1)) {
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

// ---- copies

void begin_copy_lane(Shadow& shadow, const Actor& actor, int lane) {
    const WarpAccess& access = *actor.access;
    const uint32_t first = access.addresses[lane] / 4, words = access.bytes / 4;
    const Cell pending{
        kPending | uint32_t(access.warp) << 7 | uint32_t(lane) << 2, actor.dense << 16, actor.key, 0};
    Cell* cells = shadow.cells.data() + first;
    if (words % 2 == 0) {
        const __m256i limit = fields(actor.limit, kAny, actor.limit, kAny);
        const __m256i next = fields(pending.writer, pending.sites, pending.readers, 0);
        __m256i older = at_most(load(cells), limit);
        if (words == 4) older = _mm256_and_si256(older, at_most(load(cells + 2), limit));
        if (all(older)) {
            store(cells, next);
            if (words == 4) store(cells + 2, next);
            return;
        }
    }
    for (uint32_t word = 0; word < words; ++word) {
        const Spot spot{first + word, kWholeWord, 1u << lane};
        bool ordered = writable(cells[word], actor, lane) ||
            (after_writers(shadow, actor, spot) && after_readers(shadow, actor, spot));
        if (!ordered) check_exact(shadow, actor, spot);
        release_history(shadow, cells[word]);
        cells[word] = pending;
    }
}

// `at_issue`: the write counts as done when the copy was issued.
void complete_copy_lane(Shadow& shadow, const Actor& actor, int lane, bool at_issue) {
    const WarpAccess& access = *actor.access;
    const uint32_t words = access.bytes / 4;
    const uint32_t pending = kPending | uint32_t(access.warp) << 7 | uint32_t(lane) << 2;
    Cell* cells = shadow.cells.data() + access.addresses[lane] / 4;
    for (uint32_t word = 0; word < words; ++word) {
        // Another thread's copy to the same place has replaced this one, and was reported.
        if (cells[word].writer != pending) continue;
        const uint32_t key = at_issue ? cells[word].readers : actor.key;
        cells[word] = {key | uint32_t(lane) << 2, cells[word].sites, 0, 0};
    }
}

}  // namespace

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

void begin_copy(Shadow& shadow, const WarpAccess& access) {
    assert(access.bytes >= 4);
    Actor actor = make_actor(shadow, AccessKind::write, access.warp, access.site);
    actor.access = &access;
    actor.memory = access.memory;
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
        begin_copy_lane(shadow, actor, std::countr_zero(rest));
    }
}

void complete_copy(Shadow& shadow, const WarpAccess& access) {
    Actor actor = make_actor(shadow, AccessKind::write, access.warp, access.site);
    actor.access = &access;
    actor.memory = access.memory;
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
        complete_copy_lane(shadow, actor, std::countr_zero(rest), false);
    }
}

void complete_tracked_copy(Shadow& shadow, const WarpAccess& access) {
    WarpClock& clock = shadow.clocks.warp[access.warp];
    const Stamp last_access = clock.last_access;
    Actor actor = make_actor(shadow, AccessKind::write, access.warp, access.site);
    actor.access = &access;
    actor.memory = access.memory;
    clock.last_access = last_access;
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
        complete_copy_lane(shadow, actor, std::countr_zero(rest), true);
    }
}

}  // namespace wl::emulator
