// How likely a change is as text, whatever it does: a right program says what it says elsewhere, and uses
// what it has.
#pragma once

#include "instrumentation/diagnosis/rewrite/change.h"
#include "instrumentation/diagnosis/rewrite/source.h"

#include <vector>

namespace wl::diagnosis::rewrite {

// Sets Rewrite::log_prior of each.
void weigh(const Source& source, std::vector<Rewrite>& all);

constexpr int kUnseen = -20;              // of a kind that the table does not have
int log_prior_of(const Rewrite& change);  // log_priors.cpp: of its kind

}  // namespace wl::diagnosis::rewrite
