// What an array that a function does not look up, or not so, would be looked up by.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

// "[row][t]", "[y * w + x]", likely ones first: as the function looks up it and what has as many dimensions;
// rows and columns of what it compares with an extent each; its numbers and sums of them.
struct Subscript {
    std::string text;
    int bias = 0;  // a log prior
};
std::vector<Subscript> subscripts_at(const Writer& w, const Body& body, const Variable& of, int here);

// What it compares with an extent: `x < w`, `for (...; i < n; ...)`, `if (row >= rows) return`.
struct Coordinate {
    std::string text, extent;
};
std::vector<Coordinate> coordinates_at(const Writer& w, const Body& body, int here);

}  // namespace wl::diagnosis::rewrite
