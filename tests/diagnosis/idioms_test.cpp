// Changes that make what right programs nearly always say, statements that are missing, and what a fit
// suggests.
#include "tests/support/rewrites.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace wl::diagnosis::rewrite {
namespace {

constexpr int kLine = 5;

// A kernel with one line of its own, in a loop over c.
std::string kernel_with(const std::string& line) {
    return "__constant__ int kBack[4] = {1, 2, 3, 0};\n"
           "__global__ void add(const float* x, const unsigned char* solid, float* y, float* out, int rows, "
           "int "
           "cols, int n) {\n"
           "    const int row = blockIdx.x, t = threadIdx.x; float sum = 0.0f, m = -1.0f; float2 two = {};\n"
           "    for (int c = 0; c < cols; ++c) {\n" +
        line +
        "\n"
        "    }\n"
        "    y[row * cols + t] = sum + m;\n"
        "}\n";
}

std::vector<Rewrite> changes_of(const std::string& line, const SearchContext& context) {
    std::set<int> lines;
    for (int k = 1; k < 20; ++k) lines.insert(k);
    return rewrites(read_source(kernel_with(line), lines, {}), context);
}

// Where among all changes the one of the wrong line into the right one stands; -1: it is not made.
int rank_of(const std::string& wrong, const std::string& right, SearchContext context = {}) {
    context.suspicion = {
        {kLine, 0}
    };
    const std::vector<Rewrite> all = changes_of(wrong, context);
    const auto found = test::change_into(all, kernel_with(wrong), kernel_with(right));
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

SearchContext with(const std::function<void(SearchContext&)>& set) {
    SearchContext out;
    set(out);
    return out;
}

struct OneAway {
    const char *wrong, *right;
    int before = 0;  // as early as so many changes
};

struct Idioms : testing::TestWithParam<OneAway> {};

TEST_P(Idioms, TheRightLineIsOneChangeAway) {
    const OneAway& each = GetParam();
    const int rank = rank_of(each.wrong, each.right);
    EXPECT_GE(rank, 0) << each.wrong << " -> " << each.right;
    EXPECT_LT(rank, each.before) << each.wrong << " -> " << each.right;
}

// Statements that name nothing of each other can stand in either order.
TEST(Exchanges, IndependentStatementsAreNotExchanged) {
    EXPECT_EQ(rank_of("out[c] = m; sum += x[c];", "sum += x[c]; out[c] = m;"), -1);
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Idioms,
    testing::Values(
        // a remainder of what may be negative
        OneAway{"sum += x[(t - c) % cols];", "sum += x[(t - c + cols) % cols];", 200},
        OneAway{"sum += x[t % n];", "sum += x[(t + n) % n];", 600},
        // what a function is defined for
        OneAway{"sum += logf(x[c]);", "sum += logf(fabsf(x[c]));", 320},
        OneAway{"sum += sqrtf(x[c] - m);", "sum += sqrtf(fmaxf(x[c] - m, 0.0f));", 450},
        // the other bits, a clamp, a state that nobody reads, a factor of what a table says
        OneAway{"sum = c > 0 ? y[c] : 0.0f;", "sum = c > 0 ? y[c] : x[row * cols + t];", 500},
        OneAway{"sum += y[kBack[c] + t];", "sum += y[kBack[c] * n + t];", 700},
        // a quotient of nothing
        OneAway{"sum = x[c] / m;", "sum = m != 0 ? x[c] / m : 0.0f;", 500},
        // what the function is given and never asks
        OneAway{
            "const int i = kBack[c]; sum += x[i];",
            "const int i = kBack[c]; if (i == n) continue; sum += x[i];",
            300},
        // rows that are twice as long, and the part of what comes before all of it
        OneAway{"sum += x[row * n + c];", "sum += x[row * 2 * n + c];", 900},
        OneAway{
            "const int k = t % n; sum += x[k * cols];",
            "const int k = t % n; sum += x[(row * n + k) * cols];",
            350},
        // names of one declaration, every shuffle of a function, one factor at all its places
        OneAway{
            "const float a = x[0], b = x[1]; sum += a - b * m;",
            "const float b = x[0], a = x[1]; sum += a - b * m;",
            300},
        OneAway{
            "sum += __shfl_down_sync(~0u, sum, 1); m += __shfl_down_sync(~0u, m, 1);",
            "sum += __shfl_xor_sync(~0u, sum, 1); m += __shfl_xor_sync(~0u, m, 1);",
            450},
        OneAway{
            "const float a = x[0], b = x[1]; sum = x[2] * (1 - a) + x[3] * a + b;",
            "const float a = x[0], b = x[1]; sum = x[2] * (1 - b) + x[3] * b + b;",
            1000},
        // nothing divides a whole number that is cast
        OneAway{"m = (float)c / t;", "m = t > 0 ? (float)c / t : 0.0f;", 600},
        // one lane adds, what is given and never asked
        OneAway{"sum += (float)c;", "sum += (float)(c - n);", 400},
        OneAway{
            "const float dt = x[1]; sum += expf(-x[c]);",
            "const float dt = x[1]; sum += expf(-x[c] * dt);",
            200},
        // a first value among several
        OneAway{
            "float f[2] = {0.0f, m}; sum += f[0];",
            "float f[2] = {-__int_as_float(0x7f800000), m}; sum += f[0];",
            950},
        // as the statement beside it does
        OneAway{
            "float b; sum = __shfl_down_sync(~0u, sum, 8); b = m; m = b;",
            "float b; sum = __shfl_down_sync(~0u, sum, 8); b = __shfl_down_sync(~0u, m, 8); m = b;",
            300},
        // before what it needs is there
        OneAway{"out[c] = sum; sum += x[c];", "sum += x[c]; out[c] = sum;", 300},
        OneAway{
            "for (int i = t; i < n; ++i) sum += x[i - (rows - 1)];",
            "for (int i = t; i < n + rows - 1; ++i) sum += x[i - (rows - 1)];",
            700},
        // operands exchanged where one of them stands elsewhere, too
        OneAway{"sum += x[row * c + cols] * cols;", "sum += x[row * cols + c] * cols;", 200},
        // tables that nobody reads, and that say yes or no
        OneAway{"sum += x[c];", "sum += x[kBack[c]];", 300},
        OneAway{"sum += x[c];", "if (!solid[c]) sum += x[c];", 400},
        OneAway{
            "if (solid[t]) m = 1.0f; sum += x[c];",
            "if (solid[t]) m = 1.0f; if (!solid[c]) sum += x[c];",
            900},
        OneAway{"sum += x[c + t];", "if (c != t) sum += x[c + t];", 900},
        OneAway{"out[t] = x[c] + (c >> 1);", "out[t] = x[c] + (c >> 31);", 400},
        // what nobody feeds
        OneAway{"if (t < n) ;", "if (t < n) out[row * cols + t] = sum;", 900},
        OneAway{"two.x += x[c];", "two.x += x[c]; two.y += x[c];", 900},
        OneAway{"sum += m / (y[c + 1] - y[c]);", "sum += m / x[c];", 300},
        // Arrays, as they are looked up.
        OneAway{"out[t] = x[t];", "out[t] = t > 0 ? x[t - 1] : 0.0f;", 320},
        OneAway{"sum += x[c] * x[n + c];", "sum += x[2 * c] * x[2 * c + 1];", 600},
        OneAway{"sum += x[2 * c] * x[2 * c + 1];", "sum += x[c] * x[n + c];", 300},
        OneAway{"sum += x[min(c + t, n - 1)];", "sum += (c + t < n ? x[c + t] : 0.0f);", 300},
        OneAway{
            "const int b = (int)x[c]; atomicAdd(&out[t % n], 1.0f);",
            "const int b = (int)x[c]; atomicAdd(&out[min(max(b, 0), n - 1)], 1.0f);",
            600},
        OneAway{
            "const int u = c / cols, v = c % rows; sum += x[u + v];",
            "const int u = c / cols, v = c % cols; sum += x[u + v];",
            300},
        OneAway{"float g[4][4]; sum = g[c][0] + g[c][1];", "float g[4][4]; sum = g[0][c] + g[1][c];", 600},
        OneAway{
            "float g[4][4]; for (int k = 0; k < 4; ++k) g[c][k] = 0.0f;",
            "float g[4][4]; for (int k = 0; k < 4; ++k) g[c][k] = c == k ? 1.0f : 0.0f;",
            900},
        OneAway{
            "const int u = 64; for (int k = 0; k < u; ++k) sum += x[c + k];",
            "const int u = 64; for (int k = 0; k < min(u, cols - c); ++k) sum += x[c + k];",
            1200},
        OneAway{"sum = 1.0f - two.x;", "sum = fminf(1.0f - two.x, 1.0f);", 900},
        OneAway{
            "for (int k = 0; k < n; ++k) sum += x[k];", "for (int k = 0; k < 2 * n; ++k) sum += x[k];", 400},
        OneAway{
            "const int u = c - t, v = row - t; if (v < 0 || v >= n || u >= cols) continue;",
            "const int u = c - t, v = row - t; if (v < 0 || u < 0 || v >= n || u >= cols) continue;",
            1550}
    )
);

TEST(Idioms, AFactorThatAllOfItLacksComesEarly) {
    const int at =
        rank_of("sum = x[c];", "sum = 3.0f * x[c];", with([](SearchContext& a) { a.factors = {"3.0f"}; }));
    EXPECT_GE(at, 0);
    EXPECT_LT(at, 60);
    EXPECT_EQ(rank_of("sum = x[c];", "sum = 3.0f * x[c];"), -1) << "no other number is put in";
}

TEST(Idioms, ATriangleThatShouldBeZeroIsClearedWhereItIsWritten) {
    const int at = rank_of("y[c] = x[t];", "y[c] = c > row ? 0.0f : x[t];", with([](SearchContext& a) {
                               a.triangle = kLine;
                           }));
    EXPECT_GE(at, 0);
    EXPECT_LT(at, 100);
    EXPECT_EQ(rank_of("y[c] = x[t];", "y[c] = c > row ? 0.0f : x[t];"), -1);
    const SearchContext elsewhere = with([](SearchContext& a) { a.triangle = kLine + 2; });
    EXPECT_EQ(rank_of("y[c] = x[t];", "y[c] = c > row ? 0.0f : x[t];", elsewhere), -1);
}

TEST(Idioms, WhereFp64IsRightAWiderFormatComesFirst) {
    const char *wrong = "float v = x[c]; sum += v * v;", *right = "double v = x[c]; sum += v * v;";
    const int before = rank_of(wrong, right),
              behind = rank_of(wrong, right, with([](SearchContext&a) { a.rounding = true; }));
    EXPECT_GE(behind, 0);
    EXPECT_LT(behind, before / 2);
}

// `(n + t - 1) / t` is right as it stands; `(n + t - 2) / t` is nothing that programs say.
TEST(Idioms, APartOfARoundingUpIsHardlyWrong) {
    const int idiom = rank_of("sum += (n + t - 1) / t;", "sum += (n * t - 1) / t;"),
              other = rank_of("sum += (n + t - 2) / t;", "sum += (n * t - 2) / t;");
    EXPECT_GE(other, 0);
    EXPECT_GT(idiom, 2 * other);
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
