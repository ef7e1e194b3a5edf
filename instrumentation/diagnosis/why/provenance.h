// Where an element of a tile or an output comes from: the instructions and tiles of its block that it came
// through, back to the inputs, and the first of those tiles' elements that is wrong.
#pragma once

#include "instrumentation/diagnosis/why/chain.h"

#include <cstdint>
#include <optional>

namespace wl::diagnosis {

// Of an element of an output that no recorded block wrote its first byte in the array; else nothing.
std::optional<uint64_t> unrecorded_element(
    const capture::Capture& capture, const Question& question, uint64_t address
);
Asked resolve(const capture::Capture& capture, const Question& question, uint64_t address);

Provenance provenance(const Chain& chain, const Asked& asked);

}  // namespace wl::diagnosis
