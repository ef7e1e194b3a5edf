// What a recording would take, before it is made.
#pragma once

#include "instrumentation/diagnosis/case.h"

namespace wl::diagnosis {

struct BlockSize {
    int64_t block = 0;
    uint64_t events = 0, tiles = 0;
    uint64_t tile_bytes = 0;  // elements, references, bounds and owners; equal ones are kept once, so at most
    uint64_t reference_bytes = 0;  // of these references and bounds
    uint64_t bytes() const { return events * sizeof(capture::Event) + tile_bytes; }
};

struct Estimate {
    capture::Capture about;         // launch only
    std::vector<BlockSize> blocks;  // in their order
    uint64_t bytes = 0;             // in memory, all of them
    // About what the file takes: the blocks within the limit as the first one does, which is recorded for
    // this (where it lies beyond the limit its tiles alone, which stay); the outputs with their references; a
    // row for each tile of every block, taken to have as many as the first.
    uint64_t record_bytes = 0, output_bytes = 0, row_bytes = 0;
    uint64_t file_bytes = 0;  // all of it
    uint64_t limit = 0;       // Options::record_bytes
    size_t fitting = 0;       // at least: blocks, from the first on, that lie within the limit
};

// `blocks`: linear, not empty. Counts by running them with marks and without keeping anything; then records
// the first to see what it takes in a file. The reference is not computed. Throws Error, Unsupported and
// Cancelled.
Estimate estimate(manifest::Problem problem, const Options& options, const std::vector<int64_t>& blocks);

}  // namespace wl::diagnosis
