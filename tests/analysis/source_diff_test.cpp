// Line diffs of sources whose fault switches are decided.
#include "instrumentation/analysis/source_diff.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace wl::analysis {
namespace {

// Of a text that outlives them.
std::vector<SourceLine> lines(std::string_view letters) {
    std::vector<SourceLine> out;
    for (size_t k = 0; k < letters.size(); ++k)
        out.push_back({static_cast<int>(out.size()) + 1, letters.substr(k, 1)});
    return out;
}

std::string marks(const std::vector<DiffLine>& diff) {
    std::string out;
    for (const DiffLine& l : diff) out += l.mark + std::string(l.text);
    return out;
}

std::string text(const std::vector<SourceLine>& source) {
    std::string out;
    for (const SourceLine& l : source) out += std::to_string(l.number) + std::string(l.text) + ";";
    return out;
}

TEST(SourceDiff, ADiffIsAsShortAsCanBe) {
    // The example of Myers 1986: five edits.
    const std::string diff = marks(diff_lines(lines("ABCABBA"), lines("CBABAC")));
    EXPECT_EQ(std::count(diff.begin(), diff.end(), '-') + std::count(diff.begin(), diff.end(), '+'), 5)
        << diff;
    EXPECT_EQ(marks(diff_lines(lines("abc"), lines("abc"))), " a b c");
    EXPECT_EQ(marks(diff_lines(lines("abc"), lines("axc"))), " a-b+x c");
    EXPECT_EQ(marks(diff_lines(lines(""), lines("ab"))), "+a+b");
    EXPECT_EQ(marks(diff_lines(lines("ab"), lines(""))), "-a-b");
}

// Every diff must give back both sides, whatever they hold.
TEST(SourceDiff, EitherSideCanBeReadOffTheDiff) {
    uint32_t random = 1;
    for (int trial = 0; trial < 300; ++trial) {
        std::string a, b;
        const auto next = [&](uint32_t n) { return (random = random * 1664525 + 1013904223) / 65536 % n; };
        for (uint32_t n = next(12); n > 0; --n) a += static_cast<char>('a' + next(3));
        for (uint32_t n = next(12); n > 0; --n) b += static_cast<char>('a' + next(3));
        std::string left, right;
        int line_a = 0, line_b = 0;
        for (const DiffLine& l : diff_lines(lines(a), lines(b))) {
            line_a += l.mark == '+' ? 0 : 1, line_b += l.mark == '-' ? 0 : 1;
            left += l.mark == '+' ? "" : l.text, right += l.mark == '-' ? "" : l.text;
            EXPECT_EQ(l.a, l.mark == '+' ? 0 : line_a);
            EXPECT_EQ(l.b, l.mark == '-' ? 0 : line_b);
        }
        EXPECT_EQ(left, a);
        EXPECT_EQ(right, b);
    }
}

TEST(SourceDiff, FaultSwitchesAreDecidedAndOtherConditionsStay) {
    const std::string source =
        "#ifdef WL_FAULT_32X\nbad\n#else\ngood\n#endif\n"
        "#if D == 64\nsmall\n#endif\n"
        "#if defined(WL_FAULT_A) && !defined(WL_FAULT_NO_SYNC)  // both\na\n#elif "
        "defined(WL_FAULT_NO_SYNC)\nb\n#else\nc\n#endif\n"
        "#ifndef WL_FAULT_32X\nright\n#endif\n";
    EXPECT_EQ(text(decided_lines(source, {})), "4good;6#if D == 64;7small;8#endif;14c;17right;");
    EXPECT_EQ(text(decided_lines(source, {"32x", "a"})), "2bad;6#if D == 64;7small;8#endif;10a;");
    EXPECT_EQ(
        text(decided_lines(source, {"no-sync", "a"})), "4good;6#if D == 64;7small;8#endif;12b;17right;"
    );
}

TEST(SourceDiff, WhatLiesInABranchNotTakenIsGoneWithItsOwnConditions) {
    const std::string source = "#ifdef WL_FAULT_A\n#if D == 64\nx\n#else\ny\n#endif\n#endif\nz\n";
    EXPECT_EQ(text(decided_lines(source, {})), "8z;");
    EXPECT_EQ(text(decided_lines(source, {"a"})), "2#if D == 64;3x;4#else;5y;6#endif;8z;");
}

TEST(SourceDiff, ChangesNearEachOtherShareAHunk) {
    const auto diff = diff_lines(lines("abcdefghijklmnop"), lines("aXcdeYghijklmnoZ"));
    const std::vector<Hunk> found = hunks(diff, 2);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(unified(found[0]), "@@ -1,8 +1,8 @@\n a\n-b\n+X\n c\n d\n e\n-f\n+Y\n g\n h\n");
    EXPECT_EQ(unified(found[1]), "@@ -14,3 +14,3 @@\n n\n o\n-p\n+Z\n");
    EXPECT_TRUE(hunks(diff_lines(lines("abc"), lines("abc")), 3).empty());
}

// Bytes that this process has had at most.
uint64_t peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

TEST(SourceDiff, ALongSourceTakesAFewTimesItsOwnSize) {
    std::string a, b;
    for (int line = 0; line < 200'000; ++line) {
        a += "// line " + std::to_string(line) + "\n";
        b += line == 100'000 ? "another\n" : "// line " + std::to_string(line) + "\n";
    }
    const uint64_t before = peak();
    const std::vector<Hunk> changes = hunks(diff_lines(decided_lines(a, {}), decided_lines(b, {})), 1);
    EXPECT_LT(peak() - before, 8 * (a.size() + b.size()));
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(
        unified(changes[0]),
        "@@ -100000,3 +100000,3 @@\n // line 99999\n-// line 100000\n+another\n // line 100001\n"
    );
}

}  // namespace
}  // namespace wl::analysis
