// Plain reads, writes and copies of a whole warp: patterns first, then word by word, and only where that
// cannot tell the exact path.
#include "instrumentation/emulator/program/program.h"
#include "instrumentation/emulator/shadow/shadow_cell.h"

#include <algorithm>
#include <cassert>
#include <immintrin.h>

namespace wl::emulator {

namespace {

enum class Pattern : uint8_t { other, same, consecutive };

// How the addresses of 32 lanes lie: all the same, or lane after lane without a gap.
Pattern pattern_of(const WarpAccess& access) {
    if (access.mask != ~0u) return Pattern::other;
    const uint32_t span = access.addresses[31] - access.addresses[0];
    if (span != 0 && span != 31 * access.bytes) return Pattern::other;
    const uint32_t step = span ? access.bytes : 0;
    const auto* addresses = reinterpret_cast<const __m256i*>(access.addresses);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i expected = _mm256_add_epi32(
        _mm256_set1_epi32(int(access.addresses[0])), _mm256_mullo_epi32(lanes, _mm256_set1_epi32(int(step)))
    );
    __m256i unlike = _mm256_setzero_si256();
    for (int i = 0; i < 4; ++i) {
        unlike = _mm256_or_si256(unlike, _mm256_xor_si256(_mm256_loadu_si256(addresses + i), expected));
        expected = _mm256_add_epi32(expected, _mm256_set1_epi32(int(8 * step)));
    }
    if (!_mm256_testz_si256(unlike, unlike)) return Pattern::other;
    return span ? Pattern::consecutive : Pattern::same;
}

uint32_t lanes_at(const WarpAccess& access, uint32_t address) {
    const auto* addresses = reinterpret_cast<const __m256i*>(access.addresses);
    const __m256i wanted = _mm256_set1_epi32(int(address));
    uint32_t lanes = 0;
    for (int i = 0; i < 4; ++i) {
        const __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256(addresses + i), wanted);
        lanes |= uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(equal))) << (8 * i);
    }
    return lanes & access.mask;
}

// The commonest steps of join_readers for a whole word: nobody reads in this interval yet, several warps do,
// this warp did already or before a syncwarp.
bool join_word(Cell& cell, const Actor& actor, uint32_t lanes) {
    constexpr uint32_t kForm = kWholeWord << 3 | kModeField;
    const uint32_t readers = actor.key | kWholeWord << 3;
    const uint32_t difference = cell.readers ^ readers;
    if (cell.readers <= actor.limit) {
        set_readers(cell, readers, lanes, actor.dense);
        return true;
    }
    if ((difference & (~0xfffu | kForm)) == kByWarps << 1) {
        cell.reader_mask |= 1u << actor.warp;
        return true;
    }
    if (difference == 0) return (lanes & ~cell.reader_mask) == 0;
    if ((difference & (kWarpField | kModeField)) || cell.readers > actor.lanes_limit) return false;
    set_readers(cell, readers, lanes, actor.dense);
    return true;
}

// Neighbouring lanes of a sub-word access that fall into one word.
struct Group {
    uint32_t word = 0, bytes = 0, lanes = 0;
    uint32_t pieces = 0;       // 5 bits a byte: the lane
    bool same_bytes = true;    // every lane has all of `bytes`
    bool overlapping = false;  // two lanes have one byte
};

uint32_t bytes_in_word(uint32_t address, uint32_t bytes) { return ((1u << bytes) - 1) << (address & 3); }

void add_lane(Group& group, int lane, uint32_t bytes) {
    group.same_bytes &= group.lanes == 0 || bytes == group.bytes;
    group.overlapping |= (bytes & group.bytes) != 0;
    for (uint32_t rest = bytes; rest; rest &= rest - 1) {
        group.pieces |= uint32_t(lane) << (5 * std::countr_zero(rest));
    }
    group.bytes |= bytes;
    group.lanes |= 1u << lane;
}

// Calls `visit` for each group of an access of 1 or 2 bytes a lane.
template <class Visit>
void for_each_group(const WarpAccess& access, Visit&& visit) {
    Group group;
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint32_t address = access.addresses[lane];
        if (group.lanes && group.word != address / 4) {
            visit(group);
            group = {};
        }
        group.word = address / 4;
        add_lane(group, lane, bytes_in_word(address, access.bytes));
    }
    if (group.lanes) visit(group);
}

bool group_readable(const Shadow& shadow, const Actor& actor, const Group& group) {
    if (readable(shadow.cells[group.word], actor, group.lanes)) return true;
    for (uint32_t rest = group.lanes; rest; rest &= rest - 1) {
        const uint32_t address = actor.access->addresses[std::countr_zero(rest)];
        const Spot spot{group.word, bytes_in_word(address, actor.access->bytes), rest & -rest};
        if (!after_writers(shadow, actor, spot)) return false;
    }
    return true;
}

void read_group(Shadow& shadow, const Actor& actor, const Group& group) {
    const bool pieces = !group.same_bytes;
    const Reading reading{pieces ? kByPieces : kByLanes, group.bytes, pieces ? group.pieces : group.lanes};
    if ((!pieces || !group.overlapping) && group_readable(shadow, actor, group)) {
        const Cell& cell = shadow.cells[group.word];
        const uint32_t readers = actor.key | reading.bytes << 3 | reading.mode << 1;
        if (cell.readers == readers && cell.reader_mask == reading.mask) return;
        if (join_readers(shadow, group.word, actor, reading)) return;
    }
    for (uint32_t rest = group.lanes; rest; rest &= rest - 1) {
        const uint32_t address = actor.access->addresses[std::countr_zero(rest)];
        read_part(shadow, actor, {group.word, bytes_in_word(address, actor.access->bytes), rest & -rest});
    }
}

void check_write(Shadow& shadow, const Actor& actor, const Spot& spot) {
    if (after_writers(shadow, actor, spot) && after_readers(shadow, actor, spot)) return;
    check_exact(shadow, actor, spot);
}

// May the write that `writer` describes belong to this instruction, by another lane?
bool maybe_same_store(uint32_t writer, const Actor& actor, int lane) {
    return (writer ^ actor.key) < 128 && lane_of(writer) != lane;
}

bool value_differs(const WarpAccess& access, uint32_t byte, int lane, int other) {
    if (!access.values[0]) return true;
    const uint32_t piece = access.bytes / access.components;
    const std::byte* at = access.values[byte / piece] + byte % piece;
    return at[size_t(lane) * access.value_stride] != at[size_t(other) * access.value_stride];
}

// Two lanes of one store with one address (they are aligned: no other overlap exists) race unless their
// values are equal.
void check_overlap(Shadow& shadow, const Actor& actor, int lane) {
    const WarpAccess& access = *actor.access;
    const uint32_t address = access.addresses[lane];
    int other = lane - 1;
    while (other >= 0 && (!(access.mask >> other & 1) || access.addresses[other] != address)) --other;
    if (other < 0) return;
    for (uint32_t at = 0; at < access.bytes; at += 4) {
        Spot spot{(address + at) / 4, 0, 1u << lane};
        if (is_pending(shadow.cells[spot.word].writer)) continue;
        for (uint32_t byte = at; byte < std::min(at + 4, access.bytes); ++byte) {
            if (value_differs(access, byte, lane, other)) spot.bytes |= 1u << ((address + byte) & 3);
        }
        Touch first{
            .stamp = stamp_of(actor.key),
            .lanes = 1u << other,
            .site = uint16_t(actor.dense),
            .warp = uint8_t(actor.warp)};
        if (spot.bytes) report_race(shadow, actor, spot, first, true);
    }
}

void overwrite(Shadow& shadow, Cell& cell, uint32_t writer, uint32_t dense) {
    if (is_pending(cell.writer)) return;
    release_history(shadow, cell);
    set_writer(cell, writer, dense);
}

// All lanes are checked against the state before the instruction, then take effect in their order.
void write_words(Shadow& shadow, const Actor& actor) {
    const WarpAccess& access = *actor.access;
    const uint32_t words = access.bytes / 4;
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint32_t first = access.addresses[lane] / 4;
        for (uint32_t word = first; word < first + words; ++word) {
            if (writable(shadow.cells[word], actor, lane)) continue;
            check_write(shadow, actor, {word, kWholeWord, 1u << lane});
        }
    }
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        Cell* cells = shadow.cells.data() + access.addresses[lane] / 4;
        bool overlap = false;
        for (uint32_t word = 0; word < words; ++word)
            overlap |= maybe_same_store(cells[word].writer, actor, lane);
        if (overlap) check_overlap(shadow, actor, lane);
        const uint32_t writer = actor.key | uint32_t(lane) << 2;
        for (uint32_t word = 0; word < words; ++word) overwrite(shadow, cells[word], writer, actor.dense);
    }
}

void write_bytes(Shadow& shadow, const Actor& actor, const Spot& spot) {
    Cell& cell = shadow.cells[spot.word];
    const int lane = std::countr_zero(spot.lanes);
    if (is_pending(cell.writer)) return;
    if (cell.writer == kHistory) {
        check_overlap(shadow, actor, lane);
        return commit_exact(shadow, actor, spot);
    }
    SplitWord& split = shadow.split[spot.word];
    if (!is_split(cell.writer)) {
        split.writer.fill(cell.writer);
        split.site.fill(uint16_t(writer_site(cell)));
    }
    const uint32_t before = split.writer[std::countr_zero(spot.bytes)];
    if (maybe_same_store(before, actor, lane)) check_overlap(shadow, actor, lane);
    for (uint32_t rest = spot.bytes; rest; rest &= rest - 1) {
        split.writer[std::countr_zero(rest)] = actor.key | uint32_t(lane) << 2;
        split.site[std::countr_zero(rest)] = uint16_t(actor.dense);
    }
    summarise_split(shadow, spot.word);
}

void check_group(Shadow& shadow, const Actor& actor, const Group& group) {
    const Cell& cell = shadow.cells[group.word];
    if (cell.writer <= actor.limit && cell.readers <= actor.limit) return;
    for (uint32_t rest = group.lanes; rest; rest &= rest - 1) {
        const uint32_t address = actor.access->addresses[std::countr_zero(rest)];
        check_write(shadow, actor, {group.word, bytes_in_word(address, actor.access->bytes), rest & -rest});
    }
}

void commit_group(Shadow& shadow, const Actor& actor, const Group& group) {
    Cell& cell = shadow.cells[group.word];
    const bool older = cell.writer < kSpecial && stamp_of(cell.writer) != stamp_of(actor.key);
    if (older && group.bytes == kWholeWord && !group.overlapping) {
        SplitWord& split = shadow.split[group.word];
        for (uint32_t byte = 0; byte < 4; ++byte) {
            split.writer[byte] = actor.key | (group.pieces >> (5 * byte) & 31) << 2;
            split.site[byte] = uint16_t(actor.dense);
        }
        return set_writer(cell, split.writer[0] | kSplit, actor.dense);
    }
    for (uint32_t rest = group.lanes; rest; rest &= rest - 1) {
        const uint32_t address = actor.access->addresses[std::countr_zero(rest)];
        write_bytes(shadow, actor, {group.word, bytes_in_word(address, actor.access->bytes), rest & -rest});
    }
}

}  // namespace

namespace {

void note_open(Shadow& shadow, const WarpAccess& access, Pattern pattern) {
    uint32_t first = access.addresses[0], last = access.addresses[31];
    if (pattern == Pattern::other) {
        first = ~0u;
        last = 0;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            const bool reads = (access.mask >> lane & 1) != 0;
            first = std::min(first, reads ? access.addresses[lane] : ~0u);
            last = std::max(last, reads ? access.addresses[lane] : 0);
        }
    }
    const uint32_t number = shadow.block.collective_reads->numbers[access.site];
    const LanesRead read{first, uint64_t{last} + access.bytes, access.mask, number};
    note_read(shadow.open_reads, shadow.clocks, access.warp, read);
}

// The access of consecutive lanes as a run; no words: it is none.
Run run_of(const WarpAccess& access) {
    const uint32_t first = access.addresses[0] / 4;
    switch (access.bytes) {
        case 2: return {first, access.addresses[0] % 4 ? 0u : 16u, RunShape::halves};
        case 4: return {first, 32, RunShape::lane_a_word};
        case 8: return {first, 64, RunShape::lane_2_words};
        case 16: return {first, 128, RunShape::lane_4_words};
        default: return {};
    }
}

}  // namespace

// One place after the other, with the lanes that share it.
void touch_exactly(Shadow& shadow, const Actor& actor) {
    const WarpAccess& access = *actor.access;
    for (uint32_t rest = access.mask; rest;) {
        const uint32_t address = access.addresses[std::countr_zero(rest)];
        const uint32_t lanes = lanes_at(access, address);
        rest &= ~lanes;
        for (uint32_t at = 0; at < access.bytes; at += 4) {
            Spot spot{(address + at) / 4, kWholeWord, lanes};
            if (access.bytes < 4) spot.bytes = ((1u << access.bytes) - 1) << (address & 3);
            check_exact(shadow, actor, spot);
            commit_exact(shadow, actor, spot);
        }
    }
}

void read_part(Shadow& shadow, const Actor& actor, const Spot& spot) {
    Cell& cell = shadow.cells[spot.word];
    if (readable(cell, actor, spot.lanes) || after_writers(shadow, actor, spot)) {
        if (spot.bytes == kWholeWord && join_word(cell, actor, spot.lanes)) return;
        if (join_readers(shadow, spot.word, actor, {kByLanes, spot.bytes, spot.lanes})) return;
    }
    check_exact(shadow, actor, spot);
    commit_exact(shadow, actor, spot);
}

void read_shared(Shadow& shadow, const WarpAccess& access) {
    Actor actor = make_actor(shadow, AccessKind::read, access.warp, access.site);
    actor.access = &access;
    actor.memory = access.memory;
    const Pattern pattern = pattern_of(access);
    if (shadow.block.collective_reads != nullptr) note_open(shadow, access, pattern);
    if (actor.strength != Strength::plain) return touch_exactly(shadow, actor);
    if (pattern == Pattern::consecutive) {
        const Run run = run_of(access);
        if (run.words) return read_run(shadow, actor, run);
    }
    if (access.bytes < 4) {
        return for_each_group(access, [&](const Group& group) { read_group(shadow, actor, group); });
    }
    if (access.bytes > 4) return read_wide(shadow, actor);
    if (pattern == Pattern::same) {
        return read_part(shadow, actor, {access.addresses[0] / 4, kWholeWord, ~0u});
    }
    if (access.mask == ~0u && access.addresses[0] != access.addresses[1]) return read_lanes(shadow, actor);
    for (uint32_t rest = access.mask; rest;) {
        const uint32_t address = access.addresses[std::countr_zero(rest)];
        uint32_t lanes = 0;
        for (; rest && access.addresses[std::countr_zero(rest)] == address; rest &= rest - 1)
            lanes |= rest & -rest;
        read_part(shadow, actor, {address / 4, kWholeWord, lanes});
    }
}

void write_shared(Shadow& shadow, const WarpAccess& access) {
    Actor actor = make_actor(shadow, AccessKind::write, access.warp, access.site);
    actor.access = &access;
    actor.memory = access.memory;
    if (actor.strength != Strength::plain) {
        touch_exactly(shadow, actor);
        for (uint32_t rest = access.mask; rest && actor.strength != Strength::atomic; rest &= rest - 1)
            check_overlap(shadow, actor, std::countr_zero(rest));
        return;
    }
    if (pattern_of(access) == Pattern::consecutive) {
        const Run run = run_of(access);
        if (run.words && write_run(shadow, actor, run)) return;
    }
    if (access.bytes >= 4) return write_words(shadow, actor);
    for_each_group(access, [&](const Group& group) { check_group(shadow, actor, group); });
    for_each_group(access, [&](const Group& group) { commit_group(shadow, actor, group); });
}

}  // namespace wl::emulator
