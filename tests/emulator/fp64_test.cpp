// What FP64 makes of a kernel's values, beside what their formats do.
#include "instrumentation/emulator/fp64/fp64.h"

#include "tests/emulator/emulator_cuda.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

std::vector<uint32_t> sites_of_line(const Program& program, int line) {
    std::vector<uint32_t> out;
    for (uint32_t site = 0; site < listing(program).sites.size(); ++site)
        if (line_of(program, site) == line) out.push_back(site);
    return out;
}

template <class T>
KernelRun run_of(const std::string& source, const std::vector<double>& a, size_t outputs, uint32_t threads) {
    KernelRun run(ptx_of(source), threads);
    std::vector<T> values(a.begin(), a.end());
    run.out<T>("out", outputs).in("a", values);
    return run;
}
Fp64Trace trace(KernelRun& run, const std::vector<uint32_t>& unrounded = {}) {
    Fp64Options options;
    options.unrounded = unrounded;
    return trace_fp64({run.module, *run.program, run.launch, run.memory}, options);
}

std::string with(std::string source, const std::string& real) {
    for (size_t at = 0; (at = source.find("REAL", at)) != std::string::npos;) source.replace(at, 4, real);
    return source;
}

// Shared memory, shuffles, votes of values, atomics, a loop, a call that is not inlined, exp, sqrt, rsqrt,
// quotients, choices.
const char* const kMany = R"(
extern "C" __global__ void k(REAL* out, const REAL* a) {
    __shared__ REAL tile[64];
    const int t = threadIdx.x;
    const REAL x = a[t], y = a[t + 64];
    tile[t] = x / (y * y + REAL(0.375)) - exp(-x);
    __syncthreads();
    REAL sum = tile[63 - t] * REAL(1.75);
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    REAL most = tile[t];
    for (int k = 0; k < 9; ++k) most = fmax(most, tile[(t + 7 * k) % 64] / REAL(3));
    out[t] = sqrt(fabs(sum)) + (x > y ? most : -most) * rsqrt(REAL(1) + y * y);
    atomicAdd(out + 64, sum / REAL(3));
}
)";

TEST(Fp64, IsWhatTheSameKernelOfDoublesComputes) {
    std::vector<double> a(128);
    for (size_t k = 0; k < a.size(); ++k) a[k] = static_cast<float>(std::sin(3.7 * static_cast<double>(k)));
    KernelRun narrow = run_of<float>(with(kMany, "float"), a, 65, 64);
    KernelRun doubles = run_of<double>(with(kMany, "double"), a, 65, 64);
    std::fill(
        narrow.memory.allocations[0].bytes.begin(), narrow.memory.allocations[0].bytes.end(), std::byte{0}
    );
    std::fill(
        doubles.memory.allocations[0].bytes.begin(), doubles.memory.allocations[0].bytes.end(), std::byte{0}
    );
    const std::vector<double> want = doubles.go().get<double>("out");
    const Fp64Trace t = trace(narrow);
    EXPECT_EQ(t.blocks, 1);
    EXPECT_TRUE(t.not_followed.empty()) << t.not_followed[0];
    ASSERT_GT(t.elements.size(), 60u) << "nearly every float is rounded";
    for (const Fp64Element& e : t.elements) {
        EXPECT_EQ(e.memory, "out");
        // Constants of expf are sums of two floats: 2^-48 of the exponent.
        EXPECT_NEAR(e.wide, want[e.offset / 4], 1e-12 * (1 + std::fabs(want[e.offset / 4]))) << e.offset / 4;
        EXPECT_NE(e.got, e.wide);
        EXPECT_NE(e.born, kNoSite);
    }
    const std::vector<float> left = narrow.get<float>("out");
    for (size_t k = 0; k < left.size(); ++k) EXPECT_EQ(left[k], static_cast<float>(want[k])) << k;
}

const char* const kCancels = R"(
extern "C" __global__ void k(float* out, const float* a) {
    const float x = a[threadIdx.x];
    const float square = x * x + 1.0f;
    const float large = square * 3.0f;
    out[threadIdx.x] = large - 3.0f * x * x;
}
)";

TEST(Fp64, SaysWhereADifferenceGrew) {
    KernelRun run = run_of<float>(kCancels, std::vector<double>(32, 5000), 32, 32);
    const Fp64Trace t = trace(run);
    ASSERT_EQ(t.elements.size(), 32u);
    const Fp64Element& e = t.elements[0];
    EXPECT_EQ(e.wide, 3);
    EXPECT_NE(e.got, 3);
    EXPECT_EQ(line_of(*run.program, e.parted), 6);
    EXPECT_LT(e.before, 2e-7);
    EXPECT_GT(e.behind, 0.1);
}

const char* const kHalves = R"(
#include <cuda_fp16.h>
extern "C" __global__ void k(__half* out, const __half* a) {
    __half sum = a[threadIdx.x];
    for (int k = 0; k < 400; ++k)
        sum = __hadd(sum, a[32]);
    const __half twice =
        __hmul(sum, a[33]);
    out[threadIdx.x] = twice;
}
)";

struct Halves {
    KernelRun run{ptx_of(kHalves), 32};
    explicit Halves(double start, double step, double factor) {
        std::vector<uint16_t> values(34);
        for (size_t k = 0; k < 34; ++k)
            from_double(DType::f16, k < 32 ? start : k == 32 ? step : factor, &values[k]);
        run.out<uint16_t>("out", 32).in("a", values);
    }
    double left() const {
        const uint16_t bits = run.get<uint16_t>("out")[0];
        return to_double(DType::f16, &bits);
    }
};

TEST(Fp64, KeepsOneLinesResultsAlone) {
    Halves all(2048, 0.5, 0.25), sum(2048, 0.5, 0.25), product(2048, 0.5, 0.25);
    const Fp64Trace t = trace(all.run);
    ASSERT_EQ(t.elements.size(), 32u);
    EXPECT_EQ(t.elements[0].got, 512) << "2048 + 0.5 is 2048 in halves";
    EXPECT_EQ(t.elements[0].wide, 562);
    EXPECT_EQ(line_of(*all.run.program, t.elements[0].born), 6);
    EXPECT_EQ(t.elements[0].born_in, DType::f16);
    EXPECT_EQ(all.left(), 562);
    trace(sum.run, sites_of_line(*sum.run.program, 6));
    EXPECT_EQ(sum.left(), 562);
    trace(product.run, sites_of_line(*product.run.program, 8));
    EXPECT_EQ(product.left(), 512) << "its sum is still one of halves";
}

TEST(Fp64, SeesWhereAValueLeavesItsFormat) {
    Halves h(60000, 64, 0.25);
    const Fp64Trace t = trace(h.run);
    ASSERT_EQ(t.elements.size(), 32u);
    EXPECT_TRUE(std::isinf(t.elements[0].got));
    EXPECT_EQ(t.elements[0].wide, (60000.0 - 60000 % 32 + 400 * 64) * 0.25);
    EXPECT_EQ(line_of(*h.run.program, t.elements[0].parted), 6);
    EXPECT_TRUE(std::isinf(t.elements[0].behind));
}

// Values made of bits, or rounded to whole numbers, are what they are.
TEST(Fp64, BeginsAnewBehindIntegerArithmetic) {
    const char* const source = R"(
extern "C" __global__ void k(float* out, const float* a) {
    const float third = a[threadIdx.x] / 3.0f;
    out[threadIdx.x] = __int_as_float(__float_as_int(third) ^ 1);
    out[threadIdx.x + 32] = rintf(third * 3000.0f);
    out[threadIdx.x + 64] = third;
}
)";
    KernelRun run = run_of<float>(source, std::vector<double>(32, 1), 96, 32);
    const Fp64Trace t = trace(run);
    ASSERT_EQ(t.elements.size(), 32u);
    EXPECT_EQ(t.elements[0].offset, 64u * 4);
    EXPECT_EQ(t.elements[0].wide, 1.0 / 3);
    EXPECT_EQ(line_of(*run.program, t.elements[0].born), 3);
}

// A register that gets other bits by what is not followed holds another value.
TEST(Fp64, IsOfTheBitsThatItWasNotedWith) {
    KernelRun run(kernel(
        load(1, "f32", 4, "%f0") +
        "mov.f32 %f1, 0f40400000;\ndiv.rn.f32 %f2, %f0, %f1;\nmov.b32 %r5, %f2;\n" +
        "xor.b32 %r5, %r5, 1;\nmov.b32 %f3, %r5;\nadd.f32 %f4, %f3, 0f3F800000;\n" + store(0, "f32", 4, "%f4")
    ));
    run.out<float>("out", 32).in("a", std::vector<float>(32, 1));
    const float third = 1.0f / 3;
    const double other = std::bit_cast<float>(std::bit_cast<uint32_t>(third) ^ 1);
    const Fp64Trace t = trace(run);
    ASSERT_EQ(t.elements.size(), 32u);
    EXPECT_EQ(t.elements[0].wide, 1 + other);
}

const char* const kTensorCores = R"(
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(__half* out, const __half* a) {
    __shared__ __half s[256];
    for (int i = threadIdx.x; i < 256; i += 32) s[i] = a[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum;
    wmma::fill_fragment(sum, __float2half(0.0f));
    wmma::load_matrix_sync(fa, s, 16);
    wmma::load_matrix_sync(fb, s, 16);
    for (int k = 0; k < 8; ++k) wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(s, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) out[i] = s[i];
}
)";

TEST(Fp64, FollowsProductsOfTensorCores) {
    std::vector<uint16_t> bits(256);
    std::vector<double> a(256);
    for (size_t k = 0; k < 256; ++k) {
        from_double(DType::f16, std::sin(static_cast<double>(k)), &bits[k]);
        a[k] = to_double(DType::f16, &bits[k]);
    }
    KernelRun run(ptx_of(kTensorCores), 32);
    run.out<uint16_t>("out", 256).in("a", bits);
    const Fp64Trace t = trace(run);
    EXPECT_TRUE(t.not_followed.empty());
    ASSERT_GT(t.elements.size(), 200u);
    for (const Fp64Element& e : t.elements) {
        const size_t row = e.offset / 2 / 16, column = e.offset / 2 % 16;
        double want = 0;
        for (size_t k = 0; k < 16; ++k) want += 8 * a[row * 16 + k] * a[column * 16 + k];
        EXPECT_NEAR(e.wide, want, 1e-12) << row << ", " << column;
    }
}

}  // namespace
}  // namespace wl::emulator::test
