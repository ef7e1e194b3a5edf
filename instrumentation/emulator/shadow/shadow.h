// The shadow of one block's shared memory: last writer and readers of every byte, checked for races,
// uninitialised reads and copies not waited for. By happens-before, never by the order of emulation.
// Modelled: bar.sync, bar.arrive, bar.warp.sync, mbarrier, atomics, cp.async, reads whose value went into a
// warp-wide instruction; what volatile and atomic accesses behind fences hand on comes from global_order.h.
// Not modelled: shared memory of other blocks of a cluster.
#pragma once

#include "instrumentation/emulator/contract.h"
#include "instrumentation/emulator/shadow/clocks.h"
#include "instrumentation/emulator/shadow/open_reads.h"

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace wl::emulator {

struct CollectiveReads;

// One instruction of one warp. Lanes outside `mask` are not looked at; every lane in it lies inside the
// block's shared memory and is aligned to `bytes` (the caller suppresses faulty lanes first).
struct WarpAccess {
    int warp = 0;
    uint32_t site = 0;                    // instruction index
    uint32_t mask = 0;                    // lanes that take part
    uint32_t bytes = 4;                   // a lane: 1, 2, 4, 8 or 16
    const uint32_t* addresses = nullptr;  // [32] offsets in the block's window
    // The lanes' values, for witnesses and to tell a harmless overlap within one store (equal values: one
    // write, by the last of the lanes) from a race. A lane's value is `components` pieces of bytes /
    // components; piece c of lane l lies at values[c] + l * value_stride. No values: overlapping lanes of one
    // store count as different.
    const std::byte* values[4] = {nullptr, nullptr, nullptr, nullptr};
    uint32_t components = 1;    // 1, 2 or 4
    uint32_t value_stride = 4;  // bytes
    // The block's shared memory as the access finds it, for witnesses and to tell a store of what is there
    // already, which is no race. None: the first access of a race has no value.
    const std::byte* memory = nullptr;
};

// Rows of consecutive bytes that a warp reads together and where it is not said which lane gets which
// (ldmatrix, wmma.load): every lane of `mask` counts as a reader of every byte.
struct RowsAccess {
    int warp = 0;
    uint32_t site = 0;
    uint32_t mask = 0;
    uint32_t offset = 0, bytes = 0;     // of the first row; multiples of 4
    uint32_t rows = 1, stride = 0;      // stride: bytes from row to row, a multiple of 4
    const std::byte* memory = nullptr;  // as in WarpAccess
};

// How an access meets others that are not plain either.
enum class Strength : uint8_t {
    plain,
    loose,   // volatile: behind no fence if it writes, no poll if it reads
    handed,  // volatile: behind a fence, or a poll
    atomic,  // atomics, and accesses of an order (.relaxed, .acquire, .release)
};

// 4 bytes of shared memory: who wrote them last, who read them since. 16 bytes, laid out so that one vector
// comparison shows "all of it is ordered before this warp" (shadow_cell.h has the fields).
struct alignas(16) Cell {
    uint32_t writer = 0, sites = 0, readers = 0, reader_mask = 0;
};

// A word whose bytes were written by different threads or instructions.
struct SplitWord {
    std::array<uint32_t, 4> writer{};  // as Cell::writer; 0: never written
    std::array<uint16_t, 4> site{};
};

// Accesses by some lanes of a warp, of the bytes of one word that `bytes` masks.
struct Touch {
    Stamp stamp = 0;
    uint32_t lanes = 0;
    uint16_t site = 0;
    uint8_t warp = 0;
    uint8_t bytes = 0;
    Strength strength = Strength::plain;
    bool by_warp = false;  // the stamp orders the warp, not its lanes
    bool vague = false;    // the site is that of another reader of the word
};

// A word whose history fits no Cell: atomic and volatile accesses, readers in several intervals of barriers.
struct WordHistory {
    std::vector<Touch> writers, readers;
};

struct ShadowBlock {
    int64_t block = 0;  // linear index, for witnesses
    int threads = 0;
    uint32_t bytes = 0;  // static and dynamic shared memory
    Checks checks = {};
    const CollectiveReads* collective_reads = nullptr;  // null: no read comes before anything but by barriers
    size_t max_incidents = 1024;  // different causes kept; more are counted in Shadow::dropped
};

struct Shadow {
    ShadowBlock block;
    Clocks clocks;
    OpenReads open_reads;     // where ShadowBlock::collective_reads says which are taken in
    std::vector<Cell> cells;  // a word each
    std::vector<SplitWord> split;
    std::vector<uint64_t> notes;  // further witnesses of a cell's readers
    std::vector<WordHistory> histories;
    std::vector<uint32_t> free_histories;
    WordHistory scratch;
    Strength strength = Strength::plain;  // of the reads and writes that come now
    bool loose_is_plain = false;          // nothing in the program could meet a loose access
    Stamp renumber_at = kLastStamp;       // stamps in use are then counted from 1 again; less only in tests
    std::vector<uint16_t> dense_of_site;  // cells keep 16-bit numbers of sites; 0: none yet
    std::vector<uint32_t> site_of_dense;
    std::vector<Incident> incidents;
    std::map<std::tuple<int, uint32_t, uint32_t>, size_t> incident_of;  // (kind, first site, second site)
    std::vector<uint64_t>
        incident_access;  // the access that found it first: its further lanes join the witness
    uint64_t access_number = 0;
    uint64_t dropped = 0;
};

// A block starts: nothing is written, nothing is pending. Memory of the block before is used again.
void start(Shadow& shadow, const ShadowBlock& block);

// Call in the order of emulation, each with the whole warp's access. Throws Unsupported when a block executes
// more than 65535 different shared memory instructions.
void read_shared(Shadow& shadow, const WarpAccess& access);
void read_rows(Shadow& shadow, const RowsAccess& access);
void write_shared(Shadow& shadow, const WarpAccess& access);
void atomic_shared(Shadow& shadow, const WarpAccess& access);  // atom and red

// cp.async: from here to complete_copy any access of the destination is an async_copy_wait incident.
// `complete` takes the same lanes and addresses once their wait_group or wait_all was executed, when the
// caller moves the data.
void begin_copy(Shadow& shadow, const WarpAccess& access);
void complete_copy(Shadow& shadow, const WarpAccess& access);
// The same for copies whose end an mbarrier tells: who waits for it, and nobody else, is ordered behind them,
// by the release that followed their issue.
void complete_tracked_copy(Shadow& shadow, const WarpAccess& access);

// Synchronisation, as in clocks.h.
void arrive(Shadow& shadow, int barrier, int warp, bool waits);
void complete(Shadow& shadow, int barrier);
void sync_warp(Shadow& shadow, int warp, uint32_t mask);
// mbarriers, by a number of the caller's: an arrival, the end of a phase, a wait that succeeded.
void release(Shadow& shadow, int warp, uint32_t mask, int mbarrier);
void complete_phase(Shadow& shadow, int mbarrier);
void acquire(Shadow& shadow, int warp, uint32_t mask, int mbarrier);
void exit_warp(Shadow& shadow, int warp);
// The warp-wide instruction at `site` is executed by these lanes together: before its own accesses.
void take_in(Shadow& shadow, int warp, uint32_t site, uint32_t lanes);
// What a fence of these lanes covers joins `into`; accesses behind it are later.
void release(Shadow& shadow, int warp, uint32_t mask, Knowledge& into);

// Last writer of the element's first byte that anybody wrote; Owner::kNobody: none of its bytes was written.
capture::Owner owner_of(const Shadow& shadow, uint32_t offset, uint32_t bytes);

// In order of detection; the shadow forgets them. `count` counts words. Races: `first` is the earlier access
// in emulated order, its value what lay there before the second; lanes == 0: one of several reading warps,
// the site is that of another of them. async_copy_wait: `first` is the copy, `second` the access that should
// have waited.
std::vector<Incident> take_incidents(Shadow& shadow);

}  // namespace wl::emulator
