// Sets of elements, and what is said of them: every shape of set that kernels leave behind, and any others at
// random.
#include "instrumentation/analysis/pattern.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace wl::analysis {
namespace {

using Shape = std::vector<int64_t>;
using At = std::vector<int64_t>;  // of an element

int64_t size_of(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::vector<uint8_t> marked(const Shape& shape, const std::function<bool(const At&)>& is) {
    std::vector<uint8_t> out;
    for (int64_t e = 0; e < size_of(shape); ++e) {
        At at(shape.size());
        int64_t rest = e;
        for (size_t d = shape.size(); d-- > 0;) at[d] = rest % shape[d], rest /= shape[d];
        out.push_back(is(at) ? 1 : 0);
    }
    return out;
}

// What is said, once it was seen that the description holds what it says it holds.
std::string said(const Shape& shape, const std::vector<uint8_t>& flags, const std::vector<AxisName>& names) {
    const Pattern p = describe(shape, flags);
    const std::string text = words(p, names);
    int64_t described = 0, both = 0, all = 0;
    for (size_t e = 0; e < flags.size(); ++e) {
        const bool in = contains(p, static_cast<int64_t>(e));
        described += in ? 1 : 0, all += flags[e], both += in && flags[e] != 0 ? 1 : 0;
    }
    const bool hedged = text.starts_with("about "), among = text.starts_with("among "),
               none = text.find("scattered") != std::string::npos;
    EXPECT_EQ(p.fit == Fit::about, hedged) << text;
    EXPECT_EQ(p.fit == Fit::among, among) << text;
    EXPECT_EQ(p.fit == Fit::scattered, none) << text;
    EXPECT_TRUE(p.fit != Fit::exact || (described == all && both == all)) << text;
    EXPECT_TRUE(p.fit != Fit::among || (both == all && described > all)) << text;
    EXPECT_EQ(p.marked, all);
    EXPECT_TRUE(p.fit == Fit::scattered || p.described == described) << text;
    EXPECT_TRUE(p.fit == Fit::scattered || p.both == both) << text;
    return text;
}

std::string said(const Shape& shape, const std::function<bool(const At&)>& is) {
    return said(shape, marked(shape, is), default_names(shape.size()));
}

TEST(Pattern, RangesOfAVector) {
    EXPECT_EQ(said({100}, [](const At& a) { return a[0] >= 93; }), "the last 7 elements");
    EXPECT_EQ(said({100}, [](const At& a) { return a[0] < 3; }), "the first 3 elements");
    EXPECT_EQ(said({100}, [](const At& a) { return a[0] == 0; }), "the first element");
    EXPECT_EQ(said({100}, [](const At& a) { return a[0] == 99; }), "the last element");
    EXPECT_EQ(said({100}, [](const At& a) { return a[0] == 41; }), "element 41 of 100");
    EXPECT_EQ(said({1000}, [](const At& a) { return a[0] >= 512; }), "elements 512 and up");
    EXPECT_EQ(said({1000}, [](const At& a) { return a[0] < 512; }), "elements 0 to 511");
    EXPECT_EQ(said({1000}, [](const At& a) { return a[0] >= 5 && a[0] <= 9; }), "elements 5 to 9");
    EXPECT_EQ(said({100}, [](const At&) { return true; }), "every element");
    EXPECT_EQ(said({100}, [](const At&) { return false; }), "no element");
}

TEST(Pattern, StridesAndRemainders) {
    EXPECT_EQ(said({1000}, [](const At& a) { return a[0] % 32 == 0; }), "every 32nd element");
    EXPECT_EQ(said({1000}, [](const At& a) { return a[0] % 3 == 0; }), "every 3rd element");
    EXPECT_EQ(said({1000}, [](const At& a) { return a[0] % 32 == 31; }), "elements 31 mod 32");
    EXPECT_EQ(said({99}, [](const At& a) { return a[0] % 2 == 1; }), "odd elements");
    EXPECT_EQ(said({99}, [](const At& a) { return a[0] % 2 == 0; }), "even elements");
    EXPECT_EQ(said({1000}, [](const At& a) { return a[0] % 128 >= 32; }), "elements 32 to 127 mod 128");
    EXPECT_EQ(
        said({64}, [](const At& a) { return a[0] % 4 == 3 && a[0] >= 32; }), "elements 3 mod 4 from 32 on"
    );
    EXPECT_EQ(
        said({64}, [](const At& a) { return a[0] % 8 == 0 && a[0] < 40; }), "every 8th element up to 39"
    );
    EXPECT_EQ(said({64}, [](const At& a) { return a[0] % 4 != 1; }), "all but elements 1 mod 4");
    EXPECT_EQ(
        said({64}, [](const At& a) { return a[0] % 8 < 2 || a[0] % 8 == 5; }), "elements 0, 1 and 5 mod 8"
    );
}

TEST(Pattern, ListsAndComplements) {
    EXPECT_EQ(said({50}, [](const At& a) { return a[0] == 3 || a[0] == 17; }), "elements 3 and 17 of 50");
    EXPECT_EQ(
        said({50}, [](const At& a) { return a[0] == 3 || (a[0] >= 9 && a[0] < 13); }),
        "elements 3 and 9 to 12 of 50"
    );
    EXPECT_EQ(said({50}, [](const At& a) { return a[0] != 7; }), "all but element 7 of 50");
    EXPECT_EQ(said({50}, [](const At& a) { return a[0] > 0 && a[0] < 49; }), "elements 1 to 48");
}

TEST(Pattern, RowsAndColumns) {
    const Shape shape{20, 1000};
    EXPECT_EQ(said(shape, [](const At& a) { return a[1] >= 512; }), "columns 512 and up in every row");
    EXPECT_EQ(said(shape, [](const At& a) { return a[0] >= 13; }), "the last 7 rows");
    EXPECT_EQ(said(shape, [](const At& a) { return a[0] % 4 == 3; }), "rows 3 mod 4");
    EXPECT_EQ(
        said(shape, [](const At& a) { return a[0] % 4 == 3 && a[1] < 100; }),
        "columns 0 to 99 in rows 3 mod 4"
    );
    EXPECT_EQ(said(shape, [](const At& a) { return a[0] == 5; }), "row 5 of 20");
    EXPECT_EQ(said(shape, [](const At& a) { return a[1] % 32 == 0; }), "every 32nd column in every row");
    EXPECT_EQ(
        said(shape, [](const At& a) { return a[0] == 3 && a[1] == 17; }), "column 17 of 1000 in row 3 of 20"
    );
    EXPECT_EQ(
        said(shape, [](const At& a) { return a[0] >= 4 || a[1] >= 8; }),
        "everything but the first 8 columns in the first 4 rows"
    );
    EXPECT_EQ(said({1, 100}, [](const At& a) { return a[1] >= 90; }), "the last 10 columns");
    EXPECT_EQ(said({100, 1}, [](const At& a) { return a[0] >= 90; }), "the last 10 rows");
}

TEST(Pattern, AxesWithNamesOfTheirOwn) {
    const Shape shape{2, 4, 16, 32};
    const std::vector<AxisName> names{
        {"batch",  "batches"},
        {"head",   "heads"  },
        {"row",    "rows"   },
        {"column", "columns"}
    };
    const auto of = [&](const std::function<bool(const At&)>& is) {
        return said(shape, marked(shape, is), names);
    };
    EXPECT_EQ(of([](const At& a) { return a[1] == 1 || a[1] == 2; }), "heads 1 and 2 of 4");
    EXPECT_EQ(of([](const At& a) { return a[1] == 3 && a[0] == 1; }), "the last head in the last batch");
    EXPECT_EQ(of([](const At& a) { return a[3] >= 24; }), "the last 8 columns in every row");
    EXPECT_EQ(of([](const At& a) { return a[2] >= 10 && a[1] == 1; }), "the last 6 rows in head 1 of 4");
    EXPECT_EQ(said(shape, [](const At& a) { return a[1] == 1; }), "axis-1 index 1 of 4");
}

TEST(Pattern, ElementsInTheirOrder) {
    EXPECT_EQ(
        said({10, 33}, [](const At& a) { return a[0] * 33 + a[1] >= 280; }),
        "elements 280 and up in row-major order"
    );
    EXPECT_EQ(
        said({10, 33}, [](const At& a) { return (a[0] * 33 + a[1]) % 32 == 0; }),
        "every 32nd element in row-major order"
    );
    EXPECT_EQ(
        said({3, 10, 33}, [](const At& a) { return a[1] * 33 + a[2] >= 280; }),
        "elements 280 and up (rows and columns counted through)"
    );
}

TEST(Pattern, Diagonals) {
    EXPECT_EQ(said({50, 50}, [](const At& a) { return a[0] == a[1]; }), "the diagonal");
    EXPECT_EQ(said({50, 50}, [](const At& a) { return a[0] != a[1]; }), "everything off the diagonal");
    EXPECT_EQ(said({50, 40}, [](const At& a) { return a[1] > a[0]; }), "above the diagonal (column > row)");
    EXPECT_EQ(
        said({50, 40}, [](const At& a) { return a[1] <= a[0]; }), "on and below the diagonal (column <= row)"
    );
    EXPECT_EQ(
        said({50, 40}, [](const At& a) { return a[1] - a[0] >= 3; }),
        "the elements whose column - row is at least 3"
    );
    EXPECT_EQ(
        said({64, 64}, [](const At& a) { return a[0] / 16 != a[1] / 16; }),
        "everything off the diagonal squares of 16 x 16"
    );
    EXPECT_EQ(
        said({4, 50, 50}, [](const At& a) { return a[0] == 2 && a[1] == a[2]; }),
        "the diagonal in axis-0 index 2 of 4"
    );
}

TEST(Pattern, WhatIsNotExactSaysSo) {
    // Of the last 7 rows two elements happen to be right.
    EXPECT_EQ(
        said({39, 96}, [](const At& a) { return a[0] >= 32 && (a[0] != 34 || a[1] % 50 != 7); }),
        "among the last 7 rows (670 of these 672 elements)"
    );
    EXPECT_EQ(
        said({40, 64}, [](const At& a) { return a[1] >= 32 || (a[0] == 3 && a[1] == 3); }),
        "about columns 32 and up in every row (1280 of these 1280 elements, and 1 elsewhere)"
    );
    EXPECT_EQ(
        said({64, 64}, [](const At& a) { return (a[0] * 37 + a[1] * 101) % 97 == 5; }).substr(0, 40),
        "44 of 4096 elements, scattered; the firs"
    );
    EXPECT_EQ(
        said({64, 64}, [](const At& a) { return (a[0] * 37 + a[1] * 101) % 97 != 5; }),
        "all but 44 scattered elements"
    );
}

TEST(Pattern, AFewElementsOfARegionAreNotCalledTheRegion) {
    const std::string text =
        said({64, 64}, [](const At& a) { return a[1] >= 32 && (a[0] * 37 + a[1] * 101) % 7 == 5; });
    EXPECT_EQ(text.find("among"), std::string::npos) << text;
    EXPECT_NE(text.find("scattered"), std::string::npos) << text;
}

// Random products of random sets are found again, exactly, however they are said.
TEST(Pattern, ProductsAreDescribedExactly) {
    std::mt19937 random(7);
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    for (int round = 0; round < 400; ++round) {
        Shape shape(1 + static_cast<size_t>(below(4)));
        for (int64_t& extent : shape) extent = 1 + below(shape.size() > 2 ? 12 : 40);
        std::vector<std::function<bool(int64_t)>> sets;
        for (const int64_t extent : shape) {
            const int64_t low = below(extent), high = low + below(extent - low), period = 2 + below(8),
                          r = below(period);
            switch (below(5)) {
                case 0: sets.emplace_back([=](int64_t i) { return i >= low && i <= high; }); break;
                case 1:
                    sets.emplace_back([=](int64_t i) { return extent < 3 * period || i % period == r; });
                    break;
                case 2: sets.emplace_back([=](int64_t i) { return i != low || extent == 1; }); break;
                default: sets.emplace_back([](int64_t) { return true; });
            }
        }
        const std::vector<uint8_t> flags = marked(shape, [&](const At& at) {
            for (size_t d = 0; d < at.size(); ++d)
                if (!sets[d](at[d])) return false;
            return true;
        });
        if (std::find(flags.begin(), flags.end(), 1) == flags.end()) continue;
        const std::string text = said(shape, flags, default_names(shape.size()));
        EXPECT_EQ(describe(shape, flags).fit, Fit::exact) << text;
    }
}

// Whatever is marked, the words claim no more than is so.
TEST(Pattern, AnySetIsSaidHonestly) {
    std::mt19937 random(11);
    for (int round = 0; round < 600; ++round) {
        Shape shape(1 + random() % 4);
        for (int64_t& extent : shape)
            extent = 1 + static_cast<int64_t>(random() % (shape.size() > 2 ? 7 : 30));
        std::vector<uint8_t> flags(static_cast<size_t>(size_of(shape)));
        const uint32_t share = 1 + random() % 100;
        for (uint8_t& f : flags) f = random() % 100 < share ? 1 : 0;
        if (round % 3 == 0)
            for (size_t e = 0; e < flags.size(); ++e) flags[e] = e % 5 < 2 && flags[e] != 0 ? 1 : 0;
        said(shape, flags, default_names(shape.size()));
    }
}

TEST(Pattern, LargeArraysAreDescribedToo) {
    const Shape shape{2500, 2000};
    std::vector<uint8_t> flags(5000000);
    for (size_t e = 0; e < flags.size(); ++e) flags[e] = e % 2000 >= 1900 ? 1 : 0;
    EXPECT_EQ(said(shape, flags, default_names(2)), "columns 1900 and up in every row");
}

}  // namespace
}  // namespace wl::analysis
