// What a source says elsewhere is what it lacks here: subscripts, definitions, the order of a queue, what is
// kept for the next turn. As early in the list as it has to stand to be tried.
#include "tests/support/rewrites.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {
namespace {

std::string kernel_with(const std::string& lines) {
    return "__global__ void first(const unsigned* keys, unsigned* out, int n) {\n"
           "    const unsigned h = keys[threadIdx.x];\n"
           "    const unsigned step = (h >> 16) | 1u;\n"
           "    out[threadIdx.x * n + step] = h;\n"
           "}\n"
           "__global__ void second(const float* x, const float* weights, const int* ids, const unsigned* "
           "keys,\n"
           "                       int* path, float* y, const float* targets, int n, int width, int pitch,\n"
           "                       int max_query, int max_target) {\n"
           "    const int t = threadIdx.x, e = blockIdx.x; int state = ids[0];\n"
           "    float older = 0.0f, old = 0.0f, now = x[t], sum = 0.0f;\n"
           "    const unsigned h = keys[t] + max_query;\n"
           "    for (int i = 0; i < n; ++i) {\n" +
        lines +
        "\n"
        "    }\n"
        "    y[t * n + e] = sum + older + old + now + state + h + weights[t] + max_target;\n"
        "}\n";
}

struct Changed {
    const char *wrong, *right;
    size_t before;  // as early as so many changes
};
struct Elsewhere : testing::TestWithParam<Changed> {};

TEST_P(Elsewhere, TheRightTextIsOneEarlyChangeAway) {
    const std::string wrong = kernel_with(GetParam().wrong), right = kernel_with(GetParam().right);
    const Source source = test::source_of(wrong);
    SearchContext context;
    for (int line = 12; line < 18; ++line) context.suspicion.emplace(line, 0);
    test::expect_change_into(rewrites(source, context), wrong, right, GetParam().before);
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Elsewhere,
    testing::Values(
        // another array's subscript
        Changed{"sum += weights[i + e];", "sum += weights[t * n + e];", 1800},
        // without a table between
        Changed{"sum += weights[ids[i]];", "sum += weights[i];", 1700},
        // two of three factors
        Changed{"sum += x[i * width * 3 + t];", "sum += x[i * pitch + t];", 300},
        // as a function before defines what has this name
        Changed{
            "const unsigned step = h >> 16;\nsum += step;",
            "const unsigned step = (h >> 16) | 1u;\nsum += step;",
            3400},
        // a queue moves on from its end
        Changed{"old = now;\nolder = old;\nnow = x[i];", "older = old;\nold = now;\nnow = x[i];", 3500},
        // what is looked up is where the next turn looks
        Changed{"path[i] = ids[i * n + state];", "path[i] = state = ids[i * n + state];", 300},
        // an array's own extent, by its name
        Changed{
            "const float* target = targets + e * max_query;\nsum += target[i];",
            "const float* target = targets + e * max_target;\nsum += target[i];",
            1500},
        // each turn begins anew
        Changed{
            "float run = 0.0f;\nfor (int k = 0; k < n; ++k) {\nfor (int j = 0; j < n; ++j) { run += x[j]; "
            "y[j] = run; }\n}",
            "\nfor (int k = 0; k < n; ++k) { float run = 0.0f;\nfor (int j = 0; j < n; ++j) { run += x[j]; "
            "y[j] = run; }\n}",
            12000}
    )
);

}  // namespace
}  // namespace wl::diagnosis::rewrite
