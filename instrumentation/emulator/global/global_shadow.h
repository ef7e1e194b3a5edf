// The shadow of global memory during one launch: who wrote and who read each unit of 1, 2 or 4 bytes last,
// checked for races between blocks and between warps of a block. Pages are made when they are first touched.
// Modelled: plain, volatile and atomic accesses; order by global_order.h. Atomic and volatile accesses among
// themselves are no race, but a volatile read that nothing orders behind another block's volatile store
// without a fence is one, unless it polls. A plain store of what is there already is none. Lanes of a warp
// are ordered by their own program, by syncwarps and by the block's barriers, and reads by the warp-wide
// instructions that take their values in. Surfaces and memory of malloc count as global memory. Not modelled:
// textures, which no kernel can write; of three and more readers that nothing orders two are kept, of
// different blocks where there are such, and of those of one warp the latest.
#pragma once

#include "instrumentation/emulator/contract.h"
#include "instrumentation/emulator/global/global_order.h"
#include "instrumentation/emulator/program/program.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace wl::emulator {

// Accesses of one instruction by one warp, in one interval between its synchronisations.
struct GlobalRecord {
    enum Flags : uint8_t {
        kWrite = 1,
        kStrong = 2,
        kUpdate = 4,      // atom, red
        kFenced = 8,      // a flag: the fence before it covers what was written, and it is written next
        kBlockOnly = 16,  // .cta
        kOrdered = 32,    // atomic, or of an order; else a strong access is volatile
        kPolls = 64,
        kLater = 128  // a copy, whose bytes arrive when it is waited for
    };
    uint32_t block = 0, site = 0;
    Moment at = 0;
    uint16_t epoch = 0;
    uint8_t warp = 0, flags = 0;
};

// A record and a lane in one word; 0: nobody. The topmost bit of a second reader: no further one is needed.
constexpr uint32_t kLaneBits = 5;
constexpr uint32_t kSettled = 1u << 31;
// The same bit of a writer: several lanes of the instruction stored there, and whose value stayed is not
// kept.
constexpr uint32_t kSeveral = kSettled;
constexpr int kSomeLane = -1;  // of several
constexpr uint32_t kRecordsOfChunk = 1u << 12;
constexpr uint32_t kMostChunks = (kSettled >> kLaneBits) / kRecordsOfChunk;
constexpr uint32_t kPageBytes = 4096;

// While only whole lines of units are touched, all lanes of a line in one way, a page has one entry a line:
// that of its first unit, whose neighbours have the lanes behind.
constexpr uint32_t kLineShift = 5, kUnitsOfLine = 1u << kLineShift;

struct GlobalPage {
    std::atomic_flag lock;
    bool by_line = false;
    uint8_t shift = 2;                              // a unit has 1 << shift bytes
    uint8_t lane_shift = 0;                         // by line: a lane has 1 << lane_shift units
    std::vector<uint32_t> writer, reader, reader2;  // by unit or line; empty: nobody yet
    std::vector<uint32_t> plain;                    // the last plain store, where atomics have come since
};

// Of one allocation. Pages begin at multiples of kPageBytes of the device address, wherever the allocation
// begins and ends, so that an aligned access lies in one page and its units in the grid of the page. Two
// allocations that share such a page have one each.
struct GlobalRegion {
    uint64_t first_page = 0;  // address / kPageBytes
    std::vector<std::atomic<GlobalPage*>> pages;
};

struct LookFor {
    bool witnesses = false;       // on one thread: who races with whom; else only whether anything does
    bool blocks_ordered = false;  // something may order one block behind another: only on one thread
};

struct GlobalShadow {
    GlobalMemory* memory = nullptr;
    const CollectiveReads* collective_reads = nullptr;
    LookFor look_for;
    std::vector<GlobalRegion> regions;
    std::mutex lock;  // of pages being made
    std::deque<GlobalPage> pages;
    std::vector<std::atomic<GlobalRecord*>> records = std::vector<std::atomic<GlobalRecord*>>(kMostChunks);
    std::vector<std::unique_ptr<GlobalRecord[]>> chunks;  // that they lie in
    GlobalOrder order;
    std::atomic<bool> raced = false, full = false;
    std::atomic<bool> updated = false;                            // by atomics
    std::map<std::pair<uint32_t, uint32_t>, Incident> incidents;  // by sites
    std::vector<std::pair<uint32_t, uint32_t>> found;             // their keys as they were found
    std::map<std::pair<uint32_t, uint32_t>, Incident> met;        // Contest::met, by sites
    bool programmatic = false;  // what warps do before griddepcontrol.wait is kept beside
    std::mutex early_lock;
    std::vector<execution::Touched> early;
    size_t early_merged = 0;  // of them, when neighbours were last made one
    std::atomic<bool> lets_dependents = false;
    std::vector<char> read_only;  // by site: a load by ld.global.nc; empty: there are none
    std::vector<char> acquires;   // by site: an access that acquires
    std::mutex stale_lock;
    std::map<std::pair<uint32_t, uint32_t>, Incident> stale;  // of these loads, by sites
};

// Two accesses that nothing orders, the earlier one in emulated order first.
struct GlobalConflict {
    GlobalRecord first;
    int first_lane = 0, lane = 0;  // or kSomeLane
    const Allocation* allocation = nullptr;
    uint64_t offset = 0;
    uint32_t bytes = 0, first_bytes = 0;  // where both meet; of that what `first_lane` touched
    uint64_t before = 0;                  // what lies there before the second access, at most 8 bytes
    bool first_known = true;              // that is what the first one stored or read
    // What two lanes of one instruction store.
    std::optional<std::pair<uint64_t, uint64_t>> stored = {};
};

struct GlobalCheck;
struct ProxyShadow;

// What one worker needs for it.
struct GlobalActor {
    GlobalShadow* shadow = nullptr;
    const GlobalCheck* check = nullptr;
    BlockOrder order;
    struct Recent {
        uint32_t number = 0;  // of the record; 0: none
        GlobalRecord record;
    };
    std::vector<std::array<Recent, 16>> recent;  // by warp and site
    uint32_t next_record = 0, end_record = 0;
    OpenReads open_reads;
    std::shared_ptr<ProxyShadow> proxies;      // nullptr: no bulk copy reads shared memory
    std::array<uint32_t, kMaxWarps> waited{};  // lanes that have executed griddepcontrol.wait
    std::vector<GlobalConflict> conflicts;     // of the instruction that is being executed
    size_t last_region = 0;
};

// One instruction of one warp, one access of every lane in `mask`.
struct GlobalTouch {
    GlobalRecord record;  // `at` is filled in
    uint32_t mask = 0, bytes = 0;
    std::span<const uint64_t, 32> at;  // addresses
};

void start(GlobalShadow& shadow, GlobalMemory& memory, LookFor look_for);
void begin(GlobalActor& actor, GlobalShadow& shadow, int64_t block, Shadow& of_block);

// Notes the access; what it conflicts with is appended to `actor.conflicts`. Lanes outside every allocation
// are left out. Call before the instruction is executed.
void touch(GlobalActor& actor, GlobalTouch& touch);

// As of the block's own shadow.
void take_in(GlobalActor& actor, int warp, uint32_t site, uint32_t lanes);

// malloc has given out so many bytes at this address of the heap, both multiples of 16: what was there before
// is no access of theirs.
void forget(GlobalShadow& shadow, uint64_t address, uint64_t bytes);

// Two lanes of the instruction store different values into one place.
struct StoredTogether {
    int first_lane = 0, lane = 0;
    uint64_t first = 0, second = 0;  // at most 8 bytes of the values
};
void touch_together(GlobalActor& actor, const GlobalTouch& touch, const StoredTogether& stored);

// What the launch reached, when it is over; nothing: not all of it was seen.
std::optional<execution::Reached> reached(const GlobalShadow& shadow, const Program& program);

// Lanes of a programmatic launch touch memory before they have waited for the launch before it.
void note_early(GlobalActor& actor, const GlobalTouch& touch);

// The conflict as an incident: once a pair of sites, with a count.
void report(GlobalShadow& shadow, const GlobalConflict& conflict, Incident incident);

}  // namespace wl::emulator
