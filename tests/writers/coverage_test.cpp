// Writers of an array, counted.
#include "instrumentation/analysis/coverage.h"

#include <gtest/gtest.h>

namespace wl::analysis {
namespace {

TEST(Coverage, CountsWhoWroteWhatAndHowOften) {
    // Rows of 4: the first stored once by block 1, the second twice by block 2, the last row never; of it the
    // second half held values.
    std::vector<Writer> writers(12);
    for (size_t i = 0; i < 4; ++i) writers[i] = {1, 0, static_cast<int>(i), 7, 1};
    for (size_t i = 4; i < 8; ++i) writers[i] = {2, 3, 31, 9, i == 6 ? 5U : 2U};
    std::vector<uint8_t> held(12);
    held[10] = held[11] = 1;
    const Coverage c = coverage_of({3, 4}, writers, held);
    EXPECT_EQ(c.elements, 12);
    EXPECT_EQ(c.once, 4);
    EXPECT_EQ(c.many, 4);
    EXPECT_EQ(c.stale, 2);
    EXPECT_EQ(c.never, 2);
    EXPECT_EQ(c.most_stores, 5U);
    EXPECT_EQ(c.most_stored, 6);
    EXPECT_EQ(c.blocks, 2);
    EXPECT_EQ(c.by_warp, (std::vector<int64_t>{4, 0, 0, 4}));
    EXPECT_EQ(c.by_lane[31], 4);
    EXPECT_EQ(
        c.by_site,
        (std::vector<std::pair<uint32_t, int64_t>>{
            {7, 4},
            {9, 4}
    })
    );
    EXPECT_EQ(words(c.unwritten, default_names(2)), "the last row");
    EXPECT_EQ(words(c.repeated, default_names(2)), "row 1 of 3");
    EXPECT_EQ(coverage_of({3, 4}, writers, {}).never, 4) << "nothing was held";
    EXPECT_EQ(coverage_of({0}, {}, {}).elements, 0);
}

}  // namespace
}  // namespace wl::analysis
