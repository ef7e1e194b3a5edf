// Two executors as witnesses of one launch: tile by tile and output by output, within what the arithmetic
// allows.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/device/parting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

// The first element, in the order of blocks and iterations, that no rounding explains.
struct Disagreement {
    int64_t block = capture::kWholeLaunch;
    int warp = -1, iteration = 0, row = 0, col = 0;
    double a = 0, b = 0, allowed = 0;
    uint64_t time = 0;  // of the tile, by a's clock
};

// Of the tiles of one mark, or of one output.
struct Agreement {
    std::string name;
    bool output = false;
    int64_t tiles = 0, missing = 0;   // seen by both; by one alone
    int64_t elements = 0, equal = 0;  // equal: in all their bits
    int64_t compared = 0;  // have a limit: twice what the reference allows, as each of the two may take it
    int64_t unjudged = 0;  // differ, and have none: no reference, or a's own value is far from it
    int64_t beyond = 0;    // differ by more than is allowed
    double worst = 0;      // difference / allowed
    double worst_unjudged = 0;  // of those without a limit: difference / the larger of the two
    std::optional<Disagreement> first;
};

struct Witnesses {
    std::string a, b;                // names of the executors
    std::vector<Agreement> all;      // marks in the order met, then outputs
    std::string fault;               // how a launch of b ended that did not end well
    std::vector<std::string> notes;  // of b
    std::optional<Parting> parting;  // where they disagree: the first store that differs
    std::string parted;              // the same in words
};
// Every element is equal or within what is allowed, and nothing is missing.
bool agree(const Witnesses& witnesses);

// Runs the launch on the options' executor and on `other`, blocks in groups so that memory stays bounded.
// Throws Error, Unsupported and Cancelled as run does.
Witnesses witness(manifest::Problem problem, const Options& options, const execution::Executor& other);

// A line for each mark and output, and one that sums up.
std::string witnesses_text(const Witnesses& witnesses);

// Notes of what was compared; where they disagree a finding, which a race of the capture causes if there is
// one. The verdict follows.
void add_witnesses(capture::Capture& capture, const Witnesses& witnesses);

}  // namespace wl::diagnosis
