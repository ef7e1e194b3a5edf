// A block's shared memory at an instant: its bytes, who wrote each of them last and when, what is still on
// its way, which regions have a name; and the requests that a line makes.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/capture/banks.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::capture {

// never: nobody wrote it. now: written in the epoch of the warp at the instant. stale: before it. flying: an
// asynchronous copy to it was issued and not waited for; what lies there is what lay there before.
enum class Freshness : uint8_t { never, now, stale, flying };

// A region with a name: a __shared__ variable, or a matrix that a mark or the manifest describes.
struct NamedRegion {
    enum class Kind : uint8_t { variable, tile, warp_tile, layout } kind = Kind::variable;
    std::string name;
    uint32_t begin = 0, end = 0;     // offsets in the block's window
    DType dtype = DType::u8;         // of a variable: as its accesses or marks say
    int rows = 0, cols = 0, ld = 0;  // elements; of a variable 0 where its declaration was not found
    bool column = false;             // ld goes from column to column
    std::string layout;              // a notation (layouts/matrix.h) that takes the place of these
    int warp = -1;                   // whose own tile it is
    std::string file;                // of the mark
    int line = 0;
    bool current =
        true;  // of a name at several places: the last mark before the instant, or the first behind
};

// Who wrote some bytes last, or copies to them.
struct SharedWrite {
    uint64_t order = 0, time = 0;  // of the instruction; time by its warp's clock
    uint32_t site = 0;
    int warp = 0;
    int epoch = 0;            // in which its bytes were there
    int epochs_ago = 0;       // since then, by the warp at the instant
    int iterations_ago = -1;  // how often its warp began the stage anew since; -1: there are no stages
    bool copy = false;        // asynchronous
    std::string place;        // "v2c_4.cu:64", the user's line
};

// Bytes in a row with one history.
struct SharedRun {
    uint32_t begin = 0, bytes = 0;
    int write = -1, lane = -1;          // index in SharedState::writes; -1: never written
    int flight = -1, flight_lane = -1;  // the same of a copy that has not landed
    uint32_t times = 0;                 // how often it was written
    int writers = 0;                    // different threads that wrote to its 4 bytes
};

struct SharedState {
    int64_t block = 0;
    int warp = 0;
    uint64_t time = 0, order = 0;
    int epoch = 0;
    std::string place;              // where the warp stands
    std::vector<std::byte> values;  // all of the block's shared memory
    std::vector<SharedWrite> writes;
    std::vector<SharedRun> runs;       // by rising offset; together all bytes
    std::vector<NamedRegion> regions;  // by offset
};

inline Freshness freshness_of(const SharedState& state, const SharedRun& run) {
    if (run.flight >= 0) return Freshness::flying;
    if (run.write < 0) return Freshness::never;
    const bool now = state.writes[static_cast<size_t>(run.write)].epochs_ago == 0;
    return now ? Freshness::now : Freshness::stale;
}

// One request that an instruction makes of shared or global memory.
struct LineRequest {
    uint32_t site = 0;
    std::string text, place;  // the instruction, "v2c_4.cu:64"
    int warp = 0, epoch = 0;
    uint64_t time = 0, order = 0;
    int number = 0;  // of the instruction's requests
    bool global = false;
    LaneAccesses accesses;
};

}  // namespace wl::capture
