// Changes that are right at some places alone, and launches that leave others' elements as they were.
#include "instrumentation/diagnosis/search/angelic/actions.h"
#include "instrumentation/diagnosis/search/angelic/form.h"
#include "tests/support/program.h"
#include "tests/support/rewrites.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wl::diagnosis {
namespace {

using nlohmann::json;

struct Told {
    const char *kernel, *fault, *line, *title;
    int launch = 0;
};
struct Where : testing::TestWithParam<Told> {};

TEST_P(Where, TheFirstFindingNamesTheChange) {
    const Told& each = GetParam();
    const std::string at = std::string("tests/kernels/") + each.kernel;
    const test::Said said = test::warplens(
        {"diagnose", test::source_path(at + ".toml"), "--fault", each.fault, "--search", "300", "--json"}
    );
    const json first = json::parse(said.out).at("findings").at(0), &where = first.at("where");
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    EXPECT_EQ(first.value("title", "").rfind(each.title, 0), 0U) << first.dump(1);
    EXPECT_EQ(
        where.value("file", "") + ":" + std::to_string(where.value("line", 0)),
        test::source_place(at + ".cu", each.line)
    );
    EXPECT_EQ(where.value("launch", 0), each.launch) << first.dump(1);
}

INSTANTIATE_TEST_SUITE_P(
    Search,
    Where,
    testing::Values(
        // of a whole block, of a turn, of a thread
        Told{
            "search/guarded",
            "none",
            "at = depth[blockIdx.x]",
            "`depth[blockIdx.x] * 3 % kThreads` should be `depth[blockIdx.x] < kThreads ? -1 : "},
        Told{
            "search/guarded",
            "turn",
            "const int mark = i + turn",
            "`i + turn` should be `turn == own ? turn : i + turn`"},
        Told{
            "search/guarded",
            "hidden",
            "field[i] = 0.5f",
            "`field[i] = 0.5f * (field[i] + fminf(offset, reach));` should be `if (offset >= -reach) "},
        // its access goes astray, so that nothing tells what it came through
        Told{"search/guarded", "signed", "const signed char", "`signed char` should be `unsigned char`"},
        // of a launch before the wrong one, whose other blocks' elements are those of that before
        Told{"search/turns", "half", "const int i = 2 * pair;", "`2 * pair` should be `2 * pair + half`", 2},
        // elements that nobody changed are the first launch's, which is right
        Told{"search/turns", "few", "if (around < -limit)", "`-limit` should be `limit`", 2},
        // the build has no code of its own of the line before
        Told{"search/turns", "lost", "low = other;", "`id = j;` is missing", 6},
        // a build that optimises has no code of another line then: it is executed all the same
        Told{"gallery/images/stencil", "place", "heat[now][ty][tx] = centre", "`now` should be `1 - now`"}
    )
);

TEST(Where, RightKernelsAreNotSearched) {
    for (const char* kernel : {"guarded", "turns"}) {
        const std::string toml = test::source_path(std::string("tests/kernels/search/") + kernel + ".toml");
        EXPECT_EQ(json::parse(test::warplens({"diagnose", toml, "--json"}).out).at("verdict"), "ok")
            << kernel;
    }
}

// The launch that left the elements, and the one that is at fault.
TEST(Where, ALaunchThatLeftElementsAsTheyWereIsSaid) {
    const std::string toml = test::source_path("tests/kernels/search/turns.toml");
    const std::string said = test::warplens({"diagnose", toml, "--fault", "few", "--search", "300"}).out;
    EXPECT_NE(said.find("launch 1 of 7 (start) wrote elements that are wrong"), std::string::npos) << said;
}

std::vector<std::string> conditions(bool (*holds)(int n, double x), size_t places) {
    std::vector<AtHandValues> all = {
        {"float(n)", {}},
        {"x",        {}},
        {"reach",    {}}
    };
    std::vector<uint8_t> where;
    for (size_t p = 0; p < places; ++p) {
        const int n = static_cast<int>(p * 7 % 11) - 3;
        const double x = 0.4 * static_cast<double>(p * 5 % 13) - 2.5;
        all[0].at.push_back(n), all[1].at.push_back(x), all[2].at.push_back(1.25);
        where.push_back(holds(n, x) ? 1 : 0);
    }
    return conditions_where(all, where, 3);
}

TEST(Conditions, TellPlacesApartByWhatIsAtHand) {
    EXPECT_EQ(conditions([](int n, double) { return n == 0; }, 40).front(), "n == 0");
    EXPECT_EQ(conditions([](int n, double) { return n < 1; }, 40).front(), "n < 1");
    EXPECT_EQ(conditions([](int, double x) { return x < -1.25; }, 40).front(), "x < -reach");
    EXPECT_EQ(
        conditions([](int n, double x) { return n == 0 || x < 1.25; }, 40).front(), "n == 0 || x < reach"
    );
    EXPECT_TRUE(conditions([](int n, double) { return n == 5; }, 40).empty()) << "nothing at hand is 5";
    EXPECT_TRUE(conditions([](int, double) { return true; }, 40).empty()) << "it holds everywhere";
    EXPECT_TRUE(conditions([](int n, double x) { return n == 0 || x < 1.25; }, 12).empty()) << "by chance";
}

constexpr const char* kText =
    "__device__ int part(int a, bool odd) {\n"
    "    int b = a;\n"
    "    if (odd) b = a + 1;\n"
    "    return b;\n"
    "}\n"
    "__global__ void f(int* y, int n) {\n"
    "    for (int k = 0; k < n; ++k) {\n"
    "        const bool odd = k % 2 == 1;\n"
    "        y[k] = part(k, odd);\n"
    "    }\n"
    "}\n";

std::vector<std::string> done(const char* condition) {
    const rewrite::Source s = wl::test::source_of(kText);
    rewrite::SearchContext context;
    for (int k = 1; k < 12; ++k) context.suspicion.emplace(k, 0);
    std::vector<std::string> out;
    for (const Action& a : actions_of(s, context, 200))
        out.push_back(rewritten(s.text, done_where(s, a, condition)));
    return out;
}

TEST(Actions, AreWhatAThreadCouldDoOtherwise) {
    const std::vector<std::string> all = done("c");
    for (const char* text :
         {"int b = c ? 0 : a;",
          "if (c || odd) b",
          "if (!(c) && odd) b",
          "const bool odd = (k % 2 == 1) != (c);",
          "if (c) y[k] = part(k, odd);",
          "if (c) continue; y[k]",
          "if (c) return; y[k]",
          "if (c) return b; if (odd)",
          "if (c) return 0; if (odd)"})
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const std::string& one) {
            return one.find(text) != std::string::npos;
        })) << text;
    for (const char* text : {"if (c) int b", "if (c) const bool", "if (c) return 0; y[k]"})
        EXPECT_TRUE(std::none_of(all.begin(), all.end(), [&](const std::string& one) {
            return one.find(text) != std::string::npos;
        })) << text;
}

}  // namespace
}  // namespace wl::diagnosis
