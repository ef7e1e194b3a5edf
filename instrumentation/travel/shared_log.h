// All that a block does to its shared memory, from one run of it: who writes which bytes when, which copies
// are issued and land, which matrices its marks name, and what its requests look like. Models loads, stores,
// atomics, fragments, cp.async and bulk copies, and what mbarrier.init leaves. Not modelled: how the words of
// mbarriers change.
#pragma once

#include "instrumentation/capture/banks.h"
#include "instrumentation/travel/instant.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wl::travel {

// An executed instruction that writes shared memory, or issues copies there.
struct SharedStore {
    uint64_t order = 0, time = 0;
    uint32_t site = 0;
    int warp = 0;
    int stage = -1;               // that the warp is in: index in SharedLog::stages
    bool copy = false;            // asynchronous
    uint32_t first = 0, end = 0;  // in SharedLog::pieces
};
struct SharedPiece {
    uint32_t offset = 0;
    uint8_t bytes = 0, lane = 0;
};
// Lanes of a store write; or their copies are issued, or have landed.
struct SharedEvent {
    enum class Kind : uint8_t { write, issue, land } kind = Kind::write;
    uint64_t order = 0;  // of the instruction; of landings: that let them land
    uint32_t store = 0;
    uint32_t lanes = 0;
    int epoch = 0;  // of the warp that wrote, or whose instruction that was
};

// A matrix that a mark names, each time that the block comes to it.
struct SharedMark {
    std::string name;
    ptx::Mark::Kind kind = ptx::Mark::Kind::tile;
    DType dtype = DType::f32;
    uint32_t offset = 0;
    int rows = 0, cols = 0, ld = 0;
    bool column = false;
    uint32_t site = 0;
    uint64_t order = 0;
    int warp = -1;         // of a warp's own tile
    std::string layout{};  // a notation in place of rows, cols and ld
};

struct SharedLog {
    std::vector<SharedStore> stores;  // by rising order
    std::vector<SharedPiece> pieces;
    std::vector<SharedEvent> events;  // the same
    std::vector<SharedMark> marks;    // the same
    std::vector<std::string> stages;
    std::map<std::pair<int, int>, std::vector<uint64_t>> entries;  // orders, by warp and stage
    std::vector<capture::AccessPattern> patterns;                  // of shared memory, by site
    bool patterns_complete = true;
};

// Runs the block to its end. Throws Unsupported where that takes more memory than a log may have.
SharedLog log_shared(Route& route);

}  // namespace wl::travel
