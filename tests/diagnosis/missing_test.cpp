// Statements that a function lacks: each kernel with one of them left out, and how early it is put back.
#include "tests/support/rewrites.h"

#include <gtest/gtest.h>
#include <string>

namespace wl::diagnosis::rewrite {
namespace {

// `@...@` stands for what is left out.
struct LeftOut {
    const char* kernel = "";
    int before = 0;  // as early as so many changes
    std::string wrong() const {
        const std::string text = kernel;
        const size_t first = text.find('@'), last = text.find('@', first + 1);
        return text.substr(0, first) + text.substr(last + 1);
    }
    std::string right() const {
        std::string text = kernel;
        std::erase(text, '@');
        return text;
    }
};

struct Missing : testing::TestWithParam<LeftOut> {};

TEST_P(Missing, WhatIsLeftOutIsPutBack) {
    const LeftOut& each = GetParam();
    const Source s = test::source_of(each.wrong());
    SearchContext context;
    context.unwritten = true, context.axes = "xy";
    for (int k = 1; k < 40; ++k) context.suspicion.emplace(k, 1);
    const std::vector<Rewrite> all = rewrites(s, context);
    const auto found = test::change_into(all, each.wrong(), each.right());
    ASSERT_NE(found, all.end()) << each.kernel;
    EXPECT_LT(found - all.begin(), each.before) << each.kernel;
}

INSTANTIATE_TEST_SUITE_P(
    Rewrites,
    Missing,
    testing::Values(
        // the other case of a block
        LeftOut{
            "__global__ void f(const float* x, float* y, int* met, int n) {\n"
            "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n) return;\n"
            "    if (x[i] > 1.0f) {\n"
            "        const float v = x[i] - 1.0f;\n"
            "        y[i] = v * v;\n"
            "    } @else y[i] = 0.0f;@\n"
            "}\n",
            60},
        // who came last begins to count anew
        LeftOut{
            "__global__ void f(const float* x, float* parts, unsigned* came, float* sum) {\n"
            "    parts[blockIdx.x] = x[blockIdx.x];\n"
            "    __threadfence();\n"
            "    const bool last = atomicAdd(came, 1u) == gridDim.x - 1;\n"
            "    if (last) {\n"
            "        float all = 0.0f;\n"
            "        for (int i = 0; i < gridDim.x; ++i) all += parts[i];\n"
            "        *sum = all;@ *came = 0;@\n"
            "    }\n"
            "}\n",
            200},
        // what lies behind what there is
        LeftOut{
            "__global__ void f(const float* x, const int* lengths, int* path, int steps) {\n"
            "    const int len = lengths[blockIdx.x];\n"
            "    for (int t = threadIdx.x; t < len; t += blockDim.x) path[t] = x[t] > 0.0f;\n"
            "    __syncthreads();\n"
            "    if (threadIdx.x == 0) path[0] = 1;\n"
            "    @for (int wl_i = len + threadIdx.x; wl_i < steps; wl_i += blockDim.x) path[wl_i] = -1;@\n"
            "}\n",
            400},
        // outputs that are written together elsewhere
        LeftOut{
            "__global__ void f(const float2* c_in, const int* h_in, float2* c_out, int* h_out, int n) {\n"
            "    const int at = blockIdx.x * 32 + threadIdx.x;\n"
            "    const float2 c = c_in[at];\n"
            "    if (at >= n) {\n"
            "        c_out[at] = c;\n"
            "        @h_out[at] = h_in[at];@\n"
            "        return;\n"
            "    }\n"
            "    c_out[at] = make_float2(c.y, c.x);\n"
            "    h_out[at] = (int)c.x;\n"
            "}\n",
            60},
        // an extent that is made behind its index, what a turn hands on, what is not one's own
        LeftOut{
            "__global__ void f(const float* x, float* y, int dim) {\n"
            "    const int pair = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    const int pairs = dim / 2;\n"
            "    @if (pair >= pairs) return;@\n"
            "    y[pair] = x[pair];\n"
            "}\n",
            80},
        LeftOut{
            "__global__ void f(const int* x, int* y, int n) {\n"
            "    int before = 0, best = 0;\n"
            "    for (int k = 0; k < n; ++k) {\n"
            "        const int now = x[k];\n"
            "        best = max(best, now - before);\n"
            "        @before = now;@\n"
            "    }\n"
            "    y[threadIdx.x] = best;\n"
            "}\n",
            60},
        LeftOut{
            "__global__ void f(const int* kinds, const float* x, float* y, int n) {\n"
            "    __shared__ int kind[32];\n"
            "    const int t = threadIdx.x, mine = kinds[n + t];\n"
            "    kind[t] = kinds[t];\n"
            "    __syncthreads();\n"
            "    float sum = 0.0f;\n"
            "    for (int j = 0; j < 32; ++j) {\n"
            "        @if (kind[j] != mine) continue;@\n"
            "        sum += x[j];\n"
            "    }\n"
            "    y[t] = sum;\n"
            "}\n",
            120},
        // names that differ from others in the same letters, one of which holds the other
        LeftOut{
            "__global__ void f(float* u, float* hu, const float* x) {\n"
            "    const int t = threadIdx.x;\n"
            "    const float u1 = x[t], hu1 = 2.0f * u1;\n"
            "    u[t] = u1;\n"
            "    @hu[t] = hu1;@\n"
            "}\n",
            60},
        // stores: by rows and columns, of a quotient, blended, of an array of the function's own
        LeftOut{
            "__global__ void f(const float* x, float* y, int w, int h) {\n"
            "    const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y;\n"
            "    if (c >= w || r >= h) return;\n"
            "    float sum = 0.0f;\n"
            "    for (int k = 0; k < 3; ++k) sum += x[k];\n"
            "    @y[r * w + c] = sum;@\n"
            "}\n",
            120},
        LeftOut{
            "__global__ void f(const float* x, float* y, int n) {\n"
            "    const int i = blockIdx.x;\n"
            "    float acc = 0.0f, total = 0.0f;\n"
            "    for (int k = 0; k < n; ++k) { acc += x[k]; total += x[i]; }\n"
            "    @y[i] = acc / total;@\n"
            "}\n",
            300},
        LeftOut{
            "__global__ void f(const float* x, float* y, int n, float alpha, float beta) {\n"
            "    const int i = blockIdx.x;\n"
            "    float acc = 0.0f;\n"
            "    for (int k = 0; k < n; ++k) acc += x[k];\n"
            "    @y[i] = alpha * acc + beta * y[i];@\n"
            "}\n",
            200},
        LeftOut{
            "__global__ void f(const float* x, float* y, int w, int h) {\n"
            "    __shared__ float tile[32][33];\n"
            "    const int c = blockIdx.x, r = blockIdx.y;\n"
            "    tile[threadIdx.y][threadIdx.x] = x[r * w + c];\n"
            "    __syncthreads();\n"
            "    if (c < h && r < w) { @y[r * h + c] = tile[threadIdx.x][threadIdx.y];@ }\n"
            "}\n",
            200},
        // by warps, by what a loop counts by
        LeftOut{
            "__global__ void f(const float* x, float* y) {\n"
            "    __shared__ float part[2];\n"
            "    float sum = x[threadIdx.x];\n"
            "    sum += 1.0f;\n"
            "    if (threadIdx.x % 32 == 0) { @part[threadIdx.x / 32] = sum;@ }\n"
            "    __syncthreads();\n"
            "    y[threadIdx.x] = part[0] + part[1];\n"
            "}\n",
            250},
        LeftOut{
            "__global__ void f(const float* h, float* y, int n) {\n"
            "    __shared__ float state[64];\n"
            "    const float* first = h;\n"
            "    for (int i = threadIdx.x; i < n; i += 32) @state[i] = h[i]@;\n"
            "    __syncthreads();\n"
            "    y[threadIdx.x] = state[threadIdx.x] + first[0];\n"
            "}\n",
            150},
        // shared memory that is only added up
        LeftOut{
            "__global__ void f(const float* x, float* y) {\n"
            "    __shared__ float part[64];\n"
            "    const int t = threadIdx.x;\n"
            "    float sum = x[t] * 2.0f;\n"
            "    @part[t] = sum;@\n"
            "    __syncthreads();\n"
            "    for (int half = 32; half > 0; half /= 2) { if (t < half) { part[t] += part[t + half]; } "
            "__syncthreads(); }\n"
            "    if (t == 0) y[blockIdx.x] = part[0];\n"
            "}\n",
            60},
        // the step of a tree, of a warp, what one lane has
        LeftOut{
            "__global__ void f(const float* x, float* y) {\n"
            "    __shared__ float part[64];\n"
            "    const int t = threadIdx.x;\n"
            "    part[t] = x[t];\n"
            "    __syncthreads();\n"
            "    for (int half = 32; half > 0; half /= 2) { if (t < half) { @part[t] += part[t + half];@ } "
            "__syncthreads(); }\n"
            "    if (t == 0) y[blockIdx.x] = part[0];\n"
            "}\n",
            200},
        LeftOut{
            "__device__ float merged(float a, float b) { return a + b; }\n"
            "__global__ void f(const float* x, float* y) {\n"
            "    float v = merged(x[0], x[1]);\n"
            "    v = merged(v, 1.0f);\n"
            "    for (int o = 16; o > 0; o /= 2) @v = merged(v, __shfl_xor_sync(0xffffffffu, v, o))@;\n"
            "    y[threadIdx.x] = v;\n"
            "}\n",
            60},
        LeftOut{
            "__global__ void f(const float* x, float* y) {\n"
            "    float v = x[threadIdx.x];\n"
            "    v += 1.0f;\n"
            "    @v = __shfl_sync(0xffffffffu, v, 0);@\n"
            "    y[threadIdx.x] = v;\n"
            "}\n",
            400},
        // a sum that nobody feeds, of arrays that nobody reads
        LeftOut{
            "__global__ void f(const float* a, const float* b, float* y, int n) {\n"
            "    float sum = 0.0f;\n"
            "    for (int k = 0; k < n; ++k) { @sum += a[k] * b[k];@ }\n"
            "    y[threadIdx.x] = sum;\n"
            "}\n",
            40},
        // what is looked for and not kept, kept in no array, taken from none
        LeftOut{
            "__global__ void f(const float* x, float* y, int n) {\n"
            "    float most = -1.0f; int place = 0;\n"
            "    for (int k = 0; k < n; ++k) if (x[k] > most) { @most = x[k];@ place = k; }\n"
            "    y[threadIdx.x] = most; y[place] = 0.0f;\n"
            "}\n",
            60},
        LeftOut{
            "__global__ void f(const float* x, float* y) {\n"
            "    __shared__ float own[32];\n"
            "    const int t = threadIdx.x;\n"
            "    own[t] = x[t];\n"
            "    float best = own[t];\n"
            "    for (int k = 0; k < 32; ++k) { best = fminf(best, own[k]); __syncthreads(); @own[t] = "
            "best;@ "
            "__syncthreads(); }\n"
            "    y[t] = own[t];\n"
            "}\n",
            110},
        LeftOut{
            "__global__ void f(const float* x, float* y) {\n"
            "    __shared__ float own[32];\n"
            "    const int t = threadIdx.x;\n"
            "    own[t] = x[t] + 1.0f;\n"
            "    float best = 0.0f;\n"
            "    @best = own[t];@\n"
            "    y[t] = best;\n"
            "}\n",
            60},
        LeftOut{
            "__global__ void f(const float* x, float* y) {\n"
            "    const int t = threadIdx.x;\n"
            "    float sum = x[t], squares = x[t] * x[t];\n"
            "    sum += 1.0f, squares += 1.0f;\n"
            "    if (t % 32 == 0) { atomicAdd(&y[0], sum); @atomicAdd(&y[1], squares);@ }\n"
            "}\n",
            100},
        // pointers to the block's part
        LeftOut{
            "__global__ void f(const float* x, const float* z, float* y, int n, int m) {\n"
            "    @z += blockIdx.y * m;@\n"
            "    x += blockIdx.y * n;\n"
            "    y[blockIdx.y * n + threadIdx.x] = x[threadIdx.x] + z[threadIdx.x];\n"
            "}\n",
            100},
        // functions that nobody calls
        LeftOut{
            "__device__ void fetch(float* to, const float* from, int n) { to[threadIdx.x] = from[n]; }\n"
            "__global__ void f(const float* from, float* y, int n) {\n"
            "    __shared__ float to[32];\n"
            "    const int t = threadIdx.x;\n"
            "    @fetch(to, from, n);@\n"
            "    y[t] = to[t];\n"
            "}\n",
            200},
        // the next of a series
        LeftOut{
            "__global__ void f(const float* x, float* y, float rho) {\n"
            "    float ux = x[0], uy = x[1];\n"
            "    ux /= rho;\n"
            "    @uy /= rho;@\n"
            "    y[0] = ux; y[1] = uy;\n"
            "}\n",
            70},
        LeftOut{
            "__global__ void f(float4 v, float* y) {\n"
            "    float a[4] = {};\n"
            "    a[0] = v.x;\n"
            "    @a[1] = v.y;@\n"
            "    y[0] = a[0]; y[1] = a[1];\n"
            "}\n",
            60},
        LeftOut{
            "__device__ void step(float& m, float& v) { m += 1.0f; v += m; }\n"
            "__global__ void f(const float* m, const float* v, float* m_out, float* v_out, int n) {\n"
            "    for (int i = threadIdx.x; i < n; i += 32) {\n"
            "        float mi = m[i], vi = v[i];\n"
            "        step(mi, vi);\n"
            "        m_out[i] = mi;\n"
            "        @v_out[i] = vi;@\n"
            "    }\n"
            "}\n",
            40}
    )
);

}  // namespace
}  // namespace wl::diagnosis::rewrite
