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

TEST(Patch, OfTheSameTextIsEmpty) { EXPECT_EQ(patch_of("a", "1\n", "1\n"), ""); }

}  // namespace
}  // namespace wl::diagnosis::rewrite
