// The report of `warplens writers` as text and as JSON, and its map.
#pragma once

#include "app/cli/print.h"
#include "instrumentation/base/tensor.h"
#include "instrumentation/diagnosis/writers.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

// Elements by the line of the user's source that stored them last, most first: "v2c_3.cu:188".
std::vector<std::pair<std::string, int64_t>> lines_of(
    const capture::Capture& about, const analysis::Coverage& coverage
);

std::string writers_text(const diagnosis::WritersReport& report, const Style& style);
std::string writers_json(const diagnosis::WritersReport& report);

// The array's shape and behind it block (-1: never set, -2: as it was before the launch), warp, lane, stores.
Tensor writers_map(const diagnosis::WrittenArray& array);

}  // namespace wl::app
