// Matrices as people write them, Triton's linear layouts, and what another layout would make of a request.
#include "instrumentation/base/error.h"
#include "instrumentation/layouts/linear.h"
#include "instrumentation/layouts/what_if.h"

#include <bit>
#include <gtest/gtest.h>

namespace wl::layouts {
namespace {

TEST(Matrix, EveryNotationOfOneLayoutPlacesItsElementsAlike) {
    const Matrix plain = parse_matrix("f16 64x48:ld=72");
    for (const char* text : {"f16 row(64,48,72)", "f16 (64,48):(72,1)", "f16 ((8,8),48):((72,576),1)"}) {
        const Matrix m = parse_matrix(text);
        ASSERT_EQ(m.rows, 64) << text;
        for (int64_t i = 0; i < 64; ++i)
            for (int64_t j = 0; j < 48; ++j) ASSERT_EQ(byte_of(m, i, j), byte_of(plain, i, j)) << text;
    }
    EXPECT_EQ(byte_of(plain, 3, 5), (3 * 72 + 5) * 2);
    EXPECT_EQ(end_of(plain), (63 * 72 + 48) * 2);
    EXPECT_EQ(text_of(plain), "64 x 48 f16, rows 72 apart");
    const Matrix column = parse_matrix("@128 f32 64x48:ld=66:col");
    EXPECT_TRUE(column.places);
    EXPECT_EQ(byte_of(column, 3, 5), 128 + (5 * 66 + 3) * 4);
    EXPECT_EQ(text_of(column), "64 x 48 f32, columns 66 apart");
}

TEST(Matrix, ElementsAreFoundBackAndTheRestIsPadding) {
    for (const char* text :
         {"f16 8x8:ld=10", "f16 8x8:col", "f16 8x8:swizzle=2,1,3", "s8 Swizzle<2,0,3> o (8,8):(8,1)"}) {
        const Matrix m = parse_matrix(text);
        const std::vector<int32_t> elements = elements_of(m);
        int64_t found = 0;
        for (size_t at = 0; at < elements.size(); ++at) {
            if (elements[at] < 0) continue;
            ++found;
            ASSERT_EQ(offset(m.layout, elements[at] / 8, elements[at] % 8), static_cast<int64_t>(at)) << text;
        }
        EXPECT_EQ(found, 64) << text;
    }
    EXPECT_EQ(elements_of(parse_matrix("f16 8x8:ld=10"))[9], -1);
}

TEST(Matrix, WhatIsNoMatrixIsRefusedWithWhatToWrite) {
    for (const char* text :
         {"",
          "f16",
          "f17 8x8",
          "f16 8x",
          "f16 8x8:ld=4",
          "f16 8x8:swizzle=3,3",
          "f16 8x8:pad=1",
          "f16 ((2,4),8,3)",
          "@x f16 8x8",
          "f32 4096x4096"})
        EXPECT_THROW(parse_matrix(text), Error) << text;
    try {
        parse_matrix("f16 8x8:ld=4");
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("a line has 8 elements, and ld is 4"), std::string::npos);
    }
}

// Row r of 64 halves has its pieces of 8 at p ^ r % 8: as CUTLASS writes it, and as Triton does.
TEST(LinearLayouts, TritonsSwizzledMemoryIsCutesSwizzle) {
    const Matrix triton = parse_matrix(
        "f16 #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, "
        "16], "
        "[4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 128>"
    );
    const Matrix cute = parse_matrix("f16 Swizzle<3,3,3> o (64,64):(64,1)");
    ASSERT_EQ(triton.rows, 64);
    ASSERT_EQ(triton.columns, 64);
    for (int64_t i = 0; i < 64; ++i)
        for (int64_t j = 0; j < 64; ++j)
            ASSERT_EQ(byte_of(triton, i, j), byte_of(cute, i, j)) << i << " " << j;
}

// The accumulator of mma.m16n8: lane l has columns 2 (l % 4) and one more, in rows l / 4 and 8 more.
TEST(LinearLayouts, RegistersAndLanesGiveThePlaceInTheTensor) {
    const Swizzled l = parse(
        "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = "
        "[], block = []}>"
    );
    ASSERT_EQ(l.layout.modes.size(), 3U);
    for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t reg = 0; reg < 4; ++reg) {
            const int64_t row = lane / 4 + reg / 2 * 8, column = lane % 4 * 2 + reg % 2;
            EXPECT_EQ(offset(l, lane * 4 + reg), row * 8 + column);
        }
    EXPECT_EQ(cosize(l), 128);
    EXPECT_THROW(parse("#ttg.shared_linear<{offset = [[0, 1], [0, 1]]}>"), Error);
    EXPECT_THROW(parse("#ttg.linear<{register = [[0, 1}>"), Error);
    EXPECT_THROW(parse("#ttg.linear<register = [[0, 1]]>"), Error);
}

// 32 lanes, one below the other, of a matrix of 32 floats a row.
LaneAccesses down_a_column(uint8_t bytes) {
    LaneAccesses a;
    a.bytes = bytes, a.mask = ~0U;
    for (uint64_t lane = 0; lane < 32; ++lane) a.at[lane] = 1024 + lane * 128;
    return a;
}

TEST(WhatIf, PaddingAndSwizzleFreeAColumnOfItsConflicts) {
    Matrix m = parse_matrix("f32 32x32");
    m.begin = 1024;
    EXPECT_EQ(bank_cost(down_a_column(4)).degree, 32);
    for (const char* text : {"pad=1", "swizzle=5,0,5"}) {
        const Changed then = changed(down_a_column(4), m, parse_change(text));
        EXPECT_EQ(then.problem, "") << text;
        EXPECT_EQ(then.cost.degree, 1) << text;
    }
    EXPECT_EQ(changed(down_a_column(4), m, parse_change("pad=16")).cost.degree, 16);
    EXPECT_EQ(advice(m, parse_change("pad=1")), "rows 33 apart in place of 32");
    EXPECT_EQ(advice(m, parse_change("swizzle=5,0,5")), "element (i, j) goes to row i, j ^ (i & 31) << 0");
}

TEST(WhatIf, WhatWouldNotBeAlignedOrTogetherIsSaid) {
    const Matrix m = parse_matrix("@1024 f32 32x32");
    EXPECT_NE(
        changed(down_a_column(16), m, parse_change("pad=1")).problem.find("not be aligned"), std::string::npos
    );
    EXPECT_NE(
        changed(down_a_column(16), m, parse_change("swizzle=5,0,5")).problem.find("lie apart"),
        std::string::npos
    );
    EXPECT_EQ(changed(down_a_column(16), m, parse_change("pad=4")).problem, "");
    EXPECT_NE(
        changed(down_a_column(4), parse_matrix("@1024 f32 32x32:swizzle=2,2,5"), parse_change("pad=1"))
            .problem,
        ""
    );
    for (const char* text : {"", "pad", "pad=x", "pad=-1", "swizzle=3", "swizzle=9,9,1", "turn=3"})
        EXPECT_THROW(parse_change(text), Error) << text;
}

}  // namespace
}  // namespace wl::layouts
