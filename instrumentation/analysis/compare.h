// Two captures of one problem, stage by stage: where they first part, and by how much.
#pragma once

#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/source_diff.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::analysis {

enum class Agreement : uint8_t {
    identical,  // every element, bit for bit in value
    rounding,   // every |a - b| within the two bounds together
    differ,
    elsewhere,  // their references differ: the tiles are not the same window of the same tensor
};

// The tiles of one mark, of the same block (whole launch: outputs) and iteration.
struct TilePair {
    int a = -1, b = -1;  // indices in the captures' tiles
    Agreement agreement = Agreement::identical;
    int64_t elements = 0,
            different = 0;      // in the rows and columns that both have; different: beyond rounding
    double max_difference = 0;  // |a - b| over finite elements
    int row = -1, col = -1;     // the first different element
};

struct ProbePairs {  // a mark that both captures have, in the kernel time of a
    std::string name;
    int a = -1, b = -1;  // probes
    int64_t pairs = 0, identical = 0, rounding = 0, differ = 0, elsewhere = 0;
    double max_difference = 0;
    double max_excess_a = 0, max_excess_b = 0;  // of all tiles of the captures, recorded or not
    int64_t bad_a = 0, bad_b = 0;               // tiles, likewise
};

struct FirstDifference {
    TilePair pair;
    int last_a = -1, last_b = -1;  // the tiles before it in which both agree; -1: none
    double value_a = 0, value_b = 0;
    std::optional<double> reference;
    std::optional<FactorFit> factor;    // b = factor * a
    std::string stage;                  // of a, empty: unknown
    std::vector<int> lines_a, lines_b;  // of the kernels' own sources: what ran in that stage up to the mark
};

struct CaptureComparison {
    std::vector<int64_t> blocks;  // recorded in both
    std::vector<ProbePairs> probes;
    std::vector<std::string> only_a, only_b;  // marks and outputs
    std::optional<FirstDifference> first;     // in kernel time
    std::vector<Hunk> near, far;       // changes of source that touch the lines of that stage; the others
    int source_a = -1, source_b = -1;  // indices in the captures' sources
};

// Throws Error when neither a tile nor an output is there in both.
CaptureComparison compare_captures(const capture::Capture& a, const capture::Capture& b);

}  // namespace wl::analysis
