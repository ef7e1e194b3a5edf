// The recorded pass: chosen blocks again, with every event and element, up to a limit that whole blocks meet.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/observe.h"

namespace wl::diagnosis {

// Records the blocks in their order into the observer's capture, whose summaries of their tiles it replaces.
// A block that would go over Options::record_bytes is left out and said so in a note; of the first block,
// which the verdict rests on, the elements stay. Throws Cancelled.
std::vector<execution::Incident> record_blocks(
    const Experiment& e,
    const execution::Executable& executable,
    Observer& observer,
    const std::vector<int64_t>& blocks
);

// "1.5 MB", in powers of 1000.
std::string bytes_text(uint64_t bytes);

}  // namespace wl::diagnosis
