// Changes of a source, compiled many at a time and tried: those that are forms of one statement in one text
// that holds them all, the others each in a text of its own.
#pragma once

#include "instrumentation/compile/variants.h"
#include "instrumentation/diagnosis/rewrite/switched.h"
#include "instrumentation/diagnosis/search/hunt.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct SourceTrials {
    Hunt hunt;
    const Experiment& e;
    const compile::Quick& quick;
    const rewrite::Source& source;
    const std::vector<rewrite::Rewrite>& all;
    std::vector<rewrite::Slot> slots;
    std::vector<int> slot;      // of each change; -1: it takes a text of its own
    std::vector<uint8_t> done;  // of each change; set by the thread that tries it
    std::vector<std::vector<size_t>> batches = {};
};

// In the order of the changes; a batch is of one kind. Of those that are not done.
std::vector<std::vector<size_t>> batches_of(const SourceTrials& t);

// On any thread, with a prover of its own.
void try_batch(SourceTrials& t, Prover& prover, const std::vector<size_t>& changes);

Trial try_variant(
    const Experiment& e, Prover& prover, const std::string& ptx, size_t variant, const TrialOptions& options
);

}  // namespace wl::diagnosis
