// Adding a read to the readers that a cell already holds.
#include "instrumentation/emulator/shadow/shadow_cell.h"

namespace wl::emulator {

namespace {

constexpr uint32_t kEveryByte = 0x8421;  // a lane times this: 5 bits for each of 4 bytes

void replace(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading) {
    uint32_t readers = actor.key | reading.bytes << 3 | reading.mode << 1;
    set_readers(shadow.cells[word], readers, reading.mask, actor.dense);
    if (reading.mode != kByPieces) return;
    auto site = uint16_t(actor.dense);
    shadow.notes[word] = std::bit_cast<uint64_t>(PiecesNote{
        {site, site, site, site}
    });
}

// May one stamp, `at` or later, stand for what each of `warps` read at `at` and what this warp reads now?
// Then none of them released anything in between. Readers that are ordered before this one must go instead.
bool mergeable(const Actor& actor, uint32_t warps, Stamp at) {
    const Clocks& clocks = *actor.clocks;
    if (at <= clocks.warp[actor.warp].newest_seen) return false;
    if (at >= stamp_of(actor.key) || clocks.last_release < at) return true;
    for (; warps; warps &= warps - 1) {
        if (clocks.warp[std::countr_zero(warps)].released >= at) return false;
    }
    return true;
}

uint32_t warps_field(const Actor& actor, Stamp at, int first_warp, uint32_t bytes, ReaderMode mode) {
    return field(std::max(at, stamp_of(actor.key)), first_warp) | bytes << 3 | mode << 1;
}

bool join_warps(Cell& cell, const Actor& actor, const Reading& reading) {
    const Stamp at = stamp_of(cell.readers);
    const uint32_t known = bytes_of(cell.readers), bytes = reading.bytes;
    auto mode = ReaderMode(mode_of(cell.readers));
    uint32_t mask = cell.reader_mask;
    if (mode == kByWarps && bytes != known && !(mask >> actor.warp & 1)) {
        if (actor.clocks->warps > 16 || known != kWholeWord) return false;
        mode = kByHalves;
        mask |= mask << 16;
    }
    if (mode == kByHalves && !whole_halves(bytes)) return false;
    const uint32_t own = mode == kByWarps ? 1u << actor.warp : halves_mask(actor.warp, bytes);
    const bool done = (own & ~mask) == 0;
    if (done && (at >= stamp_of(actor.key) || actor.clocks->warp[actor.warp].released < at)) return true;
    if (!mergeable(actor, warps_of(mode, mask), at)) return false;
    if (mode == kByWarps && bytes != known) return false;
    // The stamp of lanes that are alone with a half is their own.
    if (half_of_first(cell) && at < stamp_of(actor.key)) return false;
    cell.reader_mask = mask | own;
    cell.readers = warps_field(actor, at, warp_of(cell.readers), known | bytes, mode);
    return true;
}

// The lanes and the site that read all of `bytes`, where the readers are of one warp and that is one answer.
bool one_reading(const Shadow& shadow, uint32_t word, uint32_t bytes, uint32_t& lanes, uint32_t& site) {
    const Cell& cell = shadow.cells[word];
    const auto byte = uint32_t(std::countr_zero(bytes));
    if (mode_of(cell.readers) == kByPieces) {
        const auto note = std::bit_cast<PiecesNote>(shadow.notes[word]);
        const uint32_t lane = cell.reader_mask >> (5 * byte) & 31;
        for (uint32_t rest = bytes; rest; rest &= rest - 1) {
            const int other = std::countr_zero(rest);
            if ((cell.reader_mask >> (5 * other) & 31) != lane || note.site[other] != note.site[byte])
                return false;
        }
        lanes = 1u << lane;
        site = note.site[byte];
        return true;
    }
    LanesNote note;
    if (cell.readers & kNoted) note = std::bit_cast<LanesNote>(shadow.notes[word]);
    const uint32_t elsewhere = note.bytes & bytes;
    if (note.vague || note.lanes || (elsewhere && elsewhere != bytes)) return false;
    lanes = cell.reader_mask;
    site = elsewhere ? note.site : readers_site(cell);
    return true;
}

WarpsNote second_reader(const Actor& actor, const Reading& reading) {
    WarpsNote note{
        .second_site = uint16_t(actor.dense), .second_warp = uint8_t(actor.warp), .second_lane = 255};
    if (reading.mode == kByLanes) note.second_lane = uint8_t(std::countr_zero(reading.mask));
    return note;
}

// The readers so far are of one other warp.
bool join_other_warp(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading) {
    Cell& cell = shadow.cells[word];
    const Stamp at = stamp_of(cell.readers);
    const int first = warp_of(cell.readers);
    if (bytes_of(cell.readers) != reading.bytes || !mergeable(actor, 1u << first, at)) return false;
    WarpsNote note = second_reader(actor, reading);
    uint32_t site = 0;
    if (one_reading(shadow, word, reading.bytes, note.first_lanes, site)) {
        cell.sites = (cell.sites & 0xffff0000) | site;
    } else if (mode_of(cell.readers) == kByLanes) {
        const auto lanes = std::bit_cast<LanesNote>(shadow.notes[word]);
        note.first_lanes = lanes.bytes ? 0 : cell.reader_mask & ~lanes.lanes;
    }
    shadow.notes[word] = std::bit_cast<uint64_t>(note);
    cell.readers = warps_field(actor, at, first, reading.bytes, kByWarps);
    cell.reader_mask = 1u << first | 1u << actor.warp;
    return true;
}

// One other warp has read the whole word, this one reads a half. Of the other half the lanes must stay known:
// no other warp tells of a race with them.
bool join_half(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading) {
    Cell& cell = shadow.cells[word];
    const Stamp at = stamp_of(cell.readers);
    const int first = warp_of(cell.readers);
    if (bytes_of(cell.readers) != kWholeWord || !whole_halves(reading.bytes)) return false;
    if (actor.clocks->warps > 16 || at < stamp_of(actor.key) || !mergeable(actor, 1u << first, at))
        return false;
    WarpsNote note = second_reader(actor, reading);
    uint32_t site = 0;
    if (!one_reading(shadow, word, kWholeWord & ~reading.bytes, note.first_lanes, site)) return false;
    cell.sites = (cell.sites & 0xffff0000) | site;
    shadow.notes[word] = std::bit_cast<uint64_t>(note);
    cell.readers = warps_field(actor, at, first, kWholeWord, kByHalves);
    cell.reader_mask = halves_mask(first, kWholeWord) | halves_mask(actor.warp, reading.bytes);
    return true;
}

// More lanes of the same warp, in the same interval, on the same bytes; or more bytes by the same lanes.
bool unite_lanes(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading) {
    Cell& cell = shadow.cells[word];
    const uint32_t lanes = reading.mask & ~cell.reader_mask, bytes = reading.bytes & ~bytes_of(cell.readers);
    const bool same_lanes = reading.mask == cell.reader_mask;
    if (bytes ? !same_lanes : reading.bytes != bytes_of(cell.readers)) return false;
    LanesNote note{.site = uint16_t(actor.dense)};
    if (cell.readers & kNoted) note = std::bit_cast<LanesNote>(shadow.notes[word]);
    if (note.lanes ? bytes != 0 : note.bytes && lanes) return false;
    cell.reader_mask |= lanes;
    cell.readers |= bytes << 3;
    if (readers_site(cell) == actor.dense) return true;
    note.vague |= note.site != actor.dense;
    note.lanes |= lanes;
    note.bytes |= uint8_t(bytes);
    cell.readers |= kNoted;
    shadow.notes[word] = std::bit_cast<uint64_t>(note);
    return true;
}

// Byte by byte, one lane each: what the cell holds as pieces, or false.
bool as_pieces(const Shadow& shadow, uint32_t word, uint32_t& lanes, PiecesNote& note) {
    const Cell& cell = shadow.cells[word];
    if (mode_of(cell.readers) == kByPieces) {
        lanes = cell.reader_mask;
        note = std::bit_cast<PiecesNote>(shadow.notes[word]);
        return true;
    }
    if (!std::has_single_bit(cell.reader_mask)) return false;
    LanesNote second;
    if (cell.readers & kNoted) second = std::bit_cast<LanesNote>(shadow.notes[word]);
    lanes = uint32_t(std::countr_zero(cell.reader_mask)) * kEveryByte;
    if (second.vague) return false;
    for (uint32_t byte = 0; byte < 4; ++byte) {
        note.site[byte] = second.bytes >> byte & 1 ? second.site : uint16_t(readers_site(cell));
    }
    return true;
}

// Bytes that other lanes, or another instruction of the same lane, read in the same interval.
bool unite_pieces(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading) {
    uint32_t lanes = 0, theirs = reading.mask;
    PiecesNote note;
    if (!as_pieces(shadow, word, lanes, note)) return false;
    if (reading.mode == kByLanes) {
        if (!std::has_single_bit(reading.mask)) return false;
        theirs = uint32_t(std::countr_zero(reading.mask)) * kEveryByte;
    }
    Cell& cell = shadow.cells[word];
    const uint32_t known = bytes_of(cell.readers);
    for (uint32_t byte = 0; byte < 4; ++byte) {
        const uint32_t lane = 31u << (5 * byte);
        if (!(reading.bytes >> byte & 1)) continue;
        if ((known >> byte & 1) && ((lanes ^ theirs) & lane)) return false;
        if (!(known >> byte & 1)) note.site[byte] = uint16_t(actor.dense);
        lanes = (lanes & ~lane) | (theirs & lane);
    }
    cell.readers = actor.key | (known | reading.bytes) << 3 | kByPieces << 1;
    cell.reader_mask = lanes;
    shadow.notes[word] = std::bit_cast<uint64_t>(note);
    return true;
}

bool join_own_warp(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading) {
    Cell& cell = shadow.cells[word];
    const uint32_t known = bytes_of(cell.readers);
    const bool by_lanes = mode_of(cell.readers) == kByLanes && reading.mode == kByLanes;
    if (stamp_of(cell.readers) == stamp_of(actor.key)) {
        if (by_lanes && (reading.bytes & ~known) == 0 && (reading.mask & ~cell.reader_mask) == 0) return true;
        if (by_lanes && unite_lanes(shadow, word, actor, reading)) return true;
        return unite_pieces(shadow, word, actor, reading);
    }
    bool superseded =
        cell.readers <= actor.lanes_limit || (by_lanes && (cell.reader_mask & ~reading.mask) == 0);
    if (!superseded || (known & ~reading.bytes)) return false;
    replace(shadow, word, actor, reading);
    return true;
}

}  // namespace

bool join_readers(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading) {
    const Cell& cell = shadow.cells[word];
    if (cell.readers <= actor.limit) {
        bool covers = (bytes_of(cell.readers) & ~reading.bytes) == 0;
        if (!covers && cell.readers > actor.all_limit) return false;
        replace(shadow, word, actor, reading);
        return true;
    }
    if (cell.readers >= kSpecial) return false;
    if (mode_of(cell.readers) >= kByWarps) return join_warps(shadow.cells[word], actor, reading);
    if (warp_of(cell.readers) != actor.warp) {
        return join_other_warp(shadow, word, actor, reading) || join_half(shadow, word, actor, reading);
    }
    return join_own_warp(shadow, word, actor, reading);
}

}  // namespace wl::emulator
