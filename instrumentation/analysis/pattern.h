// Which elements of an array are marked (wrong, never written), as a description that a reader can act on.
#pragma once

#include "instrumentation/analysis/axis_pattern.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::analysis {

// Axes that are looked at as one: an axis, several counted through in row-major order, or of the last two how
// far right of the diagonal an element lies.
struct PatternAxis {
    size_t first = 0, count = 1;  // axes of Pattern::extents
    int64_t diagonal = 0;         // 0: none; else the side of its squares, in elements: 1: column - row
    AxisPattern set;              // of a diagonal: column - row (in squares) + the number of rows - 1
};

enum class Fit : uint8_t {
    none,       // nothing is marked
    exact,      // the described elements are the marked ones
    among,      // all marked ones are among the described
    about,      // most of the marked are most of the described
    scattered,  // no description: the marked ones follow no pattern that was looked for
};

struct Pattern {
    std::vector<int64_t> shape;
    std::vector<int64_t> extents;  // of the shape's axes that have more than one place
    std::vector<size_t> named;     // which axes of the shape those are
    Fit fit = Fit::none;
    std::vector<PatternAxis> axes;  // the described elements are the product of these
    bool inverted = false;          // all elements but those of the product
    int64_t marked = 0;             // elements
    int64_t described = 0;          // elements that the description holds
    int64_t both = 0;
    int64_t first = -1;  // the first marked one, row-major
};

// `marked`: a flag an element, row-major, as many as the shape has elements.
Pattern describe(const std::vector<int64_t>& shape, const std::vector<uint8_t>& marked);
bool contains(const Pattern& pattern, int64_t element);

// Names of the axes where nothing better is known: "element" of a vector, "row" and "column" of the last two,
// "axis-0 index" of those before.
std::vector<AxisName> default_names(size_t rank);

// "columns 512 and up in every row", "among the last 7 rows (658 of these 672 elements)", "206 scattered
// elements, the first at [0, 3]". As many names as the shape has axes.
std::string words(const Pattern& pattern, const std::vector<AxisName>& names);

}  // namespace wl::analysis
