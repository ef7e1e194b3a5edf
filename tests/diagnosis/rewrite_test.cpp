// Changes of a source: what is read of it, and which right line is one change away from which wrong one.
#include "instrumentation/diagnosis/rewrite/likely.h"
#include "instrumentation/diagnosis/rewrite/mutant_schemata.h"
#include "tests/support/rewrites.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace wl::diagnosis::rewrite {
namespace {

// A kernel with one line of its own.
std::string kernel_with(const std::string& line) {
    return "#include <cuda_fp16.h>\n"
           "#define TILE 16\n"
           "constexpr int kLd = 20;\n"
           "__global__ void centre(const float* x, const float* weight, float* y, int rows, int cols, float "
           "scale) {\n"
           "    __shared__ float part[64];\n"
           "    const int row = blockIdx.x, t = threadIdx.x;\n"
           "    float sum = 0.0f, best = -1.0f;\n"
           "    half low = 0.0f; best = fmaxf(best, weight[t] + part[t]);\n"
           "    for (int c = t; c < cols; c += blockDim.x) {\n" +
        line +
        "\n"
        "    }\n"
        "    if (t < 32 && row < rows) part[t] = sum;\n"
        "    y[row * cols + t] = best;\n"
        "}\n";
}

constexpr int kLine = 10;  // of it

std::set<int> all_lines() {
    std::set<int> out;
    for (int line = 1; line < 100; ++line) out.insert(line);
    return out;
}

std::vector<Rewrite> rewrites_of(const std::string& text) {
    return rewrites(
        read_source(
            text,
            all_lines(),
            {
                {"SEQ", "64"}
    }
        ),
        {{32, 150}, {{kLine, 0}}}
    );
}

struct OneAway {
    const char *wrong, *right;
};

struct Reaches : testing::TestWithParam<OneAway> {};

TEST_P(Reaches, TheRightLineIsOneChangeAway) {
    const std::string wrong = kernel_with(GetParam().wrong), right = kernel_with(GetParam().right);
    const std::vector<Rewrite> all = rewrites_of(wrong);
    EXPECT_NE(test::change_into(all, wrong, right), all.end())
        << GetParam().wrong << " -> " << GetParam().right;
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Reaches,
    testing::Values(
        OneAway{"sum = x[row * cols + c];", "sum += x[row * cols + c];"},
        OneAway{"sum += x[row * rows + c];", "sum += x[row * cols + c];"},
        OneAway{"sum += x[row + c];", "sum += x[row * cols + c];"},
        OneAway{"sum += x[c * cols + row];", "sum += x[row * cols + c];"},
        OneAway{"sum += x[row * cols + c] * weight[row];", "sum += x[row * cols + c] * weight[c];"},
        OneAway{"sum += x[row * cols + c + 1];", "sum += x[row * cols + c];"},
        OneAway{"sum += x[row * cols + c];", "sum += x[row * cols + c] * scale;"},
        OneAway{"sum += x[row * cols + c] * scale;", "sum += x[row * cols + c] / scale;"},
        OneAway{"sum += x[row * cols + c] * scale;", "sum += x[row * cols + c] * scale * scale;"},
        OneAway{"sum -= x[c];", "sum += x[c];"},
        OneAway{"sum += expf(x[c] + best);", "sum += expf(x[c] - best);"},
        OneAway{"sum += expf(x[c]);", "sum += expf(x[c] - best);"},
        OneAway{"best = fminf(best, x[c]);", "best = fmaxf(best, x[c]);"},
        OneAway{"best = fmaxf(sum, x[c]);", "best = fmaxf(best, x[c]);"},
        OneAway{"if (c <= cols) sum += x[c];", "if (c < cols) sum += x[c];"},
        OneAway{"if (c < cols || row < rows) sum += x[c];", "if (c < cols && row < rows) sum += x[c];"},
        OneAway{"if (c < cols) sum += x[c];", "if (c < cols && row < rows) sum += x[c];"},
        OneAway{"sum += x[c];", "if (row < rows) sum += x[c];"},
        OneAway{"sum += x[c];", "sum += (c < cols ? x[c] : 0.0f);"},
        OneAway{"sum += __shfl_down_sync(0xffff, sum, 16);", "sum += __shfl_down_sync(0xffffffff, sum, 16);"},
        OneAway{
            "sum += __shfl_down_sync(0xffffffff, sum, 8);", "sum += __shfl_down_sync(0xffffffff, sum, 16);"},
        OneAway{"sum += __shfl_up_sync(0xffffffff, sum, 1);", "sum += __shfl_xor_sync(0xffffffff, sum, 1);"},
        OneAway{"sum += part[t / 32];", "sum += part[t % 32];"},
        OneAway{"sum += part[t >> 5];", "sum += part[t & 5];"},
        OneAway{"sum += part[TILE * t];", "sum += part[kLd * t];"},
        OneAway{"sum += part[threadIdx.y];", "sum += part[threadIdx.x];"},
        OneAway{"half acc = x[c];", "float acc = x[c];"},
        OneAway{"sum += row / cols;", "sum += static_cast<float>(row) / (cols);"},
        OneAway{"sum += x[c]; sum += x[c];", "; sum += x[c];"},
        OneAway{"best = sum; sum = x[c];", "sum = x[c]; best = sum;"},
        OneAway{"sum += x[c] * x[c];", "sum += x[c] * x[c]; sum *= scale;"},
        OneAway{"sum = 0.0f; sum += x[c];", "; sum += x[c];"},
        OneAway{"part[t] = -sum;", "part[t] = sum;"},
        OneAway{"part[t] = sum;", "part[t] = -sum;"},
        OneAway{"part[t] = c < cols ? 0.0f : sum;", "part[t] = c < cols ? sum : 0.0f;"},
        OneAway{"part[t] = scale - sum;", "part[t] = sum - scale;"},
        OneAway{"part[t] = (sum + best) * scale;", "part[t] = (sum) * scale;"},
        // terms and statements that stand nearly so elsewhere
        OneAway{"sum += part[t] + part[c];", "sum += part[t] + part[c] + part[row];"},
        OneAway{"sum *= scale;", "sum *= scale; best *= scale;"},
        OneAway{"sum += x[c] * scale + x[row];", "sum += (x[c] - best) * scale + x[row];"},
        OneAway{"sum = part[t] * expf(scale) + x[c];", "sum = part[t] * expf(scale) + x[c] * expf(sum);"},
        OneAway{
            "int from[4]; part[t] = part[c]; from[c] = t;",
            "int from[4]; part[t] = part[c]; from[t] = from[c]; from[c] = t;"},
        OneAway{"sum += x[c];\n best = x[t];", "sum += weight[c];\n best = weight[t];"},
        // indices
        OneAway{"sum += part[row * 8 + 7 - t];", "sum += part[row * 8 + t];"},
        OneAway{"int z = 0;", "int z = blockIdx.y * cols * rows;"},
        OneAway{"sum += part[t & 7];", "sum += part[t & 15];"},
        OneAway{"sum += __half2float(__float2half(x[c]));", "sum += x[c];"},
        OneAway{"best = part[c % 2]; sum += part[0];", "best = part[c % 2]; sum += part[c % 2];"},
        OneAway{"sum += part[t / cols * row];", "sum += part[t * row / cols];"},
        OneAway{"sum += x[(row * cols + t) * rows + c];", "sum += x[(row * rows + c) * cols + t];"},
        OneAway{"part[t] = part[row];", "part[1 - t] = part[row];"},
        OneAway{"sum += x[c];", "sum += x[min(c, cols - 1)];"},
        OneAway{"sum += __half2float(__float2half(x[c]));", "sum += __half2float(x[c]);"},
        OneAway{"best = static_cast<short>(c);", "best = c;"},
        OneAway{"sum += __shfl_xor_sync(0xff, sum, 1, 8);", "sum += __shfl_xor_sync(0xff, sum, 1);"},
        // siblings
        OneAway{
            "const int sy = row * rows + c; const int sx = row + t;",
            "const int sy = row * rows + c; const int sx = row * rows + t;"},
        OneAway{
            "const float s1 = scale * t; const float s2 = 1 - powf(s1, c); best = 1 - s1 * c;",
            "const float s1 = scale * t; const float s2 = 1 - powf(s1, c); best = 1 - powf(s1, c);"},
        OneAway{
            "float v1 = scale * best + sum; float v2 = sum;",
            "float v1 = scale * best + sum; float v2 = scale * best + sum;"},
        OneAway{
            "for (int sy = max(2 * row - 1, 0); sy < rows; ++sy) for (int sx = max(t - 1, 0); sx < cols; "
            "++sx) sum += x[sy];",
            "for (int sy = max(2 * row - 1, 0); sy < rows; ++sy) for (int sx = max(2 * t - 1, 0); sx < cols; "
            "++sx) sum += x[sy];"},
        // first values
        OneAway{"float v; sum += v;", "float v = 0.0f; sum += v;"},
        OneAway{"float v[4]; sum += v[0];", "float v[4] = {}; sum += v[0];"},
        // other operands, and what a factor is of
        OneAway{"sum += x[c] * x[c];", "sum += x[c] * best;"},
        OneAway{"sum += x[c]; best = sum * scale;", "sum += x[c]; best = x[c] * scale;"},
        OneAway{"best = sum * scale + x[c] * weight[t];", "best = x[c] * scale + sum * weight[t];"},
        OneAway{"part[t] = x[c] * (sum + best);", "part[t] = x[c] * sum + best;"},
        OneAway{"part[t] = x[c] * (sum + best);", "part[t] = sum + x[c] * best;"},
        OneAway{"part[t] = sum + best * scale;", "part[t] = (sum + best) * scale;"},
        OneAway{"part[t] = sum * scale + best;", "part[t] = sum * (scale + best);"},
        OneAway{"part[t] = sum / scale * best;", "part[t] = sum / (scale * best);"},
        OneAway{"low = __float2half(sum) * __float2half(scale);", "low = __float2half(sum * scale);"},
        // work that is done once, sums of several
        OneAway{
            "if (t < cols) part[t] = x[t];",
            "for (int wl_i = t; wl_i < cols; wl_i += blockDim.x) part[wl_i] = x[wl_i];"},
        OneAway{"part[t] += sum;", "atomicAdd(&part[t], sum);"},
        // what is never read, rows that an index leaves out
        OneAway{
            "float old[4]; old[t] = best; sum += x[c];",
            "float old[4]; old[t] = best; sum += best * old[t]; sum += x[c];"},
        OneAway{"sum += x[c];", "sum += x[c] + (c == row ? scale : 0.0f);"},
        OneAway{"sum += weight[c];", "sum += weight[row * rows + c];"},
        OneAway{"sum += __shfl_sync(0xffffffff, sum, 4);", "sum += __shfl_sync(0xffffffff, sum, 31);"},
        // guards
        OneAway{"if (c < cols) sum += x[row + c];", "if (c < cols && row + c < rows) sum += x[row + c];"},
        OneAway{"if (c < cols) part[t] = x[c];", "part[t] = c < cols ? x[c] : 0.0f;"},
        OneAway{
            "const int i = t + threadIdx.x;", "const int i = t + threadIdx.x; if (i >= rows * cols) return;"}
    )
);

TEST(Rewrites, AnOperatorIsNotATemplatesBracket) {
    const std::string text = kernel_with("sum += static_cast<float>(row);");
    for (const Rewrite& r : rewrites_of(text)) {
        const bool bracket = r.line == kLine && (r.was == "<" || r.was == ">");
        EXPECT_FALSE(bracket) << r.was << " -> " << r.now;
    }
}

TEST(Rewrites, MarksAndBranchesThatAreNotCompiledStayAsTheyAre) {
    const std::string text =
        "__global__ void f(float* x, int n) {\n"
        "#if defined(OTHER)\n"
        "    x[0] = 7;\n"
        "#else\n"
        "    x[0] = n;\n"
        "#endif\n"
        "    WL_TILE(\"x\", x, 4, 4, 4);\n"
        "}\n";
    const std::vector<Rewrite> all = rewrites(read_source(text, {1, 5, 8}, {}), {{}, {}});
    EXPECT_FALSE(all.empty());
    for (const Rewrite& r : all) EXPECT_TRUE(r.line != 3 && r.line != 7) << r.line << ": " << r.was;
}

TEST(Rewrites, OfBranchesTheOneIsReadThatIsCompiled) {
    const std::string text =
        "__global__ void f(float* x, int n) {\n"
        "#if defined(WL_FAULT_A)\n"
        "    for (int k = 4; k < n; ++k) {\n"
        "#elif LANES == 32 && !defined(OTHER)\n"
        "    for (int k = 3; k < n; ++k) {\n"
        "#else\n"
        "    for (int k = 2; k < n; ++k) {\n"
        "#endif\n"
        "        x[k] = 1;\n"
        "    }\n"
        "}\n";
    const auto lines = [&](const Defines& defines, const std::set<int>& located) {
        std::set<int> out;
        for (const Rewrite& r : rewrites(read_source(text, located, defines), {{}, {}})) out.insert(r.line);
        return out;
    };
    EXPECT_EQ(
        lines(
            {
                {"WL_FAULT_A", ""}
    },
            {9}
        ),
        (std::set<int>{3, 9})
    );
    EXPECT_EQ(
        lines(
            {
                {"LANES", "32"}
    },
            {5, 9}
        ),
        (std::set<int>{5, 9})
    ) << "of OTHER nothing is known";
    EXPECT_EQ(
        lines(
            {
                {"LANES", "32"}
    },
            {9}
        ),
        (std::set<int>{7, 9})
    ) << "nothing of that branch was compiled";
    EXPECT_EQ(
        lines(
            {
                {"LANES", "64"}
    },
            {9}
        ),
        (std::set<int>{7, 9})
    );
}

TEST(Rewrites, TheSuspectedLineComesFirst) {
    const std::vector<Rewrite> all = rewrites_of(kernel_with("sum = x[row * cols + c];"));
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front().line, kLine);
    for (size_t k = 1; k < all.size(); ++k) EXPECT_LE(score(all[k - 1]), score(all[k]));
}

size_t place_of(const std::vector<Rewrite>& all, const std::string& was, const std::string& now) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Rewrite& r) {
        return r.line == kLine && r.was == was && r.now == now;
    });
    return static_cast<size_t>(found - all.begin());
}

// `best` is what the function says at this place elsewhere, `low` what it would say nowhere else.
TEST(Rewrites, WhatIsWrittenElsewhereComesFirst) {
    const std::vector<Rewrite> all =
        rewrites_of(kernel_with("sum += part[t] * scale + x[row * cols + t]; part[t] = x[row * rows + t];"));
    ASSERT_LT(place_of(all, "rows", "cols"), all.size());
    EXPECT_LT(place_of(all, "rows", "cols"), place_of(all, "rows", "row"));
    EXPECT_LT(place_of(all, "rows", "cols"), place_of(all, "rows", "t"));
}

// `ay` and `dy` are `ax` and `dx` there, as `sy` is `sx`.
TEST(Rewrites, ASiblingIsRepeatedWithTheNamesOfThePlace) {
    const std::vector<Rewrite> all = rewrites_of(kernel_with(
        "const int ay = row, ax = c, dy = t, dx = 1; const int sy = ay * rows + dy; const int sx = ax + dx;"
    ));
    EXPECT_LT(place_of(all, "ax + dx", "ax * rows + dx"), all.size());
}

TEST(Rewrites, WhatNobodyUsesComesFirst) {
    const std::vector<Rewrite> all = rewrites_of(kernel_with("sum += x[c];"));
    ASSERT_LT(place_of(all, "x[c]", "x[c] * scale"), all.size());
    EXPECT_LT(place_of(all, "x[c]", "x[c] * scale"), place_of(all, "x[c]", "x[c] * best"));
    const std::vector<Rewrite> used = rewrites_of(kernel_with("sum += x[c]; best = fmaxf(best, scale);"));
    EXPECT_LT(place_of(all, "x[c]", "x[c] * scale"), place_of(used, "x[c]", "x[c] * scale"));
}

// Whoever does wrong where no value is wrong should be kept out.
TEST(Rewrites, WhereValuesAreRightGuardsComeFirst) {
    const std::string text = kernel_with("const int i = row * 32 + threadIdx.x; part[i] = x[i];");
    const auto place = [&](bool values_right) {
        const SearchContext context{
            {32, 150},
            {{kLine, 0} },
            values_right
        };
        const std::vector<Rewrite> all = rewrites(read_source(text, all_lines(), {}), context);
        return place_of(all, "", " if (i >= rows * cols) return;");
    };
    EXPECT_LT(place(true), place(false));
}

// A kind of change that has no log prior of its own would be tried after all others.
TEST(Rewrites, MostKindsOfChangesHaveOdds) {
    const std::vector<Rewrite> all = rewrites_of(kernel_with("if (c < cols) sum += x[row * rows + c];"));
    size_t known = 0;
    for (const Rewrite& r : all) known += log_prior_of(r) != kUnseen ? 1 : 0;
    EXPECT_GT(known * 100, all.size() * 95);
}

TEST(Rewrites, CommentsAndTextAreNoCode) {
    const std::string text = kernel_with("sum += x[c];  // c < cols + 1, \"rows\"");
    for (const Rewrite& r : rewrites_of(text))
        for (const Edit& e : r.edits) {
            const size_t comment = text.find("//");
            EXPECT_FALSE(e.begin > comment + 1 && e.begin < text.find('\n', comment)) << r.was;
        }
}

TEST(MutantSchemata, FormsOfAStatementAConditionAndAFirstValueAreInOneText) {
    const std::string text = kernel_with("if (c < cols) sum += x[c];");
    const Source source = read_source(text, all_lines(), {});
    const std::vector<Slot> slots = slots_of(source);
    const std::vector<Rewrite> all = rewrites(source, {{}, {{kLine, 0}}});
    std::vector<Placed> placed;
    for (const Rewrite& r : all) {
        const int slot = slot_of(slots, r);
        if (slot >= 0 && placed.size() < 200) placed.push_back({&r, slot});
        const bool type = r.rule == std::string("precision") && r.was == "float";
        EXPECT_FALSE(type && slot >= 0) << "a type has no form";
    }
    ASSERT_GT(placed.size(), 100u);
    const MutantSchemata one = mutant_schemata(source, slots, placed);
    EXPECT_EQ(std::set<int>(one.numbers.begin(), one.numbers.end()).size(), placed.size());
    EXPECT_EQ(*std::min_element(one.numbers.begin(), one.numbers.end()), 1);
    for (size_t k = 0; k < placed.size(); ++k)
        EXPECT_NE(one.text.find("#line " + std::to_string((k + 1) * kSwitchedLines)), std::string::npos);
    EXPECT_NE(one.text.find("const int wl_chosen = wl_switch;"), std::string::npos);
    EXPECT_NE(one.text.find("static_cast<bool>(c <= cols)"), std::string::npos) << one.text;
}

// Of one statement the first change wins, of two both are made.
TEST(MutantSchemata, ASecondVariableMakesAnotherChangeBesides) {
    const std::string text = kernel_with("if (c < cols) sum += x[c];\n sum += best;");
    const Source source = read_source(text, all_lines(), {});
    const std::vector<Slot> slots = slots_of(source);
    const auto change = [&](const char* was, const char* now) {
        return Rewrite{"", 1, was, now, kLine, {{text.find(was), std::string(was).size(), now}}};
    };
    const Rewrite bound = change("c < cols", "c <= cols"), sum = change("sum += x[c]", "sum -= x[c]");
    const Placed at_sum{&sum, slot_of(slots, sum)}, at_bound{&bound, slot_of(slots, bound)};
    const MutantSchemata one = mutant_schemata(source, slots, {at_sum}, {at_sum, at_bound});
    EXPECT_EQ(one.numbers, std::vector<int>{1});
    EXPECT_EQ(std::set<int>(one.besides.begin(), one.besides.end()), (std::set<int>{1, 2}));
    EXPECT_NE(one.text.find("const int wl_besides = wl_second_switch;"), std::string::npos) << one.text;
    const size_t first = one.text.find("if (static_cast<unsigned>(wl_chosen - 1) < 1u)"),
                 second = one.text.find("static_cast<unsigned>(wl_besides - 2) < 1u");
    ASSERT_NE(first, std::string::npos) << one.text;
    ASSERT_NE(second, std::string::npos) << one.text;
    EXPECT_LT(first, second) << "the first variable is asked before the second";
}

TEST(MutantSchemata, WhatAHeadWithoutBracesGovernsTakesNothingBeforeIt) {
    const std::string text = kernel_with("if (c < cols) sum += x[c];");
    const Source source = read_source(text, all_lines(), {});
    const std::vector<Slot> slots = slots_of(source);
    const size_t at = text.find("sum += x[c]");
    EXPECT_EQ(slot_of(slots, {"", 3, "", "", kLine, {{at, 0, "__syncwarp(); "}}}), -1);
    EXPECT_GE(slot_of(slots, {"", 3, "", "", kLine, {{at, 3, "best"}}}), 0);
    EXPECT_GE(slot_of(slots, {"", 3, "", "", kLine, {{text.find("if (c < cols)"), 0, "__syncwarp(); "}}}), 0);
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
