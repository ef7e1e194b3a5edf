// Changes that are made at several places at once.
#pragma once

#include "instrumentation/diagnosis/rewrite/change.h"
#include "instrumentation/diagnosis/rewrite/source.h"

#include <vector>

namespace wl::diagnosis::rewrite {

// Of changes of one place those of all the places that read alike, where these are few and near; the
// likeliest ones. Changes have their log priors.
void add_alike(const Source& source, std::vector<Rewrite>& all);

// One change of one place, at all the places that read alike.
std::vector<Rewrite> alike_of(const Source& source, const Rewrite& one);

}  // namespace wl::diagnosis::rewrite
