// Proof that a wrong element was made of wrong inputs, and the lines at which they came in. Internal to
// diagnosis.
#pragma once

#include "instrumentation/diagnosis/why/chain.h"

#include <vector>

namespace wl::diagnosis {

// Marks as `misled` those of the suspect lines at which inputs came in that the element's reference is not
// made of, or that put the value where another belongs. The route is moved about.
Evidence evidence_of(const Doubt& doubt, std::vector<ProvenanceLine>& lines);

}  // namespace wl::diagnosis
