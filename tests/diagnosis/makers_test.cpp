// Lines that no value came through, and that are suspected all the same.
#include "instrumentation/diagnosis/search/suspects/makers.h"

#include "tests/support/rewrites.h"

#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

// A compiler makes no code of what nobody asks for; of functions that take no part nothing is suspected.
TEST(Makers, WhatAFunctionMakesAndNeverAsksForIsSuspected) {
    const rewrite::Source s = test::source_of(
        "__device__ int own(int i) {\n"
        "    const int twice = 2 * i;\n"
        "    return i;\n"
        "}\n"
        "__global__ void f(const float* x, float* y, float least) {\n"
        "    const int i = threadIdx.x;\n"
        "    const float smaller = x[i] - 1.0f;\n"
        "    const float larger = x[i] + 1.0f;\n"
        "    y[i] = larger;\n"
        "}\n"
    );
    rewrite::SearchContext context;
    context.suspicion.emplace(9, 0);
    add_unread(s, context);
    EXPECT_EQ(
        context.suspicion,
        (std::map<int, int>{
            {7, 1},
            {9, 0}
    })
    );
}

}  // namespace
}  // namespace wl::diagnosis
