// The programs: launch shapes and arguments.
#include "tests/programs/inputs.h"

namespace wl::programs {
namespace {

using enum DType;

// ex2.approx is within 2 ulp of 2^x (PTX ISA 9.7.3.21), so that two of them differ by up to 4 ulp or 2^-21;
// the product or sum around each adds at most 2^-22.
constexpr double kExponential = 0x1p-21 + 0x1p-22;
constexpr Bound kSoftmax{
    15 * kExponential,
    0,
    "8 elements a thread, 5 shuffles, a sum over warps, the numerator: 15 exponentials"};
constexpr Bound kAttention{
    0, 2 * 4 * kExponential, "numerator and denominator of a mean of values below 1, each rescaled 4 times"};

// rsqrt.approx is within 2^-22.9 (9.7.3.17): two of them differ by up to 2 * 2^-22.9.
constexpr double kRsqrt = 2 * 1.28e-7;
constexpr Bound kLayernorm{
    0,
    16 * (kRsqrt + 4 * 0x1p-24),
    "a normalised element of a row of 128 is below sqrt(127) < 12, its scale below 1"};
constexpr Bound kForce{
    0,
    128 * 0.385 * (3 * kRsqrt + (128 + 8) * 0x1p-23),
    "128 forces of at most max r / (r^2 + 1)^1.5 = 0.385 by the cube of rsqrt, and their sum in one order"};
constexpr Bound kAnyOrder{
    0,
    2 * 127 * 0x1p-24 * 128,
    "127 additions of 128 numbers below 1 in any order: (n - 1) u sum |x| on either side"};

// A mul and an add without a rounding modifier may become one fma (PTX ISA 9.7.3), as ptxas makes where NVRTC
// has not. Each such pair differs by one rounding of the product.
constexpr Bound kFused{
    0,
    8 * 4 * 0x1p-24 * 363,
    "8 stages; each rounds 4 times more on one side, relative to elements below 256 sqrt(2) at the end"};
constexpr Bound kFactor{
    0,
    32 * 2 * 0x1p-24 * 3,
    "32 updates of elements below 2, in a matrix whose inverse has a norm below 1 / (1 - 32 * 0.02) < 3"};

// Filtered; of 37 by 29 texels.
execution::Texture picture() {
    execution::Texture t;
    t.extent = {37, 29, 1};
    t.linear = true;
    return t;
}

// Filtered, mirrored, by coordinates of [0, 1]; of 16 texels.
execution::Texture curve() {
    execution::Texture t;
    t.extent = {16, 1, 1};
    t.normalized = t.linear = true;
    t.address[0] = execution::AddressMode::mirror;
    return t;
}

Argument n(double count) { return value(s32, count); }

// Starts of the rows of a sparse matrix; every seventh is empty, one is long.
std::vector<double> row_starts(int rows) {
    std::vector<double> starts = {0};
    for (int r = 0; r < rows; ++r)
        starts.push_back(starts.back() + (r % 7 == 3 ? 0 : r == 20 ? 150 : r * 5 % 37));
    return starts;
}

// clang-format off
std::vector<Program> reductions_and_scans() {
    const std::vector<double> starts = row_starts(48);
    const auto entries = static_cast<size_t>(starts.back());
    return {
        {"reduce_shuffle", {4}, {160},
         {uniform(f32, 3000, 1), integers(s32, 3000, 1000000, 2), output(f32, 4), output(s32, 4), n(3000)}},
        {"reduce_shared", {3}, {100}, {uniform(f64, 1000, 3), output(f64, 3), n(1000)}, 800},
        {"warp_aggregate", {4}, {128},
         {integers(s32, 2000, 5000, 4), n(2000), scratch(s32, 2000), zeros(s32, 1), zeros(u64, 1)}},
        {"scan_block", {1}, {192}, {integers(s32, 1000, 100, 5), output(s32, 1000), n(1000)}},
        {"scan_lookback", {12}, {128},
         {integers(s32, 1500, 1000, 6), output(s32, 1500), zeroed_scratch(u64, 12), zeros(s32, 1), n(1500)}},
        {"last_block", {7}, {64}, {uniform(f32, 2000, 7), scratch(f32, 7), output(f32, 1), n(2000)}},
        {"grid_stride", {5}, {96},
         {integers(u32, 1500, 1ull << 32, 8), changed(list(s64, {0, 9e18, -9e18, 4294967295.0, 0, 0})),
          n(1500)}},
        {"histogram", {3}, {128}, {integers(u32, 1200, 1u << 31, 9), zeros(u32, 64), n(1200)}},
        {"scatter_add", {2}, {128},
         {uniform(f32, 256, 10), zeros(f32, 8), zeros(f64, 4), zeros(f16, 32), zeros(f32, 2, kAnyOrder)}},
        {"cas_loops", {2}, {128},
         {uniform(f32, 256, 11), zeros(f32, 1), zeros(f64, 1), zeros(u32, 4), zeros(s32, 1), zeros(s32, 1)}},
        {"spmv", {6}, {256},
         {list(s32, starts), integers(s32, entries, 200, 12), uniform(f32, entries, 13),
          uniform(f32, 200, 14), output(f32, 48), n(48)}},
    };
}

std::vector<Program> matrices() {
    return {
        {"transpose", {2, 3, 3}, {32, 8},
         {uniform(f32, 70 * 50, 15), output(f32, 3 * 70 * 50), n(70), n(50)}},
        {"gemm_shared", {2, 2}, {8, 8},
         {uniform(f32, 40 * 30, 16), uniform(f32, 30 * 50, 17), output(f32, 40 * 50), n(40), n(50), n(30)}},
        {"gemm_wmma", {2, 2}, {128},
         {uniform(f16, 64 * 96, 18), uniform(f16, 96 * 64, 19), changed(uniform(f32, 64 * 64, 20)), n(64),
          n(64), n(96)}},
        {"gemm_mma", {2, 2}, {128},
         {uniform(f16, 64 * 160, 21), uniform(f16, 160 * 64, 22), output(f32, 64 * 64), n(64), n(64),
          n(160)}},
        {"layernorm", {2}, {128},
         {uniform(f32, 7 * 128, 23), uniform(f32, 128, 24), uniform(f32, 128, 25),
          output(f32, 7 * 128, kLayernorm), n(7), n(128)}},
        {"softmax", {3}, {96}, {uniform(f32, 3 * 700, 26), output(f32, 3 * 700, kSoftmax), n(700), n(650)}},
        {"attention", {2}, {64},
         {uniform(f32, 128 * 16, 27), uniform(f32, 128 * 16, 28), uniform(f32, 128 * 16, 29),
          output(f32, 128 * 16, kAttention), n(128)}},
        {"cholesky", {2}, {32, 32},
         {integers(f32, 2 * 32 * 32, 3, 30), uniform(f32, 64, 31), output(f32, 2 * 32 * 32, kFactor),
          output(f32, 64, kFactor)}},
        {"stencil", {2, 2, 2}, {16, 8},
         {uniform(f32, 20 * 13 * 8, 32), output(f32, 20 * 13 * 8), n(20), n(13), n(8)}},
        {"fft", {3}, {128}, {uniform(f32, 3 * 512, 33), output(f32, 3 * 512, kFused)}},
        {"nbody", {2}, {64}, {uniform(f32, 4 * 128, 34), output(f32, 4 * 128, kForce), n(128)}, 1024},
    };
}

std::vector<Program> sorting_and_searching() {
    return {
        {"bitonic_sort", {2}, {256}, {uniform(f32, 1024, 35), output(f32, 1024), output(s32, 1024)}},
        {"radix_pass", {2}, {256}, {integers(u32, 512, 1ull << 32, 36), output(u32, 512)}},
        {"hash_table", {1}, {256},
         {integers(u32, 700, 1ull << 32, 37), scratch(u64, 1024), zeros(s32, 2), output(u32, 500), n(1024),
          n(700)}},
        {"graph_search", {1}, {128}, {integers(s32, 16, 600, 38), output(s32, 600), zeros(s32, 600)}},
    };
}

std::vector<Program> groups_and_barriers() {
    return {
        {"tiles", {2}, {96}, {integers(s32, 192, 1000, 39), output(s32, 192 * 8)}},
        {"coalesced", {2}, {96},
         {integers(s32, 192, 1000, 40), output(s32, 192 * 2), zeros(s32, 2), zeros(s32, 192)}},
        {"warp_votes", {2}, {64}, {integers(s32, 128, 1000, 41), output(u32, 128 * 12)}},
        {"grid_sync", {6}, {64}, {changed(uniform(f32, 700, 42)), zeros(f32, 700), n(700), n(5)}, 0, true},
        {"barrier_pipeline", {2}, {128}, {uniform(f32, 2 * 9 * 64, 43), output(f32, 128), n(9)}},
        {"copy_pipeline", {1}, {64}, {integers(s32, 11 * 64 * 4, 1u << 31, 44), output(s32, 256), n(11)}},
        {"block_pipeline", {2}, {96}, {uniform(f32, 2 * 7 * 64, 69), output(f32, 192), n(7)}},
        {"group_copies", {1}, {128}, {integers(s32, 5 * 96, 1000, 68), output(s32, 256), n(5), n(17)}},
    };
}

std::vector<Program> control_flow() {
    return {
        {"early_return", {3}, {128}, {integers(s32, 330, 3000, 45), output(s32, 330), n(330)}},
        {"recursion", {2}, {32}, {integers(s32, 512, 1000, 46), output(s32, 640)}},
        {"virtual_calls", {2}, {64},
         {uniform(f32, 128, 47), integers(s32, 128, 5000, 48), output(f32, 128), output(s32, 128)}},
        {"switch_table", {2}, {64}, {integers(u8, 128 * 24, 256, 49), n(24), output(s32, 128)}},
        {"mandelbrot", {4, 6}, {16, 8}, {output(u8, 60 * 44), n(60), n(44), n(100)}},
        {"monte_carlo", {2}, {128},
         {integers(u32, 256, 1ull << 32, 50), output(s32, 2), output(u64, 256), n(40)}},
        {"device_malloc", {2}, {64}, {integers(s32, 64 * 6, 1000, 51), output(s32, 128), n(6)}},
        {"print", {1}, {64},
         {integers(s32, 5, 1000, 52), uniform(f32, 3, 53), output(s32, 64)}, 0, false, true},
    };
}

std::vector<Program> arithmetic_and_memory() {
    return {
        {"half_arithmetic", {2}, {64},
         {uniform(f16, 256, 54), uniform(f16, 256, 55), uniform(f32, 128, 56), output(f16, 128 * 16),
          output(bf16, 128 * 6), output(f32, 128), output(s32, 128)}},
        {"double_precision", {2}, {64},
         {uniform(f64, 128, 57), uniform(f64, 128, 58), output(f64, 128 * 8), output(s64, 128)}},
        {"dot_products", {2}, {64},
         {integers(u32, 128, 1ull << 32, 59), integers(u32, 128, 1ull << 32, 60), output(s32, 128 * 16)}},
        {"dynamic_shared", {2}, {96},
         {uniform(f64, 192, 61), output(f64, 192), output(u32, 2), n(96)}, 96 * 27},
        {"local_arrays", {2}, {64}, {integers(u8, 128 * 24, 256, 62), output(f32, 128), output(s32, 128)}},
        {"texture_filter", {3, 4}, {16, 8},
         {texture(uniform(f32, 37 * 29, 64), picture(), 2), texture(uniform(f32, 16, 65), curve(), 1),
          output(f32, 37 * 29), output(f32, 4 * 37 * 29), n(37), n(29)}},
        {"surface_passes", {1}, {32, 24},
         {surface(integers(u8, 30 * 20 * 4, 256, 66), 4, 30, 20),
          surface(integers(u32, 30 * 20, 1, 67), 1, 30, 20), n(30), n(20)}},
        {"constants", {1}, {96}, {uniform(f32, 96, 63), output(f32, 96), output(s32, 97), n(96)}},
    };
}

// clang-format on

}  // namespace

std::vector<Program> all_programs() {
    std::vector<Program> all;
    for (auto part :
         {reductions_and_scans,
          matrices,
          sorting_and_searching,
          groups_and_barriers,
          control_flow,
          arithmetic_and_memory})
        for (Program& program : part()) all.push_back(std::move(program));
    return all;
}

}  // namespace wl::programs
