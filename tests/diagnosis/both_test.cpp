// Both operands of a sum, a product or a quotient at once, and what bits are mixed with.
#include "tests/support/rewrites.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {
namespace {

std::string kernel_with(const std::string& lines) {
    return "constexpr int kDim = 16;\n"
           "__global__ void blend(const float* x, const float* before, const int* counts, float* y, int "
           "rows, "
           "int cols, int planes) {\n"
           "    const int n = counts[0], m = counts[1], i = blockIdx.x * kDim + threadIdx.x;\n"
           "    float sum = 0.0f, cell = x[i];\n"
           "    const float t = tanhf(cell);\n"
           "    unsigned h = i; int last = n + m - 2;\n"
           "    for (int c = 0; c < planes; ++c) {\n" +
        lines +
        "\n"
        "    }\n"
        "    y[i] = sum + t + h + last;\n"
        "}\n";
}

std::vector<Rewrite> changes_of(const std::string& text) {
    SearchContext context;
    for (int line = 8; line < 11; ++line) context.suspicion.emplace(line, 0);
    return rewrites(test::source_of(text), context);
}

struct Changed {
    const char *wrong, *right;
    size_t before = 0;  // as early as so many changes
};
struct Both : testing::TestWithParam<Changed> {};

TEST_P(Both, TheRightTextIsOneChangeAway) {
    const std::string wrong = kernel_with(GetParam().wrong), right = kernel_with(GetParam().right);
    const std::vector<Rewrite> all = changes_of(wrong);
    test::expect_change_into(all, wrong, right, GetParam().before);
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Both,
    testing::Values(
        Changed{"sum += 1.0f - cell * cell;", "sum += 1.0f - t * t;", 900},
        Changed{"y[c * rows + i] = t;", "y[i * planes + c] = t;", 3500},
        Changed{"y[c] = sum / n;", "y[c] = n > 0 ? sum / n : 0.0f;", 1500},
        // on which side of a bracket a term stands
        Changed{"y[c] = tanhf(cell) + before[c];", "y[c] = tanhf(cell + before[c]);", 1000},
        Changed{"y[c] = sqrtf(cell + t);", "y[c] = sqrtf(cell) + t;", 900},
        Changed{"y[c] = t * (1.0f / sqrtf(cell + sum));", "y[c] = t * (1.0f / (sqrtf(cell) + sum));", 1500},
        // a group and a place in it, and what is rounded
        Changed{"sum += x[i % cols];", "sum += x[i / planes];", 900},
        Changed{"h = counts[c] >> m;", "h = (counts[c] + (1 << (m - 1))) >> m;", 1200},
        // another element of the array that it tells apart
        Changed{
            "if (c > 1 && counts[c] != n) sum += x[c - 2];",
            "if (c > 1 && counts[c] != n && counts[c] != counts[c - 2]) sum += x[c - 2];",
            900},
        // the file's constant that counts rows elsewhere
        Changed{"sum += x[c * rows + n];", "sum += x[c * kDim + n];", 200}
    )
);

TEST(Both, WhatBitsAreMixedWithIsHardlyWrong) {
    const std::string text = kernel_with("h ^= h >> 15;\nh = h >> 15;");
    const std::vector<Rewrite> all = changes_of(text);
    const auto mixed = test::change_into(all, text, kernel_with("h ^= h >> 16;\nh = h >> 15;"));
    const auto shifted = test::change_into(all, text, kernel_with("h ^= h >> 15;\nh = h >> 16;"));
    ASSERT_TRUE(mixed != all.end() && shifted != all.end());
    EXPECT_LT(mixed->log_prior, shifted->log_prior - 20);
}

// All bits added to an index take one from it by wrapping alone.
TEST(Rewrites, AMaskIsNoTerm) {
    const std::string text = "#define FULL 0xffffffffu\nconstexpr unsigned kAll = 0xFFFFFFFF;\n" +
        kernel_with("sum += x[counts[c]]; y[c] = __shfl_sync(FULL, sum, n) + (kAll & h);");
    for (const Rewrite& r : changes_of(text))
        for (const Edit& e : r.edits) {
            EXPECT_EQ(e.text.find("+ FULL"), std::string::npos) << e.text;
            EXPECT_EQ(e.text.find("- kAll"), std::string::npos) << e.text;
        }
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
