// The fields of a Cell, and the comparisons that order most accesses without looking further.
// Internal to the shadow.
#pragma once

#include "instrumentation/emulator/shadow/shadow.h"

#include <bit>
#include <cassert>

namespace wl::emulator {

// Cell::writer   [31:12] stamp  [11:7] warp  [6:2] lane   [1] kSeveral  [0] kSplit      0: never written
// Cell::sites    [31:16] writer's  [15:0] readers' (numbers of Shadow::site_of_dense)
// Cell::readers  [31:12] stamp  [11:7] warp  [6:3] bytes  [2:1] ReaderMode  [0] kNoted  0: nobody
// Cell::reader_mask      by mode. The topmost stamp marks the forms that no quick comparison may accept.
constexpr uint32_t kWarpField = 31u << 7;
constexpr uint32_t kWholeWord = 15;

constexpr uint32_t kSplit = 1;    // the bytes' writers are in Shadow::split; the stamp is their latest
constexpr uint32_t kSeveral = 2;  // they belong to several warps; else all to `warp`
constexpr uint32_t kSpecial = 0xfffff000;
constexpr uint32_t kPending = kSpecial | 1;       // | warp, lane: a copy in flight
constexpr uint32_t kHoles = kSpecial | 2;         // | warp, lane: split, some bytes not written, one thread
constexpr uint32_t kHolesSeveral = kSpecial | 3;  // the same, several threads
constexpr uint32_t kHistory = 0xffffffff;         // reader_mask: index in Shadow::histories

enum ReaderMode : uint32_t {
    kByLanes =
        0,  // mask: lanes of `warp`, all of which read `bytes`. kNoted: some at the site of a LanesNote
    kByPieces = 1,  // mask: 5 bits a byte, the lane of `warp` that read it; the sites are a PiecesNote
    kByWarps = 2,   // mask: warps, each of which read `bytes`; `warp` and site: the first. WarpsNote
    kByHalves = 3,  // mask: warps that read the low half, and << 16 the high half; else as kByWarps
};
constexpr uint32_t kModeField = 3u << 1;
constexpr uint32_t kNoted = 1;

// What Shadow::notes holds for a word, by mode.
struct LanesNote {
    uint32_t lanes = 0;  // these lanes of the mask read at `site`; 0: all of them read `bytes` there
    uint16_t site = 0;
    uint8_t bytes = 0;
    bool vague = false;  // or at further sites
};
struct PiecesNote {
    std::array<uint16_t, 4> site{};
};
struct WarpsNote {
    uint32_t first_lanes = 0;  // 0: not known
    uint16_t second_site = 0;
    uint8_t second_warp = 0, second_lane = 0;  // lane 255: not known
};
static_assert(sizeof(LanesNote) == 8 && sizeof(PiecesNote) == 8 && sizeof(WarpsNote) == 8);

inline Stamp stamp_of(uint32_t field) { return field >> 12; }
inline int warp_of(uint32_t field) { return int(field >> 7 & 31); }
inline int lane_of(uint32_t writer) { return int(writer >> 2 & 31); }
inline uint32_t bytes_of(uint32_t readers) { return readers >> 3 & 15; }
inline uint32_t mode_of(uint32_t readers) { return readers >> 1 & 3; }
inline uint32_t writer_site(const Cell& cell) { return cell.sites >> 16; }
inline uint32_t readers_site(const Cell& cell) { return cell.sites & 0xffff; }
inline uint32_t field(Stamp stamp, int warp) { return stamp << 12 | uint32_t(warp) << 7; }
// Warps of a mask by kByWarps or kByHalves.
inline uint32_t warps_of(uint32_t mode, uint32_t mask) {
    return mode == 2 ? mask : (mask | mask >> 16) & 0xffff;
}
inline bool is_split(uint32_t writer) {
    return writer < kSpecial ? (writer & kSplit) != 0 : (writer & 3) >= 2 && writer != kHistory;
}
inline bool is_pending(uint32_t writer) { return writer >= kSpecial && (writer & 3) == 1; }

enum class AccessKind : uint8_t { read, write, atomic };

// One access, as the checks see it.
struct Actor {
    int warp = 0;
    AccessKind kind = AccessKind::read;
    Strength strength = Strength::plain;
    uint32_t site = 0, dense = 0;        // dense: its number in cells
    uint32_t key = 0;                    // stamp and warp of a field
    uint32_t limit = 0;                  // fields up to here are ordered before all lanes
    uint32_t lanes_limit = 0;            // the same, for fields of its own warp
    uint32_t all_limit = 0;              // fields up to here are ordered before every warp
    const WarpAccess* access = nullptr;  // null: a span
    const std::byte* memory = nullptr;   // as in WarpAccess
    const Clocks* clocks = nullptr;
};

// The number of a site that has none yet. Throws Unsupported when they run out.
uint32_t number_site(Shadow& shadow, uint32_t site);

inline Actor make_actor(Shadow& shadow, AccessKind kind, int warp, uint32_t site) {
    assert(warp >= 0 && warp < shadow.clocks.warps);
    WarpClock& clock = shadow.clocks.warp[warp];
    clock.last_access = clock.time;
    ++shadow.access_number;
    Actor actor;
    actor.warp = warp;
    actor.kind = kind;
    const bool plain = shadow.loose_is_plain && shadow.strength == Strength::loose;
    actor.strength = kind == AccessKind::atomic ? Strength::atomic
        : plain                                 ? Strength::plain
                                                : shadow.strength;
    actor.site = site;
    actor.dense = site < shadow.dense_of_site.size() ? shadow.dense_of_site[site] : 0;
    if (actor.dense == 0) actor.dense = number_site(shadow, site);
    actor.key = field(clock.time, warp);
    actor.limit = clock.safe << 12 | 0xfff;
    actor.lanes_limit = clock.lanes_safe << 12 | 0xfff;
    actor.all_limit = shadow.clocks.safe_for_all << 12 | 0xfff;
    actor.clocks = &shadow.clocks;
    return actor;
}

// Is the write that `writer` (not 0) describes ordered before `lanes` of its own warp? False also where only
// the exact check can tell.
inline bool own_write_ordered(uint32_t writer, const Actor& actor, uint32_t lanes) {
    if ((writer ^ actor.key) & (kWarpField | kSeveral)) return false;
    if (writer <= actor.lanes_limit) return true;
    return !(writer & kSplit) && lanes == 1u << lane_of(writer);
}

inline bool readable(const Cell& cell, const Actor& actor, uint32_t lanes) {
    return cell.writer - 1 < actor.limit || (cell.writer && own_write_ordered(cell.writer, actor, lanes));
}

// Are all readers ordered before a write by `lane`?
inline bool readers_ordered(const Cell& cell, const Actor& actor, int lane) {
    if (cell.readers <= actor.limit) return true;
    if ((cell.readers ^ actor.key) & (kWarpField | kModeField)) return false;
    return cell.readers <= actor.lanes_limit || (cell.reader_mask & ~(1u << lane)) == 0;
}

inline bool writable(const Cell& cell, const Actor& actor, int lane) {
    bool after_writer = cell.writer <= actor.limit || own_write_ordered(cell.writer, actor, 1u << lane);
    return after_writer && readers_ordered(cell, actor, lane);
}

inline void set_writer(Cell& cell, uint32_t writer, uint32_t dense) {
    cell.writer = writer;
    cell.sites = (cell.sites & 0xffff) | dense << 16;
}

inline void set_readers(Cell& cell, uint32_t readers, uint32_t mask, uint32_t dense) {
    cell.readers = readers;
    cell.reader_mask = mask;
    cell.sites = (cell.sites & 0xffff0000) | dense;
}

// Some bytes of a word, by some lanes of an access.
struct Spot {
    uint32_t word = 0, bytes = kWholeWord, lanes = 0;
};

// kByHalves: the bits of a warp that reads `bytes` (3, 12 or 15).
inline uint32_t halves_mask(int warp, uint32_t bytes) {
    return (bytes & 3 ? 1u << warp : 0) | (bytes & 12 ? 1u << warp << 16 : 0);
}
inline bool whole_halves(uint32_t bytes) { return bytes == 3 || bytes == 12 || bytes == 15; }
// kByHalves: the bytes that only the first warp has read; WarpsNote::first_lanes and the site are exact for
// them.
inline uint32_t half_of_first(const Cell& cell) {
    if (mode_of(cell.readers) != kByHalves) return 0;
    const uint32_t first = 1u << warp_of(cell.readers);
    return (cell.reader_mask & 0xffff) == first ? 3 : cell.reader_mask >> 16 == first ? 12 : 0;
}

// Lanes of one access on one word: who reads which bytes.
struct Reading {
    uint32_t mode = kByLanes, bytes = kWholeWord, mask = 0;
};

// Adds a read to the readers of a cell. False: only a WordHistory can hold it.
bool join_readers(Shadow& shadow, uint32_t word, const Actor& actor, const Reading& reading);

// As readable and writable, with the clocks of each warp and the bytes of split words. False: the exact check
// must tell.
bool after_writers(const Shadow& shadow, const Actor& actor, const Spot& spot);
bool after_readers(const Shadow& shadow, const Actor& actor, const Spot& spot);

// ---- runs: consecutive words at once
// ---------------------------------------------------------------

// Which lanes access the words of a run: each word all of Run::lanes; one lane 1, 2 or 4 words, from lane 0
// to lane 31; or two lanes one half each.
enum class RunShape : uint8_t { all_lanes, lane_a_word, lane_2_words, lane_4_words, halves };

struct Run {
    uint32_t first = 0, words = 0;  // words: even
    RunShape shape = RunShape::all_lanes;
    uint32_t lanes = 1;  // all of them, or the first lane's bit
};

void read_run(Shadow& shadow, const Actor& actor, const Run& run);
// All of the run at once, if all of it is ordered before. False: nothing was done.
bool write_run(Shadow& shadow, const Actor& actor, const Run& run);
void read_wide(Shadow& shadow, const Actor& actor);   // 8 or 16 bytes a lane, anywhere
void read_lanes(Shadow& shadow, const Actor& actor);  // 4 bytes a lane, all lanes, anywhere

// A read of `spot.bytes` by each of its lanes.
void read_part(Shadow& shadow, const Actor& actor, const Spot& spot);

// ---- the exact path: any state, byte by byte
// ---------------------------------------------------------------

// Reports what is wrong with the lanes of `spot` all accessing its bytes now. Changes nothing else.
void check_exact(Shadow& shadow, const Actor& actor, const Spot& spot);
// Makes the access part of the word's history. Writes: one lane.
void commit_exact(Shadow& shadow, const Actor& actor, const Spot& spot);

// All lanes of an access, place by place, whatever their pattern.
void touch_exactly(Shadow& shadow, const Actor& actor);

// The word's history in full, writers by rising emulated order: where it is kept, else in Shadow::scratch. It
// is valid until the next history is expanded; fold puts a changed one back, and may take its vectors.
WordHistory& expand(Shadow& shadow, uint32_t word);
void fold(Shadow& shadow, uint32_t word, WordHistory& history);
void release_history(Shadow& shadow, Cell& cell);  // of a cell that is written anew
// Cell::writer from Shadow::split, of which at least one byte is written.
void summarise_split(Shadow& shadow, uint32_t word);

// ---- reports
// ---------------------------------------------------------------

void report_race(Shadow& shadow, const Actor& actor, const Spot& spot, const Touch& first, bool first_writes);
void report_uninitialised(Shadow& shadow, const Actor& actor, const Spot& spot);
void report_pending(Shadow& shadow, const Actor& actor, const Spot& spot);

}  // namespace wl::emulator
