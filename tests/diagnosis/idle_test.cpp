// Changes that use what stands idle: a loop's variable, a value that nobody reads, an array that is given,
// the other elements of an array.
#include "tests/support/rewrites.h"

#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>

namespace wl::diagnosis::rewrite {
namespace {

constexpr int kLine = 6;

// A kernel with one line of its own, in a loop over c.
std::string kernel_with(const std::string& line) {
    return "__global__ void centre(const float* x, const float* weight, float* y, int rows, int cols, float "
           "scale) {\n"
           "    __shared__ float part[64];\n"
           "    const int row = blockIdx.x, t = threadIdx.x;\n"
           "    float sum = 0.0f, best = -1.0f;\n"
           "    for (int c = 0; c < cols; c += 4) {\n" +
        line +
        "\n"
        "    }\n"
        "    if (t < 32 && row < rows) part[t] = sum;\n"
        "    y[row * cols + t] = best;\n"
        "}\n";
}

// The change of one line into the other, if it is made.
std::optional<Rewrite> change_between(const std::string& wrong, const std::string& right) {
    std::set<int> lines;
    for (int line = 1; line < 100; ++line) lines.insert(line);
    const Source source = read_source(kernel_with(wrong), lines, {});
    const std::vector<Rewrite> all = rewrites(
        source,
        {
            {32, 150},
            {{kLine, 0} }
    }
    );
    const auto found = test::change_into(all, source.text, kernel_with(right));
    return found == all.end() ? std::nullopt : std::optional(*found);
}

struct OneAway {
    const char *wrong, *right;
};

struct Idle : testing::TestWithParam<OneAway> {};

TEST_P(Idle, TheRightLineIsOneChangeAway) {
    EXPECT_TRUE(change_between(GetParam().wrong, GetParam().right))
        << GetParam().wrong << " -> " << GetParam().right;
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Idle,
    testing::Values(
        // Another variable of that name is read.
        OneAway{
            "{ const float n = x[t] * scale; sum += scale * x[t + 1]; } { const float n = x[c]; best = n; }",
            "{ const float n = x[t] * scale; sum += scale * n; } { const float n = x[c]; best = n; }"},
        OneAway{"sum += x[(row + 1) * cols + c + t];", "sum += x[(row + 1) * cols + c + t] + weight[c + t];"},
        OneAway{"sum += x[row * cols + (t + 1)];", "sum += x[row * cols + (t + 1)] * weight[(t + 1)];"},
        OneAway{"part[t] = x[t / 4 * cols + row];", "part[t] = x[(c + t / 4) * cols + row];"},
        OneAway{"part[t] = x[(t / 4) * cols + row];", "part[t] = x[(c + t / 4) * cols + row];"},
        OneAway{"best = scale / (sum + scale);", "best = scale / ((sum + scale) - best);"},
        OneAway{"if (c == 0) best = 1.0f;", "if (c == 0 || t == 0) best = 1.0f;"},
        OneAway{"if (c < cols) best = 1.0f;", "if (c < cols && t < cols) best = 1.0f;"},
        OneAway{"best = scale * x[c];", "best = (1.0f - scale) * best + scale * x[c];"},
        OneAway{
            "float two[2] = {sum, best}; sum = two[0];",
            "float two[2] = {sum, best}; sum = two[0] + two[1];"},
        OneAway{
            "float two[2] = {sum, best}; sum = scale * two[0];",
            "float two[2] = {sum, best}; sum = scale * (two[0] + two[1]);"},
        OneAway{
            "int label[9]; const int own = label[c]; const bool skip = own != t; best = skip ? 1.0f : 0.0f;",
            "int label[9]; const int own = label[c]; const bool skip = own != t && own != label[c - 1]; best "
            "= skip "
            "? 1.0f : 0.0f;"}
    )
);

TEST(IdleLoops, AVariableThatTheBodyDoesNotNameComesEarly) {
    const auto idle = change_between("sum += part[t / 32];", "sum += part[c];"),
               used = change_between("best = 2 * c; sum += part[t / 32];", "best = 2 * c; sum += part[c];");
    ASSERT_TRUE(idle && used);
    EXPECT_GE(idle->log_prior, used->log_prior + 20) << "tenths of a logarithm";
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
