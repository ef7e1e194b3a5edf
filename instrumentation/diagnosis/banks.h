// Counting a kernel's bank conflicts and sectors, and proving by further runs what another layout would save.
#pragma once

#include "instrumentation/analysis/banks.h"
#include "instrumentation/diagnosis/case.h"

namespace wl::diagnosis {

// A remedy that was run: all blocks again, counted under the other layout.
struct ProvenRemedy {
    analysis::Remedy remedy;
    uint64_t before = 0, after = 0, ideal = 0;  // wavefronts of every instruction that touches the array
    bool same_results = false;                  // every byte of global memory is as in the first run
};

struct BankReport {
    capture::Capture about;  // launch, sources and sites; nothing else
    int64_t blocks = 0;
    std::vector<analysis::SharedArray> arrays;
    std::vector<capture::AccessSite> shared, global;  // worst first
    std::vector<analysis::AccessLine> shared_lines, global_lines;
    std::vector<ProvenRemedy> remedies;  // by array, the better one first
    std::vector<uint32_t> uncounted;     // sites
    bool patterns_complete = true;
};

// Are other layouts looked for, and run?
enum class Remedies : uint8_t { prove, skip };

// `blocks`: linear, empty: all. Throws Error (compile error, bad launch), Unsupported and Cancelled.
BankReport count_banks(
    manifest::Problem problem,
    Options options,
    const std::vector<int64_t>& blocks,
    Remedies remedies = Remedies::prove
);

}  // namespace wl::diagnosis
