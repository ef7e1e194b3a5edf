// Where two executors part: of the block that differs first, the first store that differs.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wl::diagnosis {

// A store of one lane, as both made it; or the last thing before what differs.
struct Parting {
    enum class What : uint8_t {
        store,   // to shared memory: the first that differs by more than kRounding
        bits,    // none does, but this is the first that differs in any bit
        behind,  // all of them are the same: they part behind, in a store to global memory
    };
    What what = What::store;
    int64_t block = 0;
    int warp = -1, lane = -1, epoch = 0;
    uint32_t site = 0;
    std::string text;      // of the instruction
    double a = 0, b = 0;   // what was stored, as the instruction's type has it
    bool missing = false;  // b never made this store
    uint64_t same = 0;     // stores before it that are the same in every bit
};

// Of the size of what is stored. Not derived: what is beyond it is no single rounding of any format but the
// smallest.
constexpr double kRounding = 1e-3;

// What both executors are asked about.
struct Apart {
    const Experiment& experiment;
    const execution::Executable &a, &b;
    int64_t block = 0;
    std::string output;    // whose element differs; empty: a tile's
    uint64_t element = 0;  // of it
};
// Runs the block on both, with its stores. Nothing: b dumps none, or a's stores say nothing of it. Throws
// Cancelled.
std::optional<Parting> find_parting(const Apart& apart);

// "they part at kernels/v2c_3.cu:78, ..."
std::string parting_text(const Parting& parting, const capture::Capture& capture);

}  // namespace wl::diagnosis
