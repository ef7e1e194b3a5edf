// Members of structs, templates' types and `auto` as the search reads them: variables like any other.
#include "instrumentation/diagnosis/rewrite/mutant_schemata.h"
#include "tests/support/rewrites.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace wl::diagnosis::rewrite {
namespace {

std::string kernel_with(const std::string& line) {
    return "struct Law { float gravity, softening; };\n"
           "template <typename Real>\n"
           "struct Problem {\n"
           "    const Real* a; Real* c;\n"
           "    int m, n, k;\n"
           "    Law law;\n"
           "    __device__ int last() const { return m - 1; }\n"
           "};\n"
           "template <typename Real, int kWidth>\n"
           "__global__ void scale(Problem<Real> p, const Problem<Real>* q, Real alpha) {\n"
           "    const int row = blockIdx.x, col = threadIdx.x;\n"
           "    const auto value = p.a[row * p.k + col];\n"
           "    Real sum = 0;\n" +
        line +
        "\n"
        "    p.c[row * p.n + col] = sum;\n"
        "}\n";
}

constexpr int kLine = 14;  // of it

bool is_one_away(const std::string& wrong, const std::string& right) {
    std::set<int> lines;
    for (int line = 1; line < 40; ++line) lines.insert(line);
    const std::string text = kernel_with(wrong);
    const Source source = read_source(text, lines, {}, "scale<float, 4>");
    const std::vector<Rewrite> all = rewrites(source, {{}, {{kLine, 0}}});
    return test::change_into(all, text, kernel_with(right)) != all.end();
}

TEST(Members, OneStandsForAnotherOfItsKind) {
    EXPECT_TRUE(is_one_away("if (row < p.n) sum += value;", "if (row < p.m) sum += value;"));
    EXPECT_TRUE(is_one_away("sum += p.a[row * p.n + col];", "sum += p.a[row * p.k + col];"));
    EXPECT_TRUE(is_one_away("sum += q->a[row * q->n];", "sum += q->a[row * q->k];"));
    EXPECT_TRUE(is_one_away("sum = value * p.law.gravity;", "sum = value * p.law.softening;"));
    EXPECT_FALSE(is_one_away("sum += p.a[row];", "sum += p.m[row];"));
}

TEST(Members, TheyAreWhatAGuardMayLack) {
    EXPECT_TRUE(is_one_away("sum = value;", "if (row < p.m) sum = value;"));
    EXPECT_TRUE(is_one_away(
        "for (int k = 0; k < 8; ++k) sum += value;", "for (int k = 0; k < p.k; ++k) sum += value;"
    ));
}

TEST(Members, ATemplatesTypeAndAutoAreWhatTheyStandFor) {
    EXPECT_TRUE(is_one_away("sum = alpha;", "sum = value;"));
    EXPECT_TRUE(is_one_away("sum = value;", "sum = value * alpha;"));
}

TEST(Members, TheStructsOwnFunctionsKnowThem) {
    const std::string text = kernel_with("sum = value;");
    const Source source = read_source(text, {}, {});
    const auto at = static_cast<int>(
        std::find_if(
            source.tokens.begin(),
            source.tokens.end(),
            [&](const Token& t) { return t.line == 7 && source.text.substr(t.begin, t.end - t.begin) == "m"; }
        ) -
        source.tokens.begin()
    );
    ASSERT_LT(at, source.count());
    ASSERT_NE(variable_at(source, at), nullptr);
    EXPECT_EQ(variable_at(source, at)->kind, ValueKind::whole);
}

// Of a text with the line `mine` in it, which should be `right`.
bool reaches(const std::string& text, const std::string& mine, const std::string& right) {
    const size_t at = text.find(mine);
    const auto line =
        static_cast<int>(1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
    const std::string wanted = std::string(text).replace(at, mine.size(), right);
    const std::vector<Rewrite> all = rewrites(read_source(text, {}, {}), {{}, {{line, 0}}});
    return std::any_of(all.begin(), all.end(), [&](const Rewrite& r) {
        return rewritten(text, r) == wanted;
    });
}

TEST(Members, GroupsAreAskedForCounts) {
    const std::string text =
        "__global__ void f(float* x, int n) {\n"
        "    const auto grid = cg::this_grid();\n"
        "    for (int i = grid.thread_rank(); i < n; i += blockDim.x)\n"
        "        if (grid.thread_rank() == n - 1) x[i] += grid.size();\n"
        "}\n";
    EXPECT_TRUE(reaches(text, "i += blockDim.x", "i += grid.size()"));
    EXPECT_TRUE(reaches(text, "int i = grid.thread_rank()", "int i = grid.size()"));
    EXPECT_TRUE(reaches(text, "grid.thread_rank() == n - 1", "grid.thread_rank() == 0"));
}

TEST(Members, ALambdaIsAFunctionOfItsOwn) {
    const std::string text =
        "__global__ void f(float* x, int rows, int cols) {\n"
        "    const auto at = [&](int row, int col) {\n"
        "        const int first = row * rows;\n"
        "        return first + col;\n"
        "    };\n"
        "    x[at(blockIdx.x, threadIdx.x)] = cols;\n"
        "}\n";
    EXPECT_TRUE(reaches(text, "row * rows", "row * cols"));
    EXPECT_TRUE(reaches(text, "return first + col", "return first + row"));
}

TEST(Members, AConditionThatIsAValueMayLackAPart) {
    const std::string text =
        "__global__ void f(const float* x, float* y, const int* key, int n) {\n"
        "    const int i = blockIdx.x * 32 + threadIdx.x, own = key[i];\n"
        "    const bool inside = i < n;\n"
        "    const bool head = i >= 1 && own != 0;\n"
        "    y[i] = inside ? x[i - 1] : 0.0f;\n"
        "}\n";
    EXPECT_TRUE(reaches(text, "inside = i < n", "inside = i < n && i >= 0"));
    EXPECT_TRUE(reaches(text, "inside ? x", "inside && i >= 0 ? x"));
    EXPECT_TRUE(reaches(text, "own != 0", "own != 0 && own != key[i - 1]"));
}

TEST(Members, WhatNobodyStoresIsMadeOfWhatIsAtHand) {
    const std::string text =
        "__global__ void f(const float* x, float* y) {\n"
        "    __shared__ float tile[32][33];\n"
        "    const int row = threadIdx.y, col = threadIdx.x;\n"
        "    const float value = x[row];\n"
        "    __syncthreads();\n"
        "    y[row] = tile[row][col];\n"
        "}\n";
    EXPECT_TRUE(reaches(text, "__syncthreads();", "tile[row][col] = value; __syncthreads();"));
}

TEST(Members, TwoStandForOneByAFunctionThatIsCalled) {
    const std::string text =
        "__device__ float add(float a, float b) { return log1pf(expf(a - b)); }\n"
        "__global__ void f(const float* x, float* y, int n) {\n"
        "    const float first = add(x[0], x[1]);\n"
        "    y[0] = first * x[n - 1];\n"
        "    y[1] = x[n % 2];\n"
        "}\n";
    EXPECT_TRUE(reaches(text, "first * x[n - 1]", "first * add(x[n - 1], x[n - 2])"));
    EXPECT_TRUE(reaches(text, "x[n % 2]", "x[(n - 1) % 2]")) << "a sum in a quotient keeps its brackets";
}

TEST(Members, AnAliasIsItsType) {
    const Source source =
        read_source("using bf16 = __nv_bfloat16;\ntypedef int Index;\nbf16 a; Index b;\n", {}, {});
    ASSERT_EQ(source.variables.size(), 2U);
    EXPECT_EQ(source.variables[0].kind, ValueKind::real);
    EXPECT_EQ(source.variables[1].kind, ValueKind::whole);
}

// What stands behind `=` is a value of the struct, not of one of its members.
TEST(Members, AStructIsChosenAsAWhole) {
    const Source source = test::source_of(
        "struct Cell { float h, u; };\n"
        "__device__ Cell of(float v) { return {v, v}; }\n"
        "__global__ void f(const float* x, float* y) {\n"
        "    const Cell a = of(x[0]), b = of(x[1]);\n"
        "    y[0] = a.h + b.u;\n"
        "}\n"
    );
    std::set<std::string> names;
    for (const Slot& slot : slots_of(source)) names.insert(slot.name);
    EXPECT_TRUE(names.contains("a") && names.contains("b"));
    for (const std::string& name : names) EXPECT_EQ(name.find('.'), name.npos) << name;
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
