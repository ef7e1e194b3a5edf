// Which inputs an element of the reference is made of, found by changing inputs and computing it again.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/manifest/manifest.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// Elements of one array argument: flat indices, unbroken stretches by rising order, ends included.
using Stretches = std::vector<std::pair<int64_t, int64_t>>;

struct ReferenceInputs {
    manifest::Problem problem;                           // its inputs are changed and put back
    analysis::Window window;                             // of one element
    double value = 0;                                    // of the reference, with the inputs as they are
    std::map<std::pair<size_t, int64_t>, bool> known{};  // by argument and element
    std::string failure{};  // why an answer is none; then the others are none either
    std::chrono::steady_clock::time_point deadline{};  // of a reference that takes its time
};

// Nothing where the reference is no function of the inputs that could be computed again here (a file, another
// kernel), or has no such element. A function in Python is asked again and again, for a minute at most.
std::optional<ReferenceInputs> reference_inputs_of(
    const manifest::Problem& problem, const analysis::Window& window
);

// The least and the largest finite element.
std::pair<double, double> extremes(const Tensor& tensor);

// Arrays whose elements are changed. Of wider integers those that have different values: each takes
// another's.
bool is_changeable(const manifest::BoundArgument& argument);

// Is the reference's element made of this element, whatever the values? Of a maximum every operand counts, of
// what is masked nothing does.
bool is_made_of(ReferenceInputs& needs, size_t argument, int64_t element);

// For each window of one element: is it made of this input?
std::vector<bool> made_of(
    ReferenceInputs& needs, size_t argument, int64_t element, const std::vector<analysis::Window>& windows
);

// Of the elements, at most `most` spread over them: the first that the reference is not made of. None of an
// output of which it is made nowhere.
std::optional<int64_t> foreign_element(
    ReferenceInputs& needs, size_t argument, const Stretches& read, int most
);

// The first element outside the stretches that the reference is made of.
std::optional<int64_t> missing_element(ReferenceInputs& needs, size_t argument, const Stretches& read);

}  // namespace wl::diagnosis
