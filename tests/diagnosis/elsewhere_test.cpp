// What is wrong in one place and right in another of the same file.
#include "tests/support/program.h"
#include "tests/support/rewrites.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {
namespace {

using nlohmann::json;

struct Changed {
    const char *wrong, *right;
    size_t before = 0;  // as early as so many changes
};
struct Elsewhere : testing::TestWithParam<Changed> {};

std::string file_with(const std::string& lines) {
    return "__device__ size_t at(int q, int x, int w, int h) { return (q * h + w) * w + x; }\n"
           "__global__ void made(const float* in, float* parts, float* f, int n, int w, int h) {\n"
           "    const int c = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y;\n"
           "    parts[row * n + c] = in[c];\n"
           "    f[at(row, c, w, h)] = in[n];\n"
           "}\n"
           "struct Sums { float n, mean, second, third; };\n"
           "__global__ void used(const float* parts, float* f, int* level, int n, int w, int h, int turn) {\n"
           "    const int i = threadIdx.x, q = blockIdx.x; float sum = 0.0f; Sums a = {}, b = {}, r = {};\n"
           "    const float delta = b.mean - a.mean; atomicMax(&level[i], turn + 1);\n"
           "    for (int p = 0; p < n; ++p) {\n" +
        lines +
        "\n"
        "    }\n"
        "    f[i] = sum + r.second + r.third + q + delta; level[q] = i == q ? 3 : 0;\n"
        "}\n";
}

TEST_P(Elsewhere, TheRightTextIsOneChangeAway) {
    const std::string wrong = file_with(GetParam().wrong), right = file_with(GetParam().right);
    const Source source = test::source_of(wrong);
    Around around;
    for (int line = 12; line < 17; ++line) around.suspicion.emplace(line, 0);
    test::expect_change_into(rewrites(source, around), wrong, right, GetParam().before);
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Elsewhere,
    testing::Values(
        // as the other kernel lays it out: a block's number there, a loop's here
        Changed{"sum += parts[i * w + p];", "sum += parts[p * n + i];", 4000},
        // by a function that the other kernel calls
        Changed{"f[(p * w + i) * 9 + h] = sum;", "f[at(p, i, w, h)] = sum;", 6000},
        // one record after the other, and one member after the other
        Changed{
            "r.n = f[0 * n + p]; r.mean = f[1 * n + p]; r.second = f[2 * n + p];",
            "r.n = f[3 * p + 0]; r.mean = f[3 * p + 1]; r.second = f[3 * p + 2];",
            4000},
        Changed{
            "r.n = f[3 * p + 0]; r.mean = f[3 * p + 1]; r.second = f[3 * p + 2];",
            "r.n = f[0 * n + p]; r.mean = f[1 * n + p]; r.second = f[2 * n + p];",
            4000},
        // between two statements
        Changed{
            "sum += f[2] * parts[9];\nsum += f[3] * parts[8];",
            "sum += f[2] * parts[8];\nsum += f[3] * parts[9];",
            2000},
        // in a table
        Changed{"const int t[5] = {0, 3, 1, 4, 2};", "const int t[5] = {3, 0, 1, 2, 4};", 9000},
        // of two blocks the second
        Changed{
            "if (i > 0) { sum += f[i - 1]; r.n -= parts[i - 1] * sum; }\nif (i < n) { sum += f[i + 1]; "
            "r.mean "
            "+= 1.0f; }\nif (i < w) { sum += f[i + 1]; r.n -= parts[i + 1] * sum; r.mean += f[i + 1]; }\nif "
            "(i > h) { sum += f[i - 1]; r.n -= parts[i - 1] * sum; }",
            "if (i > 0) { sum += f[i - 1]; r.n -= parts[i - 1] * sum; }\nif (i < n) { sum += f[i + 1]; "
            "r.mean "
            "+= 1.0f; }\nif (i < w) { sum += f[i + 1]; r.n -= parts[i + 1] * sum; r.mean += f[i + 1]; }\nif "
            "(i > h) { sum += f[i - 1]; r.n -= parts[i - 1] * sum; r.mean += f[i - 1]; }",
            4000},
        // some factors of a term nearby
        Changed{
            "r.second = a.second + b.second;\nr.third = a.third + delta * delta * delta * a.n * (a.n - b.n);",
            "r.second = a.second + b.second + delta * delta * a.n;\nr.third = a.third + delta * delta * "
            "delta "
            "* a.n * (a.n - b.n);",
            9000},
        // a second case, another turn, one element apart
        Changed{
            "if (level[p] == -1) sum += 1.0f;",
            "if (level[p] == -1 || level[p] == turn + 1) sum += 1.0f;",
            4000},
        Changed{"sum += parts[(turn & 1) * n + i];", "sum += parts[((turn + 1) & 1) * n + i];", 4000},
        Changed{"level[i] = 0;", "level[i] = i == q ? 1 : 0;", 4000},
        // the last of n is the last of h
        Changed{"if (p <= i) sum += 1.0f;", "if (p <= i + n - h) sum += 1.0f;", 9000},
        // what the least begins with
        Changed{
            "int best = 0; level[i] = min(best, p);",
            "int best = 2147483647; level[i] = min(best, p);",
            2000},
        Changed{
            "int best = 0; level[i] = max(best, p);",
            "int best = (-2147483647 - 1); level[i] = max(best, p);",
            2000},
        // the first element that nobody sets
        Changed{
            "level[i + 1] = level[n + i + 1] = 0; f[i + 1] = 1.0f;",
            "if (i == 0) { level[i] = level[n + i] = 0; f[i] = 1.0f; } level[i + 1] = level[n + i + 1] = 0; "
            "f[i + "
            "1] = 1.0f;",
            2000}
    )
);

json first_of(const char* fault) {
    const std::vector<std::string> words = {
        "diagnose",
        test::source_path("tests/kernels/search/twins.toml"),
        "--fault",
        fault,
        "--search",
        "300",
        "--json"};
    return json::parse(test::warplens(words).out).at("findings").at(0);
}

struct Named {
    const char *fault, *line, *title;
};
struct Twins : testing::TestWithParam<Named> {};

TEST_P(Twins, WhatIsRightElsewhereIsNamed) {
    const json first = first_of(GetParam().fault);
    EXPECT_EQ(first.at("title"), GetParam().title) << first.dump(1);
    EXPECT_EQ(first.at("proven"), true);
    const json& at = first.at("where");
    EXPECT_EQ(
        at.value("file", "") + ":" + std::to_string(at.value("line", 0)),
        test::source_place("tests/kernels/search/twins.cu", GetParam().line)
    );
}

INSTANTIATE_TEST_SUITE_P(
    Search,
    Twins,
    testing::Values(
        Named{"layout", "part[i * parts + p]", "`i * parts + p` should be `p * n + i`"},
        Named{"clone", "// and behind it", "`near -= a[i + 2] * k;` is missing"},
        Named{
            "case",
            "= state[i] == level;",
            "`state[i] == level` should be `state[i] == level || state[i] == level + 1`"},
        Named{"apart", "first[i] = 0;", "`0` should be `i == level ? 1 : 0`"}
    ),
    [](const auto& each) { return std::string(each.param.fault); }
);

// The lanes at the barrier are those that the others wait for.
TEST(Twins, AShuffleThatLanesPassByIsTheCauseOfTheBarrier) {
    const std::vector<std::string> words = {
        "diagnose", test::source_path("tests/kernels/search/twins.toml"), "--fault", "lanes", "--json"};
    const json all = json::parse(test::warplens(words).out).at("findings");
    EXPECT_EQ(all.at(0).at("rule"), "shuffle_misuse") << all.dump(1);
    EXPECT_EQ(all.at(1).at("rule"), "divergent_barrier");
    EXPECT_EQ(all.at(1).at("caused_by"), 0);
}

TEST(Twins, TheRightKernelIsOk) {
    const std::vector<std::string> words = {
        "diagnose", test::source_path("tests/kernels/search/twins.toml"), "--json"};
    EXPECT_EQ(json::parse(test::warplens(words).out).at("verdict"), "ok");
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
