// A call that failed.
#pragma once

#include "instrumentation/order/timelines.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wl::runtime {

struct FailedCall {
    order::Operation operation;
    std::string why;
    std::vector<std::pair<uint64_t, uint64_t>> missing;  // bytes [first, second)
};

}  // namespace wl::runtime
