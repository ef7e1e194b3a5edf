// How the verdicts on tiles and outputs, and the limits, of capture.h are said.
#pragma once

#include "instrumentation/capture/capture.h"

#include <array>
#include <string_view>

namespace wl::capture {

constexpr std::array<std::string_view, 4> kVerdictNames = {"ok", "bad", "not compared", "undecided"};
constexpr std::array<std::string_view, 6> kLimitNames = {
    "none", "worst case", "probable", "estimated", "tolerance", "exact"};
constexpr std::string_view name_of(Limit limit) { return kLimitNames[static_cast<size_t>(limit)]; }

}  // namespace wl::capture
