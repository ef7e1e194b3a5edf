// Does an element depend on an input, in the kernel and in its reference? Both are computed with other values
// of the input. Internal to diagnosis.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/why/entrance.h"
#include "instrumentation/diagnosis/why/provenance.h"

#include <optional>

namespace wl::diagnosis {

// The first value of the input that tells kernel and reference apart, and what each gives.
struct Parted {
    double was = 0, now = 0;  // of the input
    double got_was = 0, got_now = 0, reference_was = 0, reference_now = 0;
};

// Of an element, asked about again and again.
struct Dependence {
    const Symptoms& s;
    const Chain& chain;
    const Asked& asked;
    std::optional<double> got = {};  // with the inputs as they are
};

// The kernel's element changes, by more than rounding, and the reference's does not for any value.
std::optional<Parted> alone_in_kernel(Dependence& dependence, const InputPlace& input);
// The reverse.
std::optional<Parted> alone_in_reference(Dependence& dependence, const InputPlace& input);

}  // namespace wl::diagnosis
