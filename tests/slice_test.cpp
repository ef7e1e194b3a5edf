// Dynamic slices: exactly the inputs that an element is made of, through shared memory, shuffles, calls,
// atomics, asynchronous copies and matrix instructions.
#include "instrumentation/travel/slice.h"

#include "instrumentation/compile/nvrtc.h"
#include "instrumentation/travel/search.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wl::travel {
namespace {

const char* const kSource = R"(#include <mma.h>
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
)";

struct Slices : testing::Test {
    ptx::Module module;
    Route route;
    uint64_t out = 0;

    // The inputs of out[element] of a kernel with so many threads, as indices in `in`.
    Slice of(const std::string& kernel, uint32_t threads, uint64_t element, bool debug = false) {
        const auto path =
            std::filesystem::temp_directory_path() / ("slice_" + std::to_string(getpid()) + ".cu");
        std::ofstream(path) << kSource;
        compile::CompileOptions options;
        options.source_path = path.string();
        options.display_path = "slice.cu";
        options.debug = debug;
        module = ptx::parse(compile::compile(options).ptx);
        std::filesystem::remove(path);
        emulator::Journey journey;
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
        SliceOptions wanted;
        wanted.from.address = out + 4 * element;
        wanted.from.bytes = 4;
        return slice(route, take_tiles(route), wanted);
    }
};

SliceInput input(const Slice& s, const std::string& name) {
    for (const SliceInput& i : s.inputs)
        if (i.memory == name) return i;
    return {};
}

TEST_F(Slices, GoThroughSharedMemoryToTheLanesThatWrote) {
    for (const bool debug : {false, true}) {
        const Slice s = of("shared_memory", 64, 5, debug);
        EXPECT_EQ(input(s, "in").bytes, 8u) << "in[5] and in[8]";
        EXPECT_EQ(input(s, "in").first, 20u);
        EXPECT_EQ(input(s, "in").last, 35u);
        EXPECT_EQ(s.inputs.size(), 1u);
        EXPECT_TRUE(s.not_followed.empty());
    }
}

TEST_F(Slices, GoToTheLanesThatAShuffleReads) {
    const Slice s = of("shuffles", 32, 13);
    EXPECT_EQ(input(s, "in").bytes, 32u) << "the eight lanes 8 to 15";
    EXPECT_EQ(input(s, "in").first, 32u);
    EXPECT_EQ(input(s, "in").last, 63u);
}

TEST_F(Slices, GoThroughCallsByTheirParametersAndResults) {
    for (const bool debug : {false, true}) {
        const Slice odd = of("calls", 64, 7, debug);
        EXPECT_EQ(input(odd, "in").bytes, 8u) << "in[7], in[63]";
        EXPECT_EQ(input(odd, "in").first, 28u);
        const Slice even = of("calls", 64, 8, debug);
        EXPECT_EQ(input(even, "in").bytes, 12u) << "in[8], in[62], in[63]";
        EXPECT_EQ(input(even, "in").first, 32u);
    }
}

TEST_F(Slices, GoThroughEveryAtomicOnTheSameWord) {
    const Slice s = of("atomics", 64, 33);  // sum[2] of in[2], in[6], ...
    EXPECT_EQ(input(s, "in").bytes, 64u);
    EXPECT_EQ(input(s, "in").first, 8u);
    EXPECT_EQ(input(s, "in").last, 4u * 62 + 3);
}

TEST_F(Slices, GoThroughAsynchronousCopiesByTheByte) {
    const Slice s = of("copies", 64, 9);  // words[9] is in[52 + 1]
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 4u * 53);
}

TEST_F(Slices, GoToTheRowAndTheColumnOfAProduct) {
    const Slice s = of("product", 32, 16 * 3 + 9);
    EXPECT_EQ(input(s, "in").bytes, 4u * 32) << "16 elements of a's row and 16 of b's column";
    EXPECT_EQ(input(s, "in").first, 4u * 48);
    EXPECT_EQ(input(s, "in").last, 4u * (256 + 16 * 15 + 9) + 3);
    EXPECT_TRUE(s.not_followed.empty());
}

TEST_F(Slices, WhoWritesAnAddressIsFoundForwardAndBack) {
    of("atomics", 64, 0);
    const Bytes word{emulator::kSharedBase + 4, 4};
    ASSERT_TRUE(next_write(route, word, 0));
    EXPECT_EQ(route.sites[emulator::here(*route.traveller).site].line, 27);
    const uint64_t first = emulator::here(*route.traveller).order;
    ASSERT_TRUE(next_write(route, word, first + 1));
    EXPECT_EQ(route.sites[emulator::here(*route.traveller).site].line, 29);
    ASSERT_TRUE(last_write(route, word, UINT64_MAX));
    EXPECT_EQ(emulator::here(*route.traveller).warp, 1);
    ASSERT_TRUE(last_write(route, word, first + 1));
    EXPECT_EQ(emulator::here(*route.traveller).order, first);
    EXPECT_FALSE(last_write(route, word, first));
}

}  // namespace
}  // namespace wl::travel
