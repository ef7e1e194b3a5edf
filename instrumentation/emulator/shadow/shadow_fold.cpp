// A word's history in full, and folded back into a cell where it fits one.
#include "instrumentation/emulator/shadow/shadow_cell.h"

#include <algorithm>

namespace wl::emulator {

namespace {

void expand_writers(const Shadow& shadow, uint32_t word, std::vector<Touch>& writers) {
    const Cell& cell = shadow.cells[word];
    auto add_plain = [&](uint32_t writer, uint32_t site, uint32_t bytes) {
        for (Touch& old : writers) {
            if (field(old.stamp, old.warp) == (writer & ~127u) && old.site == site &&
                old.lanes == 1u << lane_of(writer)) {
                old.bytes |= uint8_t(bytes);
                return;
            }
        }
        writers.push_back(
            {.stamp = stamp_of(writer),
             .lanes = 1u << lane_of(writer),
             .site = uint16_t(site),
             .warp = uint8_t(warp_of(writer)),
             .bytes = uint8_t(bytes)}
        );
    };
    if (cell.writer == 0) return;
    if (!is_split(cell.writer)) return add_plain(cell.writer, writer_site(cell), kWholeWord);
    const SplitWord& split = shadow.split[word];
    for (uint32_t byte = 0; byte < 4; ++byte) {
        if (split.writer[byte]) add_plain(split.writer[byte], split.site[byte], 1u << byte);
    }
}

// Readers by several warps; `first` is what the cell's fields say of the first.
void expand_warps(const Shadow& shadow, uint32_t word, const Touch& first, std::vector<Touch>& readers) {
    const Cell& cell = shadow.cells[word];
    const auto note = std::bit_cast<WarpsNote>(shadow.notes[word]);
    const bool halves = mode_of(cell.readers) == kByHalves;
    const uint32_t alone = half_of_first(cell);
    auto add_warp = [&](int warp) {
        Touch touch = first;
        touch.by_warp = true;
        touch.warp = uint8_t(warp);
        touch.lanes = warp == first.warp ? note.first_lanes : 0;
        if (warp == note.second_warp) {
            touch.lanes = note.second_lane < 32 ? 1u << note.second_lane : 0;
            touch.site = note.second_site;
        }
        if (halves) {
            const uint32_t both = cell.reader_mask >> warp;
            const uint32_t bytes = (both & 1 ? 3 : 0) | (both >> 16 & 1 ? 12 : 0);
            touch.bytes = uint8_t(warp == first.warp ? bytes & ~alone : bytes);
            touch.lanes = 0;
        }
        touch.vague = touch.lanes == 0;
        if (touch.bytes) readers.push_back(touch);
    };
    if (alone) {
        readers.push_back(first);
        readers.back().lanes = note.first_lanes;
        readers.back().bytes = uint8_t(alone);
    }
    // Those with a known site come first, so that folding keeps them.
    const uint32_t warps = warps_of(mode_of(cell.readers), cell.reader_mask);
    const uint32_t known = 1u << first.warp | 1u << note.second_warp;
    add_warp(first.warp);
    add_warp(note.second_warp);
    for (uint32_t rest = warps & ~known; rest; rest &= rest - 1) add_warp(std::countr_zero(rest));
}

void expand_readers(const Shadow& shadow, uint32_t word, std::vector<Touch>& readers) {
    const Cell& cell = shadow.cells[word];
    if (cell.readers == 0) return;
    Touch touch{
        .stamp = stamp_of(cell.readers),
        .lanes = cell.reader_mask,
        .site = uint16_t(readers_site(cell)),
        .warp = uint8_t(warp_of(cell.readers)),
        .bytes = uint8_t(bytes_of(cell.readers))};
    if (mode_of(cell.readers) == kByLanes) {
        LanesNote note;
        if (cell.readers & kNoted) note = std::bit_cast<LanesNote>(shadow.notes[word]);
        Touch second = touch;
        second.site = note.site;
        second.vague = note.vague;
        if (note.lanes) second.lanes = note.lanes, touch.lanes &= ~note.lanes;
        if (note.bytes) second.bytes = note.bytes, touch.bytes &= uint8_t(~note.bytes);
        readers.push_back(touch);
        if (note.lanes || note.bytes) readers.push_back(second);
    } else if (mode_of(cell.readers) == kByPieces) {
        auto note = std::bit_cast<PiecesNote>(shadow.notes[word]);
        for (uint32_t byte = 0; byte < 4; ++byte) {
            if (!(bytes_of(cell.readers) >> byte & 1)) continue;
            touch.lanes = 1u << (cell.reader_mask >> (5 * byte) & 31);
            touch.site = note.site[byte];
            touch.bytes = uint8_t(1u << byte);
            readers.push_back(touch);
        }
    } else {
        expand_warps(shadow, word, touch, readers);
    }
}

bool is_strong(const Touch& touch) { return touch.strength != Strength::plain; }

bool fold_writers(Shadow& shadow, uint32_t word, const std::vector<Touch>& writers) {
    Cell& cell = shadow.cells[word];
    if (std::any_of(writers.begin(), writers.end(), is_strong)) return false;
    auto writer_field = [](const Touch& touch) {
        return field(touch.stamp, touch.warp) | uint32_t(std::countr_zero(touch.lanes)) << 2;
    };
    if (writers.empty()) {
        cell.writer = 0;
    } else if (writers.size() == 1 && writers[0].bytes == kWholeWord) {
        set_writer(cell, writer_field(writers[0]), writers[0].site);
    } else {
        shadow.split[word] = {};
        for (const Touch& touch : writers) {
            for (uint32_t byte = 0; byte < 4; ++byte) {
                if (!(touch.bytes >> byte & 1)) continue;
                shadow.split[word].writer[byte] = writer_field(touch);
                shadow.split[word].site[byte] = touch.site;
            }
        }
        summarise_split(shadow, word);
    }
    return true;
}

bool fold_pieces(Shadow& shadow, uint32_t word, const std::vector<Touch>& readers) {
    PiecesNote note;
    uint32_t bytes = 0, lanes = 0;
    for (const Touch& touch : readers) {
        bool fits = !touch.by_warp && !touch.vague && touch.stamp == readers[0].stamp &&
            touch.warp == readers[0].warp && std::has_single_bit(touch.lanes) && (touch.bytes & bytes) == 0;
        if (!fits) return false;
        bytes |= touch.bytes;
        for (uint32_t byte = 0; byte < 4; ++byte) {
            if (!(touch.bytes >> byte & 1)) continue;
            lanes |= uint32_t(std::countr_zero(touch.lanes)) << (5 * byte);
            note.site[byte] = touch.site;
        }
    }
    uint32_t key = field(readers[0].stamp, readers[0].warp) | bytes << 3 | kByPieces << 1;
    set_readers(shadow.cells[word], key, lanes, readers[0].site);
    shadow.notes[word] = std::bit_cast<uint64_t>(note);
    return true;
}

// Touches of one warp and interval that differ in their lanes only, or in their bytes only.
bool fold_lanes(Shadow& shadow, uint32_t word, const std::vector<Touch>& readers) {
    const Touch& first = readers[0];
    bool same_bytes = true, same_lanes = true;
    LanesNote note;
    uint32_t lanes = 0, bytes = 0;
    for (const Touch& touch : readers) {
        if (touch.by_warp || touch.stamp != first.stamp || touch.warp != first.warp) return false;
        if (first.vague || (touch.vague && touch.site == first.site)) return false;
        same_bytes &= touch.bytes == first.bytes;
        same_lanes &= touch.lanes == first.lanes;
        if (touch.site != first.site) {
            if (note.site == 0) note.site = touch.site;
            note.vague |= touch.vague || note.site != touch.site;
            note.lanes |= touch.lanes & ~lanes;
            note.bytes |= uint8_t(touch.bytes & ~bytes);
        }
        lanes |= touch.lanes;
        bytes |= touch.bytes;
    }
    if (!same_bytes && !same_lanes) return false;
    const bool noted = note.lanes || note.bytes;
    uint32_t key = field(first.stamp, first.warp) | bytes << 3 | kByLanes << 1;
    set_readers(shadow.cells[word], key | (noted ? kNoted : 0), lanes, first.site);
    shadow.notes[word] = std::bit_cast<uint64_t>(note);
    return true;
}

// One stamp for all the warps must order each of them as its own does: none may have released in between.
bool fold_warps(Shadow& shadow, uint32_t word, const std::vector<Touch>& readers) {
    std::array<uint8_t, kMaxWarps> bytes{};
    Stamp latest = 0;
    uint32_t warps = 0;
    const Touch* second = nullptr;
    for (const Touch& touch : readers) {
        bytes[touch.warp] |= touch.bytes;
        latest = std::max(latest, touch.stamp);
        warps |= 1u << touch.warp;
        if (!second && touch.warp != readers[0].warp) second = &touch;
    }
    if (!second) return false;
    bool equal = true, halves = shadow.clocks.warps <= 16;
    uint32_t every = 0, mask = 0;
    for (const Touch& touch : readers) {
        if (touch.stamp != latest && shadow.clocks.warp[touch.warp].released >= touch.stamp) return false;
        equal &= bytes[touch.warp] == bytes[readers[0].warp];
        halves &= whole_halves(bytes[touch.warp]);
        every |= touch.bytes;
        mask |= halves_mask(touch.warp, touch.bytes);
    }
    const bool both_shared = std::popcount(mask & 0xffff) > 1 && std::popcount(mask >> 16) > 1;
    if (!equal && !(halves && both_shared)) return false;
    const uint32_t mode = equal ? kByWarps : kByHalves;
    const uint32_t key = field(latest, readers[0].warp) | every << 3 | mode << 1;
    set_readers(shadow.cells[word], key, equal ? warps : mask, readers[0].site);
    WarpsNote note{.second_site = second->site, .second_warp = second->warp, .second_lane = 255};
    auto exact = [&](const Touch& touch) { return !touch.vague && touch.bytes == bytes[touch.warp]; };
    if (exact(readers[0])) note.first_lanes = readers[0].lanes;
    if (exact(*second)) note.second_lane = uint8_t(std::countr_zero(second->lanes));
    shadow.notes[word] = std::bit_cast<uint64_t>(note);
    return true;
}

bool fold_readers(Shadow& shadow, uint32_t word, const std::vector<Touch>& readers) {
    if (readers.empty()) {
        set_readers(shadow.cells[word], 0, 0, 0);
        return true;
    }
    if (std::any_of(readers.begin(), readers.end(), is_strong)) return false;
    return fold_lanes(shadow, word, readers) || fold_pieces(shadow, word, readers) ||
        fold_warps(shadow, word, readers);
}

void keep_history(Shadow& shadow, Cell& cell, WordHistory& history) {
    uint32_t index;
    if (shadow.free_histories.empty()) {
        index = uint32_t(shadow.histories.size());
        shadow.histories.emplace_back();
    } else {
        index = shadow.free_histories.back();
        shadow.free_histories.pop_back();
    }
    std::swap(shadow.histories[index], history);
    cell = {.writer = kHistory, .sites = 0, .readers = kHistory, .reader_mask = index};
}

}  // namespace

void summarise_split(Shadow& shadow, uint32_t word) {
    const SplitWord& split = shadow.split[word];
    uint32_t latest = 0, warps = 0, threads = 0, first = 0;
    bool holes = false;
    for (uint32_t writer : split.writer) {
        if (writer == 0) {
            holes = true;
            continue;
        }
        if (!first) first = writer;
        latest = std::max(latest, writer);
        warps |= (writer ^ first) & kWarpField;
        threads |= (writer ^ first) & 0xffc;
    }
    uint32_t summary = latest | kSplit | (warps ? kSeveral : 0);
    if (holes) summary = threads ? kHolesSeveral : kHoles | (first & 0xffc);
    set_writer(shadow.cells[word], summary, 0);
}

WordHistory& expand(Shadow& shadow, uint32_t word) {
    const Cell& cell = shadow.cells[word];
    if (cell.writer == kHistory) return shadow.histories[cell.reader_mask];
    WordHistory& history = shadow.scratch;
    history.writers.clear();
    history.readers.clear();
    expand_writers(shadow, word, history.writers);
    expand_readers(shadow, word, history.readers);
    return history;
}

void release_history(Shadow& shadow, Cell& cell) {
    if (cell.writer != kHistory) return;
    shadow.free_histories.push_back(cell.reader_mask);
    cell = {};
}

void fold(Shadow& shadow, uint32_t word, WordHistory& history) {
    Cell& cell = shadow.cells[word];
    const Cell before = cell;
    const bool kept = before.writer == kHistory;
    if (kept) cell = {};
    if (fold_writers(shadow, word, history.writers) && fold_readers(shadow, word, history.readers)) {
        if (kept) shadow.free_histories.push_back(before.reader_mask);
    } else if (kept) {
        cell = before;
    } else {
        keep_history(shadow, cell, history);
    }
}

}  // namespace wl::emulator
