#pragma once

#include "instrumentation/base/error.h"

namespace wl::runtime {

// PTX that reads well and that no device's compiler takes: what ptxas says of it.
struct InvalidPtx : Error {
    using Error::Error;
};

}  // namespace wl::runtime
