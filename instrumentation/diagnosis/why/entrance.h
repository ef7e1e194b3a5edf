// The link at which an input comes in that an element's reference is not made of, and where one stays away
// that it is made of. Internal to diagnosis.
#pragma once

#include "instrumentation/diagnosis/why/chain.h"
#include "instrumentation/diagnosis/why/reference_inputs.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace wl::diagnosis {

struct InputPlace {
    size_t argument = 0;  // of Problem::args
    int64_t element = 0;
};
InputElement input_element(const Chain& chain, const InputPlace& input);

constexpr size_t kPassings = 1 << 20;  // that are kept of a slice

// Other elements whose reference is made of the input are followed as well: as far as their way and the wrong
// element's are one, it is the right way, and where the wrong one's leaves it the input comes in (as the dice
// of two slices: Lyle and Weiser, 1987). Nothing: it is not known, as the chain is too long, or cut.
// `whole`: the slice of the wrong element, with its passings.
std::optional<Entrance> entrance_of(
    const Doubt& doubt, ReferenceInputs& needs, const InputPlace& input, const travel::Slice& whole
);

// Elements of the argument that a lane on the way reads, for whatever: to compare, to choose.
Stretches read_on_the_way(const Doubt& doubt, size_t argument, const travel::Slice& whole);

// The last step that takes something from shared memory or another lane; nullptr: none does.
const travel::SliceStep* last_exchange(const Doubt& doubt, const travel::Slice& whole);

// `beside`: the step of `whole` that reads nearest to the input, null where
// none reads the argument.
Absence absence_of(
    const Doubt& doubt, const InputPlace& input, const travel::Slice& whole, const travel::SliceStep* beside
);

}  // namespace wl::diagnosis
