// The verdict on a run, and what it covers.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>
#include <vector>

namespace wl::analysis {

// What keeps a run without findings from being ok, an entry an output or a mark: "C is not compared: no
// reference".
std::vector<std::string> gaps(const capture::Capture& capture);

// One of capture::kVerdictWords: findings before errors before gaps.
std::string verdict_of(const capture::Capture& capture);

// "C: 64 of 64 elements compared", for every output, joined by "; ".
std::string compared_text(const capture::Capture& capture);

// "NaN", "NaN or infinite": what every element of the tile is. Empty: some are finite, and its least, its
// largest and the largest difference are theirs.
std::string unmeasured_text(const capture::Tile& tile);

// "seed 0, M=128 N=96": the inputs and the shape that the verdict is about.
std::string run_text(const capture::Capture& capture);

}  // namespace wl::analysis
