// Programs whose device code is linked from several files (-rdc=true) under `warplens run --`.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

TEST(Parts, DeviceCodeOfTwoFilesIsLinked) {
    const TemporaryFolder folder;
    const std::string other = source_path("tests/runtime/parts_other.cu");
    if (!compiled(folder.path, "parts", std::string("-rdc=true ") + kAsPtx + " " + other))
        GTEST_SKIP() << "no nvcc: " << read_file(folder.path + "/said");
    const Said right = warplens({"run", "--", folder.path + "/parts", "right"});
    // x: twice, of the other file's own thrice and 4 more, 1 and 3 more: 20 where fill<2> was, else 14.
    EXPECT_EQ(right.out, "scaled 4\nboth 3\nno error 20.5 23.5 69\n") << right.err;
    EXPECT_EQ(right.status, 0) << right.err;
    EXPECT_TRUE(has(right.err, "\nok: 3 launches")) << right.err;
    const Said wrong = warplens({"run", "--", folder.path + "/parts", "wrong"});
    EXPECT_EQ(wrong.status, 1) << wrong.err;
    EXPECT_TRUE(has(wrong.err, "race_shared")) << wrong.err;
    EXPECT_TRUE(has(wrong.err, "parts_other.cu:19")) << wrong.err;
}

}  // namespace
}  // namespace wl::test
