// The examples of docs/order.md's table: what other tools publish as their findings, as programs, each with
// its right twin. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

const TemporaryFolder& folder() {
    static const TemporaryFolder kFolder;
    static const bool kThere = compiled(kFolder.path, "peers");
    (void)kThere;
    return kFolder;
}

Said run(std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--explore", "0", "--", folder().path + "/peers"});
    return warplens(words);
}

TEST(Peers, TheirExamplesAreFoundAndTheTwinsAreRight) {
    if (!std::filesystem::exists(folder().path + "/peers")) GTEST_SKIP() << "no nvcc";
    for (const char* what :
         {"csan_mul",
          "async_copy",
          "wait_event",
          "host_copy",
          "partial_write",
          "update",
          "early_read",
          "other_stream"}) {
        const Said wrong = run({what}), right = run({what, "right"});
        EXPECT_EQ(wrong.status, 1) << what << wrong.err;
        const std::string name = what;
        const char* rule = name == "update"                  ? "race_global"
            : name == "early_read" || name == "other_stream" ? "race_host"
                                                             : "race_stream";
        EXPECT_TRUE(has(wrong.err, rule)) << what << wrong.err;
        EXPECT_EQ(right.status, 0) << what << right.err;
    }
}

}  // namespace
}  // namespace wl::test
