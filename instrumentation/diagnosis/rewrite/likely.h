// How likely a change is as text, whatever it does: a right program says what it says elsewhere, and uses
// what it has.
#pragma once

#include "instrumentation/diagnosis/rewrite/change.h"
#include "instrumentation/diagnosis/rewrite/source.h"

#include <vector>

namespace wl::diagnosis::rewrite {

// Sets Rewrite::odds of each.
void weigh(const Source& source, std::vector<Rewrite>& all);

constexpr int kUnseen = -20;         // of a kind that the table does not have
int odds_of(const Rewrite& change);  // odds.cpp: of its kind

}  // namespace wl::diagnosis::rewrite
