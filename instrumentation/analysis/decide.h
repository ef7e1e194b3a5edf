// Which limit decides about an output, and whether it can: a bound that lets zero pass is no verdict.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/capture/capture.h"

#include <optional>
#include <string>

namespace wl::analysis {

// Of the output's typical size: from here on the worst case leaves the decision to the probable limit, and
// what is inside that and still no tighter than this is undecided.
constexpr double kVacuous = 0.01;
// A tolerance is the user's own word; but one as large as the values themselves lets zeros pass.
constexpr double kVacuousTolerance = 1;

struct Allowed {
    std::optional<double> tolerance, rtol;  // the manifest's
};

// Settles the limits in `reference.bound`, and fills what is known of them before anything is compared: all
// of Compared but the number of compared elements and of those that nobody wrote.
capture::Compared decide(DType dtype, const Allowed& allowed, ReferenceTile& reference);

// Does the limit decide about values of this size?
bool decides(const capture::Compared& compared);

// "worst case, 0.02 % of the typical 5.3": the limit that decided, with the others that were there.
std::string limit_text(const capture::Compared& compared);

// Why a comparison that was made says neither right nor wrong; empty: it does.
std::string undecided_text(const capture::Output& output);

// Behind a finding about an output: what the limit rests on, where that is less than a worst case. May be
// empty.
std::string limit_sentence(const capture::Output& output);

}  // namespace wl::analysis
