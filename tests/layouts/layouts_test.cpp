// The algebra of layouts by what its operations promise, on random layouts; examples of CuTe's documents;
// bank conflicts of known layouts.
#include "instrumentation/base/error.h"
#include "instrumentation/layouts/conflicts.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace wl::layouts {
namespace {

constexpr int kRandom = 1000;  // pycute_check.py compares more

struct Dice {
    std::mt19937 engine{20};
    int64_t up_to(int64_t most) { return std::uniform_int_distribution<int64_t>(0, most)(engine); }
};

// Of small extents, nested now and then, with strides that need not fit together.
Layout random_layout(Dice& dice, int depth = 0) {
    if (depth >= 2 || dice.up_to(2) == 0)
        return {1 + dice.up_to(5), dice.up_to(3) == 0 ? dice.up_to(7) : int64_t{1} << dice.up_to(5), {}};
    Layout l;
    const int64_t modes = 1 + dice.up_to(2);
    for (int64_t i = 0; i < modes; ++i) l.modes.push_back(random_layout(dice, depth + 1));
    return l;
}

std::set<int64_t> offsets(const Layout& l) {
    std::set<int64_t> all;
    for (int64_t i = 0; i < size(l); ++i) all.insert(offset(l, i));
    return all;
}

TEST(Layouts, TextIsReadBackAsItWasWritten) {
    Dice dice;
    for (int i = 0; i < kRandom; ++i) {
        const Layout l = random_layout(dice);
        EXPECT_EQ(parse(text_of(l)).layout, l) << text_of(l);
    }
}

TEST(Layouts, CoalescingKeepsTheFunctionAndFlattens) {
    Dice dice;
    for (int i = 0; i < kRandom; ++i) {
        const Layout l = random_layout(dice), c = coalesce(l);
        ASSERT_EQ(size(l), size(c));
        for (int64_t k = 0; k < size(l); ++k)
            ASSERT_EQ(offset(l, k), offset(c, k)) << text_of(l) << " at " << k;
        EXPECT_EQ(coalesce(c), c);
    }
}

TEST(Layouts, ACompositionIsOneAfterTheOtherOrIsRefused) {
    Dice dice;
    int composed = 0;
    for (int i = 0; i < kRandom; ++i) {
        const Layout a = random_layout(dice), b = random_layout(dice);
        Layout c;
        try {
            c = compose(a, b);
        } catch (const Error&) { continue; }
        ++composed;
        ASSERT_EQ(size(c), size(b)) << text_of(a) << " o " << text_of(b);
        for (int64_t k = 0; k < size(b); ++k)
            ASSERT_EQ(offset(c, k), offset(a, offset(b, k)))
                << text_of(a) << " o " << text_of(b) << " at " << k;
    }
    EXPECT_GT(composed, kRandom / 20);
}

TEST(Layouts, AComplementFillsWhatIsLeftOut) {
    Dice dice;
    int complemented = 0;
    for (int i = 0; i < kRandom; ++i) {
        const Layout l = random_layout(dice);
        const int64_t target = 1 + dice.up_to(200);
        Layout c;
        try {
            c = complement(l, target);
        } catch (const Error&) { continue; }
        ++complemented;
        // Beside each other they take every offset once, at least up to the target.
        const std::set<int64_t> own = offsets(l);
        const Layout both{
            1, 0, {l, c}
        };
        const std::set<int64_t> all = offsets(both);
        EXPECT_EQ(all.size(), own.size() * static_cast<size_t>(size(c))) << text_of(l) << " in " << target;
        for (int64_t k = 0; k < target; ++k) ASSERT_TRUE(all.contains(k)) << text_of(l) << " in " << target;
    }
    EXPECT_GT(complemented, kRandom / 20);
}

TEST(Layouts, ADivisionVisitsTheSameOffsets) {
    Dice dice;
    int divided = 0;
    for (int i = 0; i < kRandom; ++i) {
        const Layout a = random_layout(dice), b = random_layout(dice);
        Layout d;
        try {
            d = divide(a, b);
        } catch (const Error&) { continue; }
        if (size(d) != size(a) || cosize(b) > size(a)) continue;
        ++divided;
        ASSERT_EQ(offsets(d), offsets(a)) << text_of(a) << " / " << text_of(b);
        for (int64_t k = 0; k < size(b); ++k) ASSERT_EQ(offset(d.modes[0], k), offset(a, offset(b, k)));
    }
    EXPECT_GT(divided, kRandom / 50);
}

// media/docs/cpp/cute/02_layout_algebra.md.
TEST(Layouts, CutesOwnExamplesComeOut) {
    const std::pair<const char*, const char*> examples[] = {
        {"coalesce((2,(1,6)):(1,(6,2)))", "12:1"                        },
        {"(6,2):(8,2) o (4,3):(3,1)",     "((2,2),3):((24,2),8)"        },
        {"20:2 o (5,4):(4,1)",            "(5,4):(8,2)"                 },
        {"(10,2):(16,4) o (5,4):(1,5)",   "(5,(2,2)):(16,(80,4))"       },
        {"complement(4:1,24)",            "6:4"                         },
        {"complement(6:4,24)",            "4:1"                         },
        {"complement(4:2,24)",            "(2,3):(1,8)"                 },
        {"complement((2,4):(1,6),24)",    "3:2"                         },
        {"complement((2,2):(1,6),24)",    "(3,2):(2,12)"                },
        {"divide((4,2,3):(2,1,8),4:2)",   "((2,2),(2,3)):((4,1),(2,8))" },
        {"product((2,2):(4,1),6:1)",      "((2,2),(2,3)):((4,1),(2,8))" },
        {"row(2,3,5)",                    "(2,3):(5,1)"                 },
        {"col(2,3,5)",                    "(2,3):(1,5)"                 },
        {"((2,4),8)",                     "((2,4),8):((1,2),8)"         },
        {"Swizzle<2,0,3> o row(4,8)",     "Swizzle<2,0,3> o (4,8):(8,1)"}
    };
    for (const auto& [expression, result] : examples)
        EXPECT_EQ(text_of(parse(expression)), result) << expression;
}

TEST(Layouts, WhatCannotBeReadIsNamedWithItsPlace) {
    const std::pair<const char*, const char*> wrong[] = {
        {"(2,2:1",             "')' is missing at character 5"},
        {"(2,3):(1,(2,1))",    "not nested alike"             },
        {"colesce((2,2))",     "did you mean coalesce?"       },
        {"(0,2)",              "an extent is less than 1"     },
        {"(2,2) x",            "there is more than a layout"  },
        {"Swizzle<3,3,1> o 8", "0 <= bits <= |shift|"         },
        {"(6,2):(1,7) o 3:4",  "no layout is this composition"},
        {"",                   "a number is missing"          }
    };
    for (const auto& [expression, what] : wrong) {
        try {
            parse(expression);
            ADD_FAILURE() << expression;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos)
                << expression << ": " << error.what();
        }
    }
}

TEST(Layouts, ASwizzleIsAPermutationOfItsBlock) {
    for (const Swizzle s : {
             Swizzle{3, 3, 3 },
             {2, 4, 3 },
             {1, 0, 4 },
             {2, 3, -3},
             {0, 0, 1 }
    }) {
        std::set<int64_t> all;
        for (int64_t i = 0; i < 4096; ++i) all.insert(apply(s, i));
        EXPECT_EQ(all.size(), 4096u) << text_of(s);
        EXPECT_EQ(*all.rbegin(), 4095);
        for (int64_t i = 0; i < 4096; ++i) EXPECT_EQ(apply(s, apply(s, i)), i);
    }
    EXPECT_EQ(apply({3, 3, 3}, 64 + 8), 64);  // row 1, piece 1 of a row of 64 halves
}

TEST(Layouts, ConflictsAreThoseOfTheBanks) {
    const Access ldmatrix = access_named("ldmatrix"), rows = access_named("ld.shared.v4"),
                 down = access_named("ld.shared down");
    const Swizzled plain = parse("row(64,64)"), padded = parse("row(64,64,72)");
    EXPECT_EQ(conflicts(plain, ldmatrix, 2).worst, 8);
    EXPECT_EQ(conflicts(plain, ldmatrix, 2).wavefronts, 8 * conflicts(plain, ldmatrix, 2).ideal);
    EXPECT_EQ(conflicts(padded, ldmatrix, 2).worst, 1);
    EXPECT_EQ(conflicts(plain, rows, 2).worst, 1);
    EXPECT_EQ(conflicts(parse("row(32,32)"), down, 4).worst, 32);
    EXPECT_NE(conflicts(parse("col(64,64)"), ldmatrix, 2).problem, "");
    EXPECT_NE(conflicts(parse("row(4,64)"), ldmatrix, 2).problem, "");
    EXPECT_EQ(free_swizzle(plain.layout, ldmatrix, 2), (Swizzle{3, 3, 3}));
    EXPECT_EQ(free_swizzle(parse("row(32,32)").layout, down, 4), (Swizzle{5, 0, 5}));
    EXPECT_EQ(conflicts(parse("Swizzle<3,3,3> o row(64,64)"), ldmatrix, 2).worst, 1);
    EXPECT_THROW(access_named("ldmatrx"), Error);
}

}  // namespace
}  // namespace wl::layouts
