// Expressions of layouts as people write them: CuTe's strings, plain rows and columns, and operations on
// these.
#pragma once

#include "instrumentation/layouts/layout.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::layouts {

struct Swizzled {
    std::optional<Swizzle> swizzle;  // behind the layout
    Layout layout;
    // Of Triton's linear layouts: what each bit of the index adds by XOR, in place of the layout's strides.
    std::vector<int64_t> linear{};
};
int64_t cosize(const Swizzled& l);  // no offset lies at it or beyond
int64_t offset(const Swizzled& l, int64_t index);
int64_t offset(const Swizzled& l, int64_t i, int64_t j);
std::string text_of(const Swizzled& l);  // "Swizzle<3,3,3> o (8,64):(64,1)"

// "((2,4),8):((1,16),2)", "(8,8)" (compact, first mode first), "Swizzle<3,3,3> o (8,64):(64,1)",
// "row(64,64,72)" and "col(64,64,72)" (rows, columns, leading dimension), "coalesce(L)", "flatten(L)",
// "complement(L,N)", "compose(A,B)" or "A o B", "divide(A,B)", "product(A,B)"; Triton's linear layouts
// (linear.h). Throws Error with the place of what cannot be read.
Swizzled parse(std::string_view text);

}  // namespace wl::layouts
