// Conditions of the source, each held true or false for everybody.
#pragma once

#include "instrumentation/diagnosis/search/search.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

struct Lifts {
    size_t tried = 0;           // conditions
    std::vector<Mended> mends;  // one of each condition that mends alone
};
// Of the conditions that stand on these lines, by file and line. Nothing is tried where there is no source.
Lifts lift_by_line(const Symptoms& s, const std::vector<std::pair<std::string, int>>& lines);

}  // namespace wl::diagnosis
