// warplens layout as a user types it.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

TEST(Layout, PrintsOffsetsRowByRow) {
    const Said said = warplens({"layout", "row(2,3,5)"});
    EXPECT_EQ(said.status, 0);
    EXPECT_EQ(said.out, "(2,3):(5,1)\n  6 elements, offsets below 8\n    0   1   2\n    5   6   7\n");
    EXPECT_NE(warplens({"layout", "(2,2):(1,1)"}).out.find("some offsets twice"), std::string::npos);
}

TEST(Layout, NamesTheSwizzleThatFreesAnAccessOfConflicts) {
    const json j = json::parse(warplens({"layout", "row(64,64)", "--banks", "ldmatrix", "--json"}).out);
    EXPECT_EQ(j["banks"]["worst"], 8);
    EXPECT_EQ(j["banks"]["free_with"], "Swizzle<3,3,3>");
    const Said mended = warplens({"layout", "Swizzle<3,3,3> o row(64,64)", "--banks", "ldmatrix"});
    EXPECT_NE(mended.out.find("  free of conflicts\n"), std::string::npos);
    const Said impossible = warplens({"layout", "col(64,64)", "--banks", "ldmatrix"});
    EXPECT_NE(impossible.out.find("not possible: element (0, 0) does not begin 16 bytes"), std::string::npos);
}

TEST(Layout, ReadsTritonsLinearLayouts) {
    const Said said = warplens({"layout", "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 1], [2, 2]]}>"});
    EXPECT_EQ(
        said.out,
        "linear (4,4): 5 10 | 1 2\n  16 elements, offsets below 16\n    0   1   2   3\n    5   4   7   6\n   "
        "10  11   8   9\n"
        "   15  14  13  12\n"
    );
    const json j =
        json::parse(warplens({"layout",
                              "--json",
                              "#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0]], block = []}>"})
                        .out);
    EXPECT_EQ(j["offsets"], json({0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Layout, WrongWordsAreAnsweredInASentence) {
    const Said layout = warplens({"layout", "(2,3"});
    EXPECT_EQ(layout.status, 2);
    EXPECT_EQ(layout.err, "warplens: error: layout '(2,3': ')' is missing at character 5\n");
    EXPECT_NE(
        warplens({"layout", "(8,8)", "--banks", "ldmatrx"}).err.find("did you mean ldmatrix?"),
        std::string::npos
    );
    EXPECT_NE(
        warplens({"layout", "(8,8)", "--type", "f17"}).err.find("no such element type"), std::string::npos
    );
}

TEST(Layout, DrawsItselfByBank) {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/a.svg";
    EXPECT_EQ(warplens({"layout", "Swizzle<3,3,3> o row(8,64)", "-o", path}).status, 0);
    EXPECT_NE(read_file(path).find(">72<"), std::string::npos);  // row 1 begins with its second piece
    EXPECT_EQ(warplens({"layout", "12:1", "-o", path}).status, 2);
}

}  // namespace
}  // namespace wl::test
