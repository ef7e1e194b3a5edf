// Changes of several places that read alike, and of several words that are one thought.
#include "instrumentation/diagnosis/rewrite/several/alike.h"
#include "tests/support/rewrites.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {
namespace {

std::string kernel_with(const std::string& lines) {
    return "#define TAPS 20\n"
           "constexpr int kBlock = 16, kTile = 22;\n"
           "struct Law { float alpha; };\n"
           "__device__ int saturate(int v) { return min(max(v, -32768), 32767); }\n"
           "template <int K>\n"
           "__global__ void add(const float* x, const unsigned* ids, float* y, int rows, int cols, Law law) "
           "{\n"
           "    __shared__ float tile[64];\n"
           "    const int row = blockIdx.x, t = threadIdx.x; const bool odd = t % 2;\n"
           "    float3 d = {}, box = {}; float norm = 0.0f, sum = 0.0f, low = x[t]; int turn = 0;\n"
           "    for (int c = 0; c < cols; ++c) {\n" +
        lines +
        "\n"
        "    }\n"
        "    y[row * cols + t] = sum + d.x + d.y + d.z + turn + tile[t];\n"
        "}\n";
}

struct Changed {
    const char *wrong, *right;
    size_t before = 0;  // as early as so many changes
};
struct Several : testing::TestWithParam<Changed> {};

TEST_P(Several, TheRightTextIsOneChangeAway) {
    const std::string wrong = kernel_with(GetParam().wrong), right = kernel_with(GetParam().right);
    const Source source = test::source_of(wrong);
    SearchContext context;
    for (int line = 11; line < 16; ++line) context.suspicion.emplace(line, 0);
    const std::vector<Rewrite> all = rewrites(source, context);
    test::expect_change_into(all, wrong, right, GetParam().before);
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Several,
    testing::Values(
        // three statements, one mistake
        Changed{
            "d.x -= box.x * floorf(d.x / box.x);\nd.y -= box.y * floorf(d.y / box.y);\nd.z -= box.z * "
            "floorf(d.z / "
            "box.z);",
            "d.x -= box.x * rintf(d.x / box.x);\nd.y -= box.y * rintf(d.y / box.y);\nd.z -= box.z * "
            "rintf(d.z / "
            "box.z);",
            4000},
        // arguments of one call
        Changed{
            "norm += 1.0f;\nd = make_float3(d.x, d.y, d.z);",
            "norm += 1.0f;\nd = make_float3(d.x / norm, d.y / norm, d.z / norm);",
            9000},
        // parts of two statements
        Changed{
            "sum += 2.0f * row / rows;\nnorm -= 2.0f * t / cols;",
            "sum += 2.0f * (row + 0.5f) / rows;\nnorm -= 2.0f * (t + 0.5f) / cols;",
            9000},
        // thoughts of several words
        Changed{
            "for (int i = t; i < kBlock * kBlock; i += kBlock) sum += x[i];",
            "for (int i = t; i < kTile * kTile; i += kBlock) sum += x[i];",
            2500},
        Changed{"turn += 3 << 2 * K;", "turn += 3 << 2 * (K - 1);", 4000},
        Changed{"if (low > 1.0f) continue;", "if (norm + low > 1.0f) continue;", 2500},
        Changed{"if (x[c] < low) sum += x[c];", "if (c != t && x[c] < low) sum += x[c];", 4000},
        Changed{
            "const float far = low * low;\nsum += norm * (norm + 1.0f);",
            "const float far = low * low;\nsum += norm * (norm + 1.0f); sum -= far * (far + 1.0f);",
            3000},
        Changed{
            "sum += (unsigned long long)c << 32 | __float_as_uint(low);",
            "sum += (unsigned long long)__float_as_uint(low) << 32 | c;",
            4000},
        Changed{
            "const signed char code = ids[c];\nsum += x[code];",
            "const unsigned char code = ids[c];\nsum += x[code];",
            2500},
        Changed{
            "int part = 0;\npart += c * t;\nturn += part >> 15;",
            "int part = 1 << 14;\npart += c * t;\nturn += part >> 15;",
            3000},
        Changed{"sum += law.alpha * low;", "sum += (odd ? law.alpha : 1.0f - law.alpha) * low;", 4000},
        // a macro and a template's number are numbers like others
        Changed{"sum += x[c * rows + t];", "sum += x[t * TAPS + c];", 4000},
        Changed{"turn += rows;", "turn += K;", 1500},
        // the same of three axes, and of names that tell them apart
        Changed{
            "d = make_float3(low + c * norm, low + t * norm, low + row * norm);",
            "d = make_float3(low + (c + 0.5f) * norm, low + (t + 0.5f) * norm, low + (row + 0.5f) * norm);",
            3000},
        Changed{
            "const float mx = low * 2.0f, my = low * 3.0f;\nconst float ux = mx, uy = my;\nsum += ux * uy;",
            "const float mx = low * 2.0f, my = low * 3.0f;\nconst float ux = mx / norm, uy = my / norm;\nsum "
            "+= "
            "ux * uy;",
            6000},
        // other forms of a formula
        Changed{
            "const int next = min(turn + 1, kTile);\nsum += low / next;",
            "const int next = min(turn + 1, kTile);\nsum += low / (turn + 1);",
            4000},
        Changed{"sum += x[(c + t) % cols];", "sum += x[(c - t + cols) % cols];", 3000},
        Changed{"sum += x[(c - t + cols) % cols];", "sum += x[(c + t) % cols];", 3000},
        Changed{"if (c == 0) sum += low;", "if (c < 2) sum += low;", 4000},
        Changed{"sum += low * norm * x[c];", "sum += low * (1.0f - norm * x[c]);", 6000},
        Changed{
            "sum += (low - x[c]) / (x[c + 1] - x[c]);", "sum += (x[c + 1] - low) / (x[c + 1] - x[c]);", 6000},
        Changed{
            "turn = c * rows;\nnorm = ids[c + t];",
            "turn = c * rows - ids[c + t];\nnorm = ids[c + t];",
            6000},
        Changed{"turn += (t & 1);", "turn += ((t + c) & 1);", 4000},
        Changed{
            "const bool flip = c < rows;\nturn += flip;",
            "const bool flip = turn <= 0 || c < rows;\nturn += flip;",
            6000},
        Changed{
            "d.x = x[0] * low + x[3] * norm;\nd.y = x[1] * low + x[4] * norm;",
            "d.x = x[0] * low + x[1] * norm;\nd.y = x[3] * low + x[4] * norm;",
            2500},
        // wide enough, and on whole groups
        Changed{
            "const int at = row + 1;\nsum += x[at];",
            "const int at = row + 1; if (at >= cols) return;\nsum += x[at];",
            3000},
        // a second limit, a flag, rows of one array, the other end of another
        Changed{"sum += x[-1 - turn];", "sum += x[cols - 1 + turn];", 2500},
        // groups, samples, guards, and what lies inside
        Changed{"sum += low;\nif (c < turn) continue;", "if (c < turn) continue;\nsum += low;", 4000},
        Changed{
            "const int left = c - turn;\nsum += x[left];",
            "const int left = max(c - turn, 0);\nsum += x[left];",
            2000},
        Changed{
            "const int right = c + t;\nsum += x[right];",
            "const int right = min(c + t, cols - 1);\nsum += x[right];",
            4000},
        Changed{
            "__shared__ int bins[32];\n__syncthreads();\nturn += bins[0];",
            "__shared__ int bins[32];\nbins[t] = 0; __syncthreads();\nturn += bins[0];",
            2500},
        // of what stands behind a sign the brackets as well
        Changed{"turn = c - t;", "turn = c - (1 - t);", 6000},
        // components, and what ends as its twin does
        Changed{
            "const int x0 = row * kBlock, y0 = t * kBlock - 1;\nturn = x0 + y0;",
            "const int x0 = row * kBlock - 1, y0 = t * kBlock - 1;\nturn = x0 + y0;",
            3500},
        // the border of an image
        Changed{
            "if (turn < 0) turn = -turn - 1;\nif (turn >= rows) turn = 2 * rows - 1 - turn;",
            "if (turn < 0) turn = -turn;\nif (turn >= rows) turn = 2 * rows - 2 - turn;",
            4000},
        Changed{
            "const int left = max(t - 1, 0), right = min(t + 1, cols - 1);\nsum += x[left] + x[right];",
            "const int left = (t - 1 + cols) % cols, right = (t + 1) % cols;\nsum += x[left] + x[right];",
            4000},
        // the other case, one block alone, the other share
        Changed{"if (turn == 0) y[c] = sum;", "if (turn == 0) y[c] = sum; else y[c] = -sum;", 9000},
        Changed{"atomicAdd(&y[c], sum);", "if (blockIdx.x == 0) atomicAdd(&y[c], sum);", 500},
        Changed{"norm = low / x[c];", "norm = 1.0f - low / x[c];", 3000},
        // what one block, or one lane, does for all
        Changed{
            "if (c < rows) atomicAdd(&y[c], x[c]);",
            "if (blockIdx.x == 0 && c < rows) atomicAdd(&y[c], x[c]);",
            500},
        Changed{
            "const int lane = t % 32;\nfor (int d = 0; d < cols; ++d) sum += x[d];\nturn = lane;",
            "const int lane = t % 32;\nif (lane == 0) for (int d = 0; d < cols; ++d) sum += x[d];\nturn = "
            "lane;",
            2500},
        Changed{
            "if (const int i = t; i < cols) sum += x[i];",
            "for (int i = t; i < cols; i += blockDim.x) sum += x[i];",
            2500},
        // a threshold, and where checksums begin
        Changed{"unsigned crc = 0u;\nturn = crc;", "unsigned crc = 0xffffffffu;\nturn = crc;", 2500},
        // what follows in a series, with its own extent
        Changed{
            "int ux = t, uy = row;\nux = min(ux, cols - 1);\nturn += ux * uy;",
            "int ux = t, uy = row;\nux = min(ux, cols - 1); uy = min(uy, rows - 1);\nturn += ux * uy;",
            9000},
        // one word that a statement says twice
        Changed{
            "sum += x[3 * c + t] * norm + x[3 * c + row];",
            "sum += x[4 * c + t] * norm + x[4 * c + row];",
            3000},
        // wherever there is shared memory
        Changed{"tile[t] = low;\nnorm = 1.0f;", "tile[t] = low;\n__syncthreads(); norm = 1.0f;", 1500}
    )
);

TEST(Borders, AFunctionAsksWhereItsImageEnds) {
    const std::string wrong =
        "__device__ int at(int i, int n) {\n    if (i < 0) return -i;\n    return i;\n}\n"
        "__global__ void k(float* y, int n) { y[at(threadIdx.x, n)] = 1.0f; }\n";
    const Source source = test::source_of(wrong);
    SearchContext context;
    context.suspicion.emplace(3, 0);
    const std::vector<Rewrite> all = rewrites(source, context);
    for (const char* end : {"2 * (n - 1) - i", "n - 1", "i - n"}) {
        std::string right = wrong;
        right.insert(right.find("return i;"), "if (i >= n) return " + std::string(end) + "; ");
        test::expect_change_into(all, wrong, right, 60);
    }
}

TEST(Offsets, WhatAddsWhatAllLacksComesFirst) {
    const std::string wrong = kernel_with("turn = min(turn, c * rows + t);"),
                      right = kernel_with("turn = min(turn, c * rows + t + 1);");
    const Source source = test::source_of(wrong);
    SearchContext context;
    context.suspicion.emplace(11, 0);
    const auto place = [&](int offset) {
        context.offset = offset;
        const std::vector<Rewrite> all = rewrites(source, context);
        const auto found = test::change_into(all, wrong, right);
        EXPECT_NE(found, all.end());
        return found - all.begin();
    };
    const auto as_ever = place(0);
    EXPECT_LT(place(1), as_ever);
    EXPECT_GE(place(-1), as_ever);
}

TEST(Names, NothingIsMadeOfItself) {
    const Source source = test::source_of(kernel_with("const float next = fmaxf(low, norm);\nsum += next;"));
    SearchContext context;
    context.suspicion.emplace(11, 0);
    for (const Rewrite& r : rewrites(source, context))
        EXPECT_EQ(rewritten(source.text, r).find("next = fmaxf(low, next)"), std::string::npos) << r.now;
}

Rewrite replaced(const Source& s, const std::string& was, const std::string& now) {
    return {"wrong_operation", 1, was, now, 0, {{s.text.find(was), was.size(), now}}};
}

TEST(Alike, AChangeOfOnePlaceIsMadeAtAllThatReadAlike) {
    const Source s = test::source_of(kernel_with("d.x += rintf(box.x);\nd.y += rintf(box.y);"));
    const std::vector<Rewrite> all = alike_of(s, replaced(s, "rintf(box.x)", "box.x"));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_NE(rewritten(s.text, all.front()).find("d.y += box.y;"), std::string::npos);
    ASSERT_EQ(all.front().besides.size(), 1u);
    EXPECT_EQ(all.front().besides.front().now, "box.y");
}

// A producer and a consumer that count alike are wrong alike.
TEST(Alike, CopiesOfAStatementAreChangedTogether) {
    const std::string copy = "const int n = row;\nsum += x[n];\n";
    const Source s = test::source_of(kernel_with("{ " + copy + "} { " + copy + "}"));
    const std::vector<Rewrite> all = alike_of(s, replaced(s, "row;", "col;"));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(rewritten(s.text, all.front()).find("n = row;"), std::string::npos);
    const Source barriers = test::source_of(kernel_with("__syncthreads();\nsum += x[0];\n__syncthreads();"));
    EXPECT_TRUE(alike_of(barriers, replaced(barriers, "__syncthreads", "__syncwarp")).empty())
        << "short ones read alike by chance";
}

// `count` stands at one of the two already.
TEST(Alike, WhatIsRightAlreadyIsNotChangedTogether) {
    const Source s = test::source_of(kernel_with("sum += x[row * rows + c];\nnorm += x[row * cols + c];"));
    EXPECT_TRUE(alike_of(s, replaced(s, "rows", "cols")).empty());
}

TEST(Alike, WhatSharesNothingIsNotAlike) {
    const Source s = test::source_of(kernel_with("sum = x[row];\nturn = ids[t];"));
    EXPECT_TRUE(alike_of(s, replaced(s, "x[row]", "x[t]")).empty());
    const Source far =
        test::source_of(kernel_with("d.x += rintf(box.x);" + std::string(16, '\n') + "d.y += rintf(box.y);"));
    EXPECT_TRUE(alike_of(far, replaced(far, "rintf(box.x)", "box.x")).empty()) << "it lies too far away";
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
