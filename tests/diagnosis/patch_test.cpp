// Patches, as `git apply` takes them.
#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <gtest/gtest.h>

namespace wl::diagnosis::rewrite {
namespace {

TEST(Patch, SaysWhatChangesWithThreeLinesAround) {
    EXPECT_EQ(
        patch_of("k/a.cu", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
        "--- a/k/a.cu\n+++ b/k/a.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    );
}

TEST(Patch, LinesMayComeAndGo) {
    EXPECT_EQ(patch_of("a", "1\n2\n", "1\nx\n2\n"), "--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n 1\n+x\n 2\n");
    EXPECT_EQ(patch_of("a", "1\nx\n2\n", "1\n2\n"), "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n 1\n-x\n 2\n");
}

// What lies between two changes stays as it is.
TEST(Patch, OnlyLinesThatChangeAreChanged) {
    EXPECT_EQ(
        patch_of("a", "1\n2\n3\n4\n5\n", "1\nx\n3\ny\n5\n"),
        "--- a/a\n+++ b/a\n@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n-4\n+y\n 5\n"
    );
    const std::string far = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    EXPECT_EQ(
        patch_of("a", "a\n" + far + "b\n", "c\n" + far + "d\n"),
        "--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-a\n+c\n 1\n 2\n 3\n@@ -9,4 +9,4 @@\n 8\n 9\n 10\n-b\n+d\n"
    );
}

TEST(Patch, ALastLineWithoutALineFeedStaysSo) {
    EXPECT_EQ(
        patch_of("a", "1\n2", "x\n2"),
        "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+x\n 2\n\\ No newline at end of file\n"
    );
    EXPECT_EQ(
        patch_of("a", "2", "3"),
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n\\ No newline at end of file\n+3\n\\ No newline at end of "
        "file\n"
    );
}

TEST(Patch, OfTheSameTextIsEmpty) { EXPECT_EQ(patch_of("a", "1\n", "1\n"), ""); }

}  // namespace
}  // namespace wl::diagnosis::rewrite
