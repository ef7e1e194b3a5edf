// Numbers of the source that are solved for: from how far results are off with three of them follows the one
// with which they would not be.
#pragma once

#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/diagnosis/search/source_trials.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Sample {
    double number = 0, difference = 0;  // what the number makes of the largest difference of an output
};
// Where a difference of |a * (number - root)| is zero, of three samples that agree on it; nothing where they
// do not. NaN: none.
double root_of(const std::vector<Sample>& samples);

// What somebody would have written for it, the nearest first: few digits, a quotient of small numbers, a
// constant with a name, a number in play or what is made of it.
std::vector<std::string> plain_numbers(double value, const std::vector<int64_t>& in_play);

// What `t` tries, with other changes, until it is late or all of them are tried.
void try_others(const SourceTrials& t, const std::vector<rewrite::Rewrite>& changes, SearchResult& out);

// Of the real numbers that `t` tries to change; until its time is over.
void search_solved(const SourceTrials& t, SearchResult& out);

}  // namespace wl::diagnosis
