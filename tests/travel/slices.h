// Kernels whose elements come by every way that a slice follows, and the slice of one element.
#pragma once

#include "instrumentation/compile/compile.h"
#include "instrumentation/travel/instant.h"
#include "instrumentation/travel/search.h"
#include "instrumentation/travel/slice.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <unistd.h>

namespace wl::travel {

inline const char* const kSource = R"(#include <mma.h>
#include <cuda_pipeline.h>
__device__ __noinline__ float weigh(float x, float weight) { return x * weight; }

extern "C" __global__ void shared_memory(const float* in, float* out) {
    __shared__ float words[64];
    const int i = threadIdx.x;
    words[i] = in[i];
    __syncthreads();
    out[i] = words[i] + words[(i + 3) % 64];
}
extern "C" __global__ void shuffles(const float* in, float* out) {
    const int i = threadIdx.x;
    float x = in[i];
    for (int offset = 4; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffff, x, offset);
    out[i] = x;
}
extern "C" __global__ void calls(const float* in, float* out) {
    const int i = threadIdx.x;
    float x = weigh(in[i], in[63]);
    if (i % 2 == 0) x = weigh(x, in[62]);
    out[i] = x;
}
extern "C" __global__ void atomics(const float* in, float* out) {
    const int i = threadIdx.x;
    __shared__ float sum[4];
    if (i < 4) sum[i] = 0.0f;
    __syncthreads();
    atomicAdd(&sum[i % 4], in[i]);
    __syncthreads();
    out[i] = sum[i / 16];
}
extern "C" __global__ void copies(const float* in, float* out) {
    __shared__ __align__(16) float words[64];
    const int i = threadIdx.x;
    if (i < 16) __pipeline_memcpy_async(&words[4 * i], &in[60 - 4 * i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = words[i];
}
extern "C" __global__ void bulk(const float* in, float* out) {
    __shared__ __align__(16) float words[64];
    __shared__ unsigned long long bar;
    const int i = threadIdx.x;
    const auto at = [](const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
    if (i == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar)));
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], 192; }" ::"r"(at(&bar)));
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 192, [%2];" ::"r"(
                at(words)
            ),
            "l"(in + 16),
            "r"(at(&bar))
        );
    }
    __syncthreads();
    asm volatile(
        "{ .reg .pred p; L: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra L; }" ::"r"(at(&bar))
    );
    out[i] = words[i % 48];
}
extern "C" __global__ void product(const float* in, float* out) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[256], b[256];
    __shared__ __align__(32) float d[256];
    for (int k = threadIdx.x; k < 256; k += 32) {
        a[k] = __float2half(in[k]);
        b[k] = __float2half(in[256 + k]);
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(d, z, 16, wmma::mem_row_major);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += 32) out[k] = d[k];
}
extern "C" __global__ void chosen(const float* in, float* out) {
    const int i = threadIdx.x;
    const int index = static_cast<int>(in[i]) * 8 + 1;
    float x = in[index];
    if (in[63 - i] > 2.0f) {
        x *= 3.0f;
        out[256 + i] = x;
    }
    out[i] = x;
}
extern "C" __global__ void counted(const float* in, float* out) {
    const int i = threadIdx.x;
    float x = 0.0f;
#pragma unroll 1
    for (int k = 0; k < i; ++k)
        x += in[k];
    out[i] = x;
}
extern "C" __global__ void indirect(const float* in, float* out) {
    __shared__ int index[64];
    const int i = threadIdx.x;
    index[i] = static_cast<int>(in[i]);
    __syncthreads();
    const float y = in[index[63 - i]], z = in[100 + i];
    const float other = in[200 + i];
    out[i] = other > 2.0f ? y : z;
}
extern "C" __global__ void padded(const float* in, float* out) {
    __shared__ __align__(16) float words[64];
    const int i = threadIdx.x;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&words[4 * (i % 16)]));
    const int bytes = i == 3 ? 4 : 16;
    if (i < 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(&in[4 * i]), "r"(bytes));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = words[i] + words[(i + 1) % 64];
}
)";

struct Slices : testing::Test {
    ptx::Module module;
    Route route;
    uint64_t out = 0;

    // The inputs of out[element] of a kernel with so many threads, as indices in `in`.
    Slice of(
        const std::string& kernel,
        uint32_t threads,
        uint64_t element,
        bool debug = false,
        SliceOptions wanted = {}
    ) {
        const auto path =
            std::filesystem::temp_directory_path() / ("slice_" + std::to_string(getpid()) + ".cu");
        std::ofstream(path) << kSource;
        compile::CompileOptions options;
        options.source_path = path.string();
        options.display_path = "slice.cu";
        options.debug = debug;
        module = ptx::parse(compile::compile(options).ptx);
        std::filesystem::remove(path);
        emulator::ReplaySpec journey;
        journey.program = emulator::lower(module, kernel);
        journey.launch.block = {threads, 1, 1};
        journey.launch.grid = {1, 1, 1};
        journey.key_frame_interval = 64;
        std::vector<std::byte> in(2048);
        for (size_t i = 0; i < 512; ++i) {
            const auto value = static_cast<float>(i % 7);
            std::memcpy(in.data() + i * 4, &value, 4);
        }
        const uint64_t addresses[] = {
            allocate(journey.memory, "in", in),
            allocate(journey.memory, "out", std::vector<std::byte>(1024))};
        out = addresses[1];
        journey.launch.params.resize(16);
        std::memcpy(journey.launch.params.data(), addresses, 16);
        route = make_route(module, std::move(journey));
        wanted.from.address = out + 4 * element;
        wanted.from.bytes = 4;
        return slice(route, take_tiles(route), wanted);
    }
};

// Of that name; empty: it has none.
inline SliceInput input(const Slice& s, const std::string& name) {
    for (const SliceInput& i : s.inputs)
        if (i.memory == name) return i;
    return {};
}

}  // namespace wl::travel
